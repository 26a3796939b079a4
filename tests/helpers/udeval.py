"""The official program of the CoNLL 2018 scores, to compare with. It is no dependency.

    python -m venv elsewhere && elsewhere/bin/pip install udtools==0.2.9
    STRUCTPARSE_UDEVAL=elsewhere/bin/udeval python -m pytest tests/scoring/test_conll18_reference.py

`python -m tests.helpers.udeval elsewhere/bin/udeval` writes the expected tables in
`tests/scoring/conll18` anew: they are the program's output on the files beside them.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.helpers.paths import CONLL18

CASES = sorted(path.name.removesuffix("-gold.conllu") for path in CONLL18.glob("*-gold.conllu"))


def official_table(program: Path | str, gold: Path, system: Path) -> str | None:
    """The program's table; None if it refuses a file."""
    run = subprocess.run(
        [program, "-v", "--no-enhanced", gold, system],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1"},
        check=False,
    )
    return None if run.returncode else run.stdout


if __name__ == "__main__":
    for case in CASES:
        files = (CONLL18 / f"{case}-{side}.conllu" for side in ("gold", "system"))
        table = official_table(sys.argv[1], *files)
        assert table, case
        (CONLL18 / f"{case}-expected.txt").write_text(table, encoding="utf-8")

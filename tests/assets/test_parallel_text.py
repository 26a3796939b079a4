"""The sample of parallel text is what its grammar gives."""

import runpy
from pathlib import Path
from types import SimpleNamespace

from tests.helpers.paths import ASSETS, PARALLEL

parallel_text = SimpleNamespace(**runpy.run_path(str(ASSETS / "parallel_text.py")))


def test_the_files_are_those_that_the_script_writes(tmp_path: Path) -> None:
    parallel_text.main(tmp_path)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(written) == 2 * len(parallel_text.SIZES)
    for name, content in written.items():
        assert (PARALLEL / name).read_bytes() == content, name

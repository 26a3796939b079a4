"""What a newcomer waits for: a pipeline installed by the command of docs/pipelines.md, word for
word, in a new environment, and used for the first time.

    python -m benchmarks.first_use sm

After the install: the first command, which parses assets/sample_text.txt and compiles Python's
files on the way; ``spacy structparse parse`` of one short sentence, the median of five; and the
median of five ``spacy.load`` in new processes, spaCy and PyTorch imported before, with the peak
memory of such a process once it has parsed the sentence. All by the clock, on all cores. Unlike
`release`, nothing is installed here that the pipeline does not need: where `spacy-transformers`
is there, spaCy imports it for every pipeline.
"""

import os
import re
import shlex
import statistics
import subprocess
import tempfile
import time
import venv
from pathlib import Path
from typing import Annotated

import typer

from .record import ROOT, Figures, write_result

SENTENCE = "Time flies like an arrow."
LOAD = """
import time, spacy, torch, spacy_structparse.cli
start = time.perf_counter()
nlp = spacy.load({name!r})
seconds = time.perf_counter() - start
nlp({sentence!r})
# Not of getrusage, which would count the memory of the parent process too.
peak = open("/proc/self/status").read().split("VmHWM:")[1].split()[0]
print(seconds, peak)
"""
RUNS = 5


def documented_install(kind: str) -> list[str]:
    """The command of docs/pipelines.md that installs a pipeline. kind: sm or trf."""
    page = (ROOT / "docs" / "pipelines.md").read_text(encoding="utf8")
    found = re.findall(rf"^python -m pip install .*en_structparse_{kind}-.*$", page, re.MULTILINE)
    if len(found) != 1:
        raise SystemExit(f"docs/pipelines.md has {len(found)} commands that install {kind}, not 1")
    return shlex.split(found[0])


def environment() -> dict[str, str]:
    """The variables of this process, without those that would show it other packages or set the
    number of threads."""
    hidden = ("PYTHON", "VIRTUAL_ENV", "OMP_", "MKL_", "OPENBLAS_")
    return {name: value for name, value in os.environ.items() if not name.startswith(hidden)}


def main(kind: Annotated[str, typer.Argument(help="sm or trf")]) -> None:
    """Install the pipeline in a new environment, use it, and write how long that takes."""
    name = f"en_structparse_{kind}"
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder) / ("Scripts" if os.name == "nt" else "bin") / "python")

        def run(*arguments: str) -> tuple[float, str]:
            """Seconds and the output of Python with these arguments."""
            start = time.perf_counter()
            done = subprocess.run(
                [python, *arguments],
                check=True, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            return time.perf_counter() - start, done.stdout

        run(*documented_install(kind)[1:])
        parse = ("-m", "spacy", "structparse", "parse", name)
        first = run(*parse, "assets/sample_text.txt")[0]
        sentence = [run(*parse, SENTENCE)[0] for _ in range(RUNS)]
        code = LOAD.format(name=name, sentence=SENTENCE)
        loads = [run("-c", code)[1].split() for _ in range(RUNS)]
        packages = run("-m", "pip", "list", "--format", "freeze")[1].splitlines()
    figures: Figures = {
        "pipeline": name,
        "has_transformers": any(one.startswith("spacy-transformers==") for one in packages),
        "seconds_of_first_command": round(first, 1),
        "seconds_of_one_sentence": round(statistics.median(sentence), 1),
        "seconds_to_load": round(statistics.median(float(one[0]) for one in loads), 2),
        "megabytes": round(statistics.median(float(one[1]) for one in loads) / 1024),
    }
    print(figures)
    write_result(f"first_use-{kind}", 0, figures)


if __name__ == "__main__":
    typer.run(main)

"""Check that the wheel of a released pipeline gives the scores of its card.

    python -m benchmarks.check_wheel sm benchmarks/results/release-sm.json \\
        --gold ewt=corpus/release/test/ewt.spacy

The wheel is that of assets/pipelines/ with the version that sources.json has there.
"""

import importlib
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import srsly
import torch
import typer
from spacy.language import Language

from .model_card import SOURCES, read_sources
from .options import named_values
from .record import Figures
from .release import gold_token_scores

TOLERANCE = 0.1
"""Percent. A processor without instructions for bfloat16, or another version's kernels, round
otherwise: scores of the two pipelines then differ by up to 0.03, shares of exact trees by 0.06."""


def load_wheel(wheel: Path, folder: str) -> Language:
    """Install a wheel into a folder, without its requirements, and load its pipeline."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder]
    subprocess.run([*command, str(wheel)], check=True)
    sys.path.insert(0, folder)
    package: Any = importlib.import_module(wheel.name.split("-")[0])
    return package.load()


def differences(carded: Figures, found: Figures) -> list[str]:
    """The scores of a part that differ, each as ``score: card, found``."""
    return [
        f"{score}: {value} in the card, {found.get(score)} found"
        for score, value in carded.items()
        if abs(value - found.get(score, 0.0)) > TOLERANCE
    ]


def released_wheel(kind: str) -> Path:
    """The wheel of a pipeline's present version. kind: sm or trf."""
    version = read_sources(kind)["pipelines"][kind]["version"]
    return SOURCES.parent / f"en_structparse_{kind}-{version}-py3-none-any.whl"


def main(
    kind: Annotated[str, typer.Argument(help="sm or trf")],
    result: Annotated[Path, typer.Argument(help="The results that its card shows")],
    gold: Annotated[list[str], typer.Option("--gold", help="NAME=FILE.spacy, repeatable")],
) -> None:
    """Install the wheel elsewhere, score its pipeline on gold tokens, and compare."""
    torch.set_num_threads(1)
    wheel = released_wheel(kind)
    carded = srsly.read_json(result)["figures"]["gold_tokens"]
    problems = []
    with TemporaryDirectory() as folder:
        nlp = load_wheel(wheel, folder)
        for name, path in named_values("--gold", gold).items():
            found = gold_token_scores(nlp, Path(path))
            problems += [f"{name}, {one}" for one in differences(carded[name], found)]
    if problems:
        raise SystemExit(f"{wheel} does not give the scores of its card: {'; '.join(problems)}")
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB, the scores are those of its card")


if __name__ == "__main__":
    typer.run(main)

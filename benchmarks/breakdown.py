"""Dependency parsers by the length of sentences and by coarse tag (Figures 3 and 4 of "RNN-Based
Sequence-Preserved Attention for Dependency Parsing"), by how far heads are, and their picture.

    python benchmarks/breakdown.py corpus/ewt --name ewt --pipeline spacy=PATH --pipeline spa=PATH

Gold tokens and sentences; tags are the pipelines' own, or as annotated. Tokens whose UPOS is PUNCT
are left out. The picture, docs/breakdown-NAME.svg, is that of `spacy structparse report`.
"""

from pathlib import Path
from typing import Annotated

import spacy
import torch
import typer
from evaluation import parsed_examples
from record import ROOT, write_results

from spacy_structparse.files import write_atomically
from spacy_structparse.scoring.breakdown import Breakdown, as_figures, break_down
from spacy_structparse.viz.breakdown import draw_breakdown
from spacy_structparse.viz.pictures import render


def main(
    corpus: Annotated[Path, typer.Argument(help="Folder with the split as a .spacy file")],
    name: Annotated[str, typer.Option(help="Name of the result")],
    pipeline: Annotated[list[str], typer.Option(help="NAME=FOLDER, repeatable")],
    split: Annotated[str, typer.Option(help="dev or test")] = "dev",
    gold_tags: Annotated[bool, typer.Option(help="Tags as annotated")] = False,
) -> None:
    """Parse and count."""
    torch.set_num_threads(1)
    of_parsers: dict[str, Breakdown] = {}
    for item in pipeline:
        label, _, folder = item.partition("=")
        examples = parsed_examples(spacy.load(folder), corpus / f"{split}.spacy", gold_tags)
        of_parsers[label] = break_down(examples)
    picture = render(draw_breakdown(of_parsers, "las"), "svg")
    write_atomically(ROOT / "docs" / f"breakdown-{name}.svg", picture)
    figures = {"split": split, **as_figures(of_parsers)}
    print(write_results(f"breakdown-{name}", 0, figures))


if __name__ == "__main__":
    typer.run(main)

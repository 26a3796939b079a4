"""Ensembles of parsers of trees on dev (Ma et al. 2017, Table 4), beside their members.

    python benchmarks/ensembles.py corpus/craft --name craft-trees \\
        --ensemble "datt-bound=DIR,DIR,DIR" --ensemble "mixed=DIR,DIR"
"""

from pathlib import Path
from typing import Annotated, Any

import spacy
import torch
import typer
from evaluation import evaluate
from record import write_results

from spacy_structparse.pipeline.ensemble import find_parser, join


def main(
    corpus: Annotated[Path, typer.Argument(help="Folder with dev.spacy")],
    name: Annotated[str, typer.Option(help="Name of the result")],
    ensemble: Annotated[list[str], typer.Option(help="NAME=PIPELINE,PIPELINE,…")],
    beam: Annotated[int, typer.Option(help="Beam width")] = 1,
) -> None:
    """Join and evaluate. Tags are as annotated."""
    torch.set_num_threads(1)
    dev = corpus / "dev.spacy"
    figures: dict[str, Any] = {}
    for item in ensemble:
        label, _, paths = item.partition("=")
        members = paths.split(",")
        nlp = join([find_parser(path, spacy.load(path)) for path in members], beam)
        alone = []
        for path in members:
            member = spacy.load(path)
            find_parser(path, member).parser.beam_width = beam
            alone.append(evaluate(member, dev, gold_tags=True)["const_f"])
        figures[label] = {
            **evaluate(nlp, dev, gold_tags=True),
            "beam_width": beam,
            "members": members,
            "members_const_f": alone,
        }
        print(label, figures[label], flush=True)
    print(write_results(f"ensembles-{name}", 0, figures))


if __name__ == "__main__":
    typer.run(main)

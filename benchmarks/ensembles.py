"""F1 of ensembles of constituency parsers on dev, beside their members (Ma et al. 2017, Table 4).

    python -m benchmarks.ensembles corpus/craft --name craft-constituency \\
        --ensemble "datt-bound=DIR,DIR,DIR" --ensemble "mixed=DIR,DIR"
"""

from typing import Annotated

import spacy
import torch
import typer

from spacy_structparse.pipeline.ensemble import find_parser, join

from .evaluation import evaluate
from .options import Corpus, Name, named_values
from .record import Figures, write_result


def main(
    corpus: Corpus,
    name: Name,
    ensembles: Annotated[
        list[str], typer.Option("--ensemble", help="NAME=PIPELINE,PIPELINE,…, repeatable")
    ],
    beam: Annotated[int, typer.Option(help="Beam width")] = 1,
) -> None:
    """Join parsers and score them. Tags are as annotated."""
    torch.set_num_threads(1)
    dev = corpus / "dev.spacy"
    figures: Figures = {}
    for label, paths in named_values("--ensemble", ensembles).items():
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
    write_result(f"ensembles-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)

"""Attachment scores of dependency parsers by sentence length, distance of heads and coarse tag.

    python -m benchmarks.breakdown corpus/ewt --name ewt --pipeline spacy=PATH --pipeline spa=PATH

Figures 3 and 4 of "RNN-Based Sequence-Preserved Attention for Dependency Parsing" show scores by
length and tag. Tokens and sentences are gold; tokens whose UPOS is PUNCT are left out. The picture,
``docs/images/breakdown-NAME.svg``, is that of ``spacy structparse breakdown``.
"""

from typing import Annotated

import spacy
import torch
import typer

from spacy_structparse.files import write_atomically
from spacy_structparse.tools.figures.breakdown import draw_breakdown
from spacy_structparse.tools.figures.breakdown_scores import Grouping, as_figures, break_down
from spacy_structparse.tools.figures.pictures import figure_bytes

from .evaluation import parsed_examples
from .options import Corpus, GoldTags, Name, Pipelines, named_values
from .record import ROOT, write_result


def main(
    corpus: Corpus,
    name: Name,
    pipelines: Pipelines,
    split: Annotated[str, typer.Option(help="dev or test")] = "dev",
    gold_tags: GoldTags = False,
) -> None:
    """Parse a split with each pipeline, count and draw."""
    torch.set_num_threads(1)
    result = f"breakdown-{name}"
    by_parser: dict[str, dict[str, Grouping]] = {}
    for label, folder in named_values("--pipeline", pipelines).items():
        examples = parsed_examples(spacy.load(folder), corpus / f"{split}.spacy", gold_tags)
        by_parser[label] = break_down(examples)
    figures = as_figures(by_parser)
    picture = figure_bytes(draw_breakdown(figures, "las"), "svg")
    write_atomically(ROOT / "docs" / "images" / f"{result}.svg", picture)
    write_result(result, 0, {"split": split, **figures})


if __name__ == "__main__":
    typer.run(main)

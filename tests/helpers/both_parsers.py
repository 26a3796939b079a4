"""A pipeline with a parser of each kind, of saved pipelines."""

from pathlib import Path

import spacy
from spacy.language import Language


def both_parsers(arcs: Path, trees: Path) -> Language:
    """The dependency parser of one saved pipeline and the constituency parser of another."""
    nlp = spacy.load(arcs)
    nlp.add_pipe("seq2seq_constituency", source=spacy.load(trees))
    return nlp

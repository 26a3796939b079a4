"""The annotation of documents that came in, apart from what a pipeline predicts."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from spacy.language import Language
from spacy.pipeline import AttributeRuler
from spacy.tokens import Doc

from .bare import without_attributes
from .conllu_source import forget_columns
from .conllu_writer import gold_columns

GIVEN = "spacy_structparse.given"
"""The key of `doc.user_data`, between reading and writing, for the columns to keep."""
KEEPABLE = ("LEMMA", "UPOS", "XPOS", "FEATS")
"""The columns that `--keep` can name."""

_ATTRIBUTES = {
    "LEMMA": "LEMMA",
    "UPOS": "POS",
    "XPOS": "TAG",
    "FEATS": "MORPH",
    "HEAD": "HEAD",
    "DEPREL": "DEP",
}


class KeepError(ValueError):
    """Columns that cannot be kept."""


def predicted_columns(nlp: Language) -> frozenset[str]:
    """The columns of CoNLL-U that the components declare to assign, or rules of attributes set."""
    assigned = {
        value.removeprefix("token.").rstrip("_").upper()
        for name in nlp.pipe_names
        for value in nlp.get_pipe_meta(name).assigns
        if value.startswith("token.")
    }
    for _, pipe in nlp.pipeline:
        if isinstance(pipe, AttributeRuler):
            patterns: Any = pipe.patterns
            assigned |= {str(name).upper() for pattern in patterns for name in pattern["attrs"]}
    return frozenset(column for column, name in _ATTRIBUTES.items() if name in assigned)


def columns_to_keep(names: str, *, gold: bool = False) -> tuple[str, ...]:
    """The columns of a list such as `lemma,feats`.

    gold: all columns are written as they came in.

    Raises KeepError for a column that cannot be kept, and for any where all are.
    """
    if names and gold:
        raise KeepError("--gold keeps all columns: leave out --keep")
    columns = tuple(name.strip().upper() for name in names.split(",") if name.strip())
    for column in columns:
        if column not in KEEPABLE:
            raise KeepError(
                f"--keep {column.lower()}: the columns to keep are "
                f"{', '.join(name.lower() for name in KEEPABLE)}. DEPS and MISC are kept always; "
                "--complete keeps heads and labels; --gold writes all columns as they came in"
            )
    return columns


def set_apart(doc: Doc, predicted: Collection[str], keep: Sequence[str], trees: str | None) -> Doc:
    """The Doc without the annotation that a pipeline will predict.

    Components such as spaCy's tagger do not overwrite what is there. The columns to keep are put
    aside in `doc.user_data[GIVEN]`.

    Args:
        doc: A Doc with gold annotation.
        predicted: The columns that the pipeline predicts.
        keep: The columns to keep.
        trees: The span group of the trees that the pipeline predicts, if it does.
    """
    kept = gold_columns(doc, keep) if keep else {}
    bare = without_attributes(doc, {_ATTRIBUTES[column] for column in predicted})
    forget_columns(bare, predicted)
    if trees is not None:
        bare.spans.pop(trees, None)
    bare.user_data[GIVEN] = kept
    return bare


def take_given(doc: Doc) -> Mapping[str, Sequence[str]] | None:
    """Remove and return the columns put aside. None for a text: all of its annotation is new."""
    kept: Any = doc.user_data.pop(GIVEN, None)
    return kept

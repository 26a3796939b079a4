"""The annotation of documents that came in, apart from what a pipeline predicts."""

from collections.abc import Collection, Sequence
from typing import Any

from spacy.language import Language
from spacy.pipeline import AttributeRuler
from spacy.tokens import Doc

from ..extensions.multiword import multiword_spans, set_multiword_tokens
from ..trees.span_group import copy_spans
from .conllu_columns import forget_columns
from .conllu_writer import gold_columns
from .document_ids import RECORD

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

    Raises ValueError for a column that cannot be kept, and for any where all are.
    """
    if names and gold:
        raise ValueError("--gold keeps all columns: leave out --keep")
    columns = tuple(name.strip().upper() for name in names.split(",") if name.strip())
    for column in columns:
        if column not in KEEPABLE:
            raise ValueError(
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


# Attributes of tokens that annotate them; spaCy derives the others.
_ANNOTATION = (
    "TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START", "NORM",
    "ENT_IOB", "ENT_TYPE", "ENT_KB_ID", "ENT_ID",
)  # fmt: skip


def words_alone(doc: Doc) -> Doc:
    """The words, multiword tokens and sentence starts of a Doc, with the record that it was read
    from."""
    has_starts = doc.has_annotation("SENT_START")
    bare = Doc(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        sent_starts=[bool(token.is_sent_start) for token in doc] if has_starts else None,
    )
    bare.has_unknown_spaces = doc.has_unknown_spaces
    spans = [(span.start, span.end, span.label_) for span in multiword_spans(doc)]
    set_multiword_tokens(bare, spans)
    if RECORD in doc.user_data:
        bare.user_data[RECORD] = doc.user_data[RECORD]
    return bare


def without_attributes(doc: Doc, attributes: Collection[str]) -> Doc:
    """A copy of a Doc without attributes of its tokens, such as `TAG` or `HEAD`.

    Sentence starts stay where heads go. Span groups, categories, `user_data` and the tensor stay.
    """
    kept: list[int | str] = [name for name in _ANNOTATION if name not in attributes]
    bare = Doc(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        user_data=doc.user_data,
    )
    if len(doc):
        array: Any = doc.to_array(kept)
        bare.from_array(kept, array)
    bare.has_unknown_spaces = doc.has_unknown_spaces
    bare.cats, bare.tensor = doc.cats, doc.tensor
    copy_spans(doc[:], bare, range(len(doc)))
    return bare

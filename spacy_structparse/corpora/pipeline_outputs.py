"""The annotations that a pipeline assigns, and Docs without them, for it to parse anew."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spacy.language import Language
from spacy.pipeline import AttributeRuler
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..extensions.multiword import multiword_spans, set_multiword_tokens
from ..trees.span_group import SPANS_KEY, copy_spans
from .conllu_columns import forget_columns
from .conllu_writer import ANNOTATION, gold_columns
from .document_ids import RECORD

HEADS = "token.head"
TREES = "doc._.constituency_tree"
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
# Attributes of tokens that annotate them; spaCy derives the others.
_ANNOTATION = (
    "TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START", "NORM",
    "ENT_IOB", "ENT_TYPE", "ENT_KB_ID", "ENT_ID",
)  # fmt: skip


@dataclass(frozen=True)
class PipelineOutputs:
    """The annotations that a pipeline assigns, as its components declare them.

    Attributes:
        heads: Dependencies.
        trees: Constituency trees.
        spans_key: The span group with the trees, of the last parser that writes any.
        columns: The columns of CoNLL-U.
        gold: There is no pipeline: the annotation of the input is written.
        confidence: How sure the parsers are is written too.
    """

    heads: bool
    trees: bool
    spans_key: str = SPANS_KEY
    columns: frozenset[str] = frozenset(ANNOTATION)
    gold: bool = False
    confidence: bool = False

    @classmethod
    def of(cls, nlp: Language) -> "PipelineOutputs":
        assigned = _assigned(nlp)
        keys = [
            getattr(pipe, "spans_key", SPANS_KEY)
            for name, pipe in nlp.pipeline
            if TREES in nlp.get_pipe_meta(name).assigns
        ]
        return cls(
            heads=HEADS in assigned,
            trees=TREES in assigned,
            spans_key=keys[-1] if keys else SPANS_KEY,
            columns=predicted_columns(nlp),
        )

    @classmethod
    def of_gold(cls) -> "PipelineOutputs":
        """All that a Doc can have, which came in with it."""
        return cls(heads=True, trees=True, gold=True)

    @property
    def trees_key(self) -> str | None:
        """The span group with the trees; None if there are none."""
        return self.spans_key if self.trees else None


def _assigned(nlp: Language) -> set[str]:
    return {name for pipe in nlp.pipe_names for name in nlp.get_pipe_meta(pipe).assigns}


def predicted_columns(nlp: Language) -> frozenset[str]:
    """The columns of CoNLL-U that the components declare to assign, or rules of attributes set."""
    assigned = {name.removeprefix("token.").rstrip("_").upper() for name in _assigned(nlp)}
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


def strip_predictions(doc: Doc, outputs: PipelineOutputs, keep: Sequence[str] = ()) -> Doc:
    """A copy of a Doc without the annotation that a pipeline will predict.

    Components such as spaCy's tagger do not overwrite what is there. The columns to keep are put
    aside in `doc.user_data[GIVEN]`.

    Args:
        doc: A Doc with gold annotation.
        outputs: The annotations that the pipeline predicts.
        keep: The columns to keep.
    """
    given = gold_columns(doc, keep) if keep else {}
    predicted = {_ATTRIBUTES[column] for column in outputs.columns}
    bare = copy_words(doc)
    bare.user_data = doc.user_data
    if len(doc):
        # Sentence starts stay where heads go.
        names: list[int | str] = [name for name in _ANNOTATION if name not in predicted]
        array: Any = doc.to_array(names)
        bare.from_array(names, array)
    bare.cats, bare.tensor = doc.cats, doc.tensor
    copy_spans(doc[:], bare, range(len(doc)))
    forget_columns(bare, outputs.columns)
    if outputs.trees:
        bare.spans.pop(outputs.spans_key, None)
    bare.user_data[GIVEN] = given
    return bare


def words_alone(doc: Doc) -> Doc:
    """The words, multiword tokens and sentence starts of a Doc, with the record that it was read
    from."""
    has_starts = doc.has_annotation("SENT_START")
    bare = copy_words(doc, has_starts)
    spans = [(span.start, span.end, span.label_) for span in multiword_spans(doc)]
    set_multiword_tokens(bare, spans)
    if RECORD in doc.user_data:
        bare.user_data[RECORD] = doc.user_data[RECORD]
    return bare


def copy_words(doc: Doc, with_starts: bool = False, vocab: Vocab | None = None) -> Doc:
    """Copy the words of a Doc and their spaces, and the starts of sentences if you want, for the
    same vocabulary or another one."""
    words = [token.text for token in doc]
    spaces = [bool(token.whitespace_) for token in doc]
    starts: Any = [bool(token.is_sent_start) for token in doc] if with_starts else None
    bare = Doc(vocab or doc.vocab, words=words, spaces=spaces, sent_starts=starts)
    bare.has_unknown_spaces = doc.has_unknown_spaces
    return bare

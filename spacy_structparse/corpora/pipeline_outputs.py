"""The annotations that a pipeline assigns, and Docs with them as CoNLL-U."""

from collections import Counter
from dataclasses import dataclass

from spacy.language import Language
from spacy.tokens import Doc

from ..escaping import json_text
from ..trees.span_group import SPANS_KEY
from .conllu_columns import SOURCE
from .conllu_writer import ANNOTATION, conllu_blocks
from .document_ids import RECORD, record_of, with_newdoc
from .given_columns import GIVEN, predicted_columns

HEADS = "token.head"
TREES = "doc._.constituency_tree"


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
        assigned = {name for pipe in nlp.pipe_names for name in nlp.get_pipe_meta(pipe).assigns}
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


def conllu_of(
    doc: Doc, name: str, gives: PipelineOutputs, notes: Counter[str] | None = None
) -> list[str]:
    """A block of CoNLL-U for each sentence.

    Args:
        doc: The Doc.
        name: The beginning of the ids, `NAME-1`, `NAME-2`, …, of sentences that have none.
        gives: The annotations that are written.
        notes: Counts what could not be written as it stands; see `doc_to_conllu`.
    """
    # Without the columns put aside the Doc came from a text: all of its annotation is predicted.
    given = doc.user_data.get(GIVEN)
    blocks = conllu_blocks(
        doc,
        name,
        columns=ANNOTATION if given is None else gives.columns,
        given=given,
        gold=gives.gold,
        confidence=gives.confidence,
        notes=notes,
    )
    if blocks and RECORD in doc.user_data and not gives.gold:
        blocks[0] = f"# meta = {json_text(record_of(doc))}\n{blocks[0]}"
    if blocks and not (gives.gold and SOURCE in doc.user_data):
        blocks[0] = with_newdoc(blocks[0], doc)
    return blocks

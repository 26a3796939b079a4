"""The output formats of `spacy structparse parse`."""

import json
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Token

from ..corpora.conllu_writer import ANNOTATION, conllu_blocks
from ..corpora.json_lines import RECORD, TEXT, record_of
from ..extensions.multiword import surface_offsets, surface_text
from ..trees import Tree, wrap
from ..trees.doc import SPANS_KEY
from ..trees.labels import UNKNOWN_TAG
from ..viz.sentences import ParsedSentence
from .given_columns import GIVEN, predicted_columns
from .parser_settings import TREES

HEADS = "token.head"


class Format(str, Enum):
    """The formats of parses, by the names that the command line has for them."""

    conllu = "conllu"
    ptb = "ptb"
    json = "json"
    svg = "svg"
    spacy = "spacy"
    terminal = "terminal"


class FormatError(ValueError):
    """A format that the pipeline cannot give."""


@dataclass(frozen=True)
class PipelineOutputs:
    """The annotations that a pipeline assigns, as its components declare them.

    Attributes:
        heads: Dependencies.
        trees: Phrase-structure trees.
        spans_key: The span group with the trees, of the last parser that writes any.
        columns: The columns of CoNLL-U.
        gold: There is no pipeline: the annotation of the input is written.
    """

    heads: bool
    trees: bool
    spans_key: str = SPANS_KEY
    columns: frozenset[str] = frozenset(ANNOTATION)
    gold: bool = False

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

    def shows_trees(self, style: "Format") -> bool:
        """Whether trees are expected in a format."""
        return self.trees and not (self.gold and style in (Format.conllu, Format.spacy))


def choose_format(wanted: Format | None, gives: PipelineOutputs, nlp: Language) -> Format:
    """The wanted format, or the default one of the pipeline's outputs, dependencies first.

    Raises FormatError where the pipeline lacks the component for it.
    """
    lacks_trees = f"one that assigns trees ({TREES}), such as seq2seq_constituency"
    lacks_heads = f"a dependency parser (one that assigns {HEADS}), such as stack_lstm_dep"
    if wanted in (Format.ptb, Format.svg) and not gives.trees:
        lacking = lacks_trees
    elif wanted is Format.conllu and not gives.heads:
        lacking = lacks_heads
    elif not (gives.heads or gives.trees):
        lacking = f"{lacks_heads}; nor {lacks_trees}"
    else:
        return wanted or (Format.conllu if gives.heads else Format.ptb)
    asked = f"--format {wanted.value} needs" if wanted else "needed is"
    raise FormatError(
        f"{asked} a component that the pipeline lacks: {lacking}. It has: "
        f"{', '.join(nlp.pipe_names) or 'no components'}"
    )


def format_doc(
    style: Format,
    doc: Doc,
    sentences: list[ParsedSentence],
    number: int,
    gives: PipelineOutputs,
    notes: Counter[str] | None = None,
) -> str:
    """A Doc as CoNLL-U, Penn brackets or JSON, ending in a line break unless it is empty.

    number: of the Doc in the output, from 1; sentences without an id are called `NUMBER-1`,
        `NUMBER-2`, ….
    notes: counts what could not be written as it stands; see `doc_to_conllu`.
    """
    if style is Format.conllu:
        return "".join(conllu_of(doc, number, gives, notes))
    if style is Format.ptb:
        return "".join(f"{bracketed(sentence)}\n" for sentence in sentences)
    records = sentence_records(doc, sentences)
    for record, sentence in zip(records, sentences, strict=True):
        if gives.trees:
            record |= tree_record(sentence.tree)
        if gives.heads:
            record |= dependency_record(sentence)
    return json_line(doc, records, gives)


def conllu_of(
    doc: Doc, number: int, gives: PipelineOutputs, notes: Counter[str] | None = None
) -> list[str]:
    """A block of CoNLL-U for each sentence. The arguments are those of `format_doc`."""
    # Without the columns put aside the Doc came from a text: all of its annotation is predicted.
    given = doc.user_data.get(GIVEN)
    blocks = conllu_blocks(
        doc,
        str(number),
        columns=ANNOTATION if given is None else gives.columns,
        given=given,
        gold=gives.gold,
        notes=notes,
    )
    if blocks and RECORD in doc.user_data and not gives.gold:
        blocks[0] = f"# meta = {json.dumps(record_of(doc), ensure_ascii=False)}\n{blocks[0]}"
    return blocks


def bracketed(sentence: ParsedSentence) -> str:
    """The tree within TOP. Without a tree, TOP over the words alone: a line that every reader of
    trees takes and that has no bracket to be right or wrong."""
    if sentence.tree is not None:
        return str(wrap(sentence.tree))
    leaves = [Tree(_tag(token), word=token.text) for token in sentence.words]
    return str(Tree("TOP", leaves))


def json_line(doc: Doc, sentences: list[dict[str, Any]], gives: PipelineOutputs) -> str:
    """The line of a Doc with the records of its sentences."""
    record = {TEXT: surface_text(doc), **record_of(doc), "sentences": sentences}
    if GIVEN in doc.user_data:
        record["given"] = [
            name
            for name, column in (("tags", "XPOS"), ("pos", "UPOS"))
            if column not in gives.columns and any(name in sentence for sentence in sentences)
        ]
    return json.dumps(record, ensure_ascii=False) + "\n"


def sentence_records(doc: Doc, sentences: list[ParsedSentence]) -> list[dict[str, Any]]:
    """The records of the sentences of a Doc, without their parses."""
    limits = surface_offsets(doc)
    records = []
    for sentence in sentences:
        words = sentence.words
        record: dict[str, Any] = {
            "text": sentence.text,
            "start": limits[words[0].i][0],
            "end": limits[words[-1].i][1],
            "words": [token.text for token in words],
        }
        if any(token.tag for token in words):
            record["tags"] = [token.tag_ for token in words]
        if any(token.pos for token in words):
            record["pos"] = [token.pos_ for token in words]
        records.append(record)
    return records


def tree_record(tree: Tree | None) -> dict[str, Any]:
    """A tree, as a part of a record."""
    brackets = [] if tree is None else tree.spans()
    return {
        "tree": None if tree is None else str(tree),
        "spans": [{"label": label, "start": start, "end": end} for label, start, end in brackets],
    }


def dependency_record(sentence: ParsedSentence) -> dict[str, Any]:
    """The dependencies of a sentence, as a part of its record."""
    place = {token.i: i for i, token in enumerate(sentence.words)}
    return {
        "heads": [place.get(token.head.i, i) for i, token in enumerate(sentence.words)],
        "deps": [token.dep_ for token in sentence.words],
    }


def _tag(token: Token) -> str:
    return token.tag_ or token.pos_ or UNKNOWN_TAG

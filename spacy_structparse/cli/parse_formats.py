"""The output formats of `spacy structparse parse`."""

from collections import Counter
from enum import Enum
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..corpora.given_columns import GIVEN
from ..corpora.json_lines import TEXT, record_of
from ..corpora.pipeline_outputs import HEADS, TREES, PipelineOutputs, conllu_of
from ..extensions.multiword import surface_text
from ..printable import json_text
from ..viz.latex import LATEX_SUFFIX
from ..viz.page import PAGE_SUFFIXES
from ..viz.sentence_records import (
    bracket_confidences,
    bracketed,
    confidence_records,
    dependency_record,
    rounded_known,
    sentence_records,
    tree_record,
)
from ..viz.sentences import ParsedSentence


class Format(str, Enum):
    """The formats of parses, by the names that the command line has for them."""

    conllu = "conllu"
    ptb = "ptb"
    json = "json"
    svg = "svg"
    latex = "latex"
    spacy = "spacy"
    terminal = "terminal"


_BY_SUFFIX = {
    ".conllu": Format.conllu,
    ".conll": Format.conllu,
    ".ptb": Format.ptb,
    ".mrg": Format.ptb,
    ".psd": Format.ptb,
    ".json": Format.json,
    ".jsonl": Format.json,
    ".spacy": Format.spacy,
    ".svg": Format.svg,
    LATEX_SUFFIX: Format.latex,
    **dict.fromkeys(PAGE_SUFFIXES, Format.svg),
}


class FormatError(ValueError):
    """A format that the pipeline cannot give."""


def format_by_suffix(output: Path) -> Format | None:
    """The format that the name of an output ends in; None if it says nothing."""
    return _BY_SUFFIX.get(output.suffix)


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
        return "".join(conllu_of(doc, str(number), gives, notes))
    if style is Format.ptb:
        return "".join(f"{bracketed(sentence)}\n" for sentence in sentences)
    records = sentence_records(doc, sentences)
    for record, sentence in zip(records, sentences, strict=True):
        if gives.trees:
            sure = bracket_confidences(sentence, gives.spans_key) if gives.confidence else []
            record |= tree_record(sentence.tree, sure)
        if gives.heads:
            record |= dependency_record(sentence)
    if gives.confidence:
        known = confidence_records(doc, sentences, heads=gives.heads)
        for record, of_sentence in zip(records, known, strict=True):
            record |= rounded_known(of_sentence)
    return json_line(doc, records, gives)


def json_line(doc: Doc, sentences: list[dict[str, Any]], gives: PipelineOutputs) -> str:
    """The line of a Doc with the records of its sentences."""
    record = {TEXT: surface_text(doc), **record_of(doc), "sentences": sentences}
    if GIVEN in doc.user_data:
        record["given"] = [
            name
            for name, column in (("tags", "XPOS"), ("pos", "UPOS"))
            if column not in gives.columns and any(name in sentence for sentence in sentences)
        ]
    return json_text(record) + "\n"

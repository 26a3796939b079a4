"""`spacy structparse parse --complete`: annotation that came in is kept, the rest is predicted."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup, Token

from ..brackets import TOP_LABEL
from ..corpora.conllu import parse_number
from ..corpora.conllu_columns import EMPTY, sentence_source
from ..corpora.conllu_writer import gold_columns
from ..corpora.pipeline_outputs import HEADS, TREES, PipelineOutputs, strip_predictions
from ..corpora.readers import BRACKETS, DEPENDENCIES, InputFormat
from ..corpora.report import PLACE, ConversionReport, Document, Problem
from ..errors import ConstraintError
from ..extensions.known_arcs import (
    forget_known_arcs,
    get_known_dep,
    get_known_head,
    keep_arcs,
    named,
    set_known_dep,
    set_known_head,
)
from ..pipeline.dependency import DependencyPipe
from ..pipeline.seq2seq_constituency import Seq2SeqConstituencyParser
from ..pipeline.tree_constraints import CONSTRAINTS_KEY
from ..trees.span_group import SPANS_KEY
from ..trees.words import sentences_of, words_of
from .loading import last_component
from .messages import msg
from .parse_inputs import Input

# The kinds of files with annotation that can be completed, and the parsers that do.
_PARSERS: dict[str, tuple[Sequence[InputFormat], type, str]] = {
    HEADS: (DEPENDENCIES, DependencyPipe, "spa_dep or stack_lstm_dep"),
    TREES: (BRACKETS, Seq2SeqConstituencyParser, "seq2seq_constituency with constrained = true"),
}


def check_completion(nlp: Language, outputs: PipelineOutputs, inputs: Iterable[Input]) -> None:
    """Check that a pipeline can complete the annotation of inputs.

    Raises:
        ValueError: Nothing is predicted. A parser keeps no constraints, or decodes without them.
            There is no parser for the annotation that all inputs of a kind have.
    """
    if outputs.gold:
        raise ValueError("--complete predicts, and --gold predicts nothing: leave out one")
    for attribute, (kinds, parser, needed) in _PARSERS.items():
        name = last_component(nlp, attribute)
        pipe = None if name is None else nlp.get_pipe(name)
        is_foreign = pipe is not None and not isinstance(pipe, parser)
        is_constrained = getattr(pipe, "constrained", pipe is not None)
        if is_foreign or (not is_constrained and any(kind in kinds for _, kind in inputs)):
            raise ValueError(f"--complete needs {needed}; the pipeline has {name or 'none'}")


def documents_to_parse(
    documents: Iterable[Document],
    report: ConversionReport,
    outputs: PipelineOutputs,
    columns: Sequence[str],
    complete: bool,
) -> Iterator[str | Doc]:
    """Put aside the annotation of documents, so that a pipeline predicts it anew.

    Args:
        documents: The documents.
        report: Lists those that are skipped, since they say two things of an arc.
        outputs: What the pipeline predicts.
        columns: The columns of CoNLL-U to keep beside the prediction.
        complete: Make the arcs and the brackets known that the pipeline predicts, so that it keeps
            them; see `forget_annotation`.
    """
    for place, source, is_annotated in documents:
        if isinstance(source, Doc) and is_annotated:
            try:
                if complete:
                    _keep_annotation(source, outputs)
                    source.user_data[PLACE] = tuple(place)
            except ConstraintError as error:
                report.skip(place, "constraints", str(error))
                continue
            if not outputs.gold:
                source = strip_predictions(source, outputs, columns)
        yield source


def _keep_annotation(doc: Doc, outputs: PipelineOutputs) -> None:
    if outputs.heads:
        keep_given_arcs(doc)
    if outputs.trees_key is not None:
        # Treebanks are read into the group of the default name.
        key = outputs.trees_key if outputs.trees_key in doc.spans else SPANS_KEY
        keep_given_brackets(doc, key, CONSTRAINTS_KEY)


def forget_annotation(doc: Doc, outputs: PipelineOutputs) -> None:
    """Remove known annotation from a parsed Doc, whose parse has it now."""
    doc.user_data.pop(PLACE, None)
    if outputs.heads:
        forget_known_arcs(doc)
    if outputs.trees_key is not None:
        doc.spans.pop(CONSTRAINTS_KEY, None)


def warn_of_conflicts(problems: Iterable[Problem], documents: int) -> None:
    """Warn of how many documents are left out for conflicts.

    Args:
        problems: All problems of the run.
        documents: The number of documents that were completed.

    Raises:
        ValueError: None was completed.
    """
    conflicts = sum(problem.is_conflict for problem in problems)
    message = (
        f"{conflicts} of {documents + conflicts} documents are left out, since no parse keeps "
        "their annotation"
    )
    if conflicts and not documents:
        raise ValueError(message)
    if conflicts:
        msg.warn(message)


class GivenArc(NamedTuple):
    """An arc of a Doc that came in with annotation, perhaps in part.

    Attributes:
        token: The dependent.
        head: Its head, itself for a root; None: unknown.
        label: Its label; None: unknown.
    """

    token: Token
    head: Token | None
    label: str | None


def keep_given_arcs(doc: Doc) -> None:
    """Make the arcs of a Doc known, in place, beside those that are known already.

    A Doc that was made of CoNLL-U has the arcs of its columns HEAD and DEPREL, each of which may be
    known without the other. Another Doc has those of `doc._.keep_arcs()`.

    Raises:
        ConstraintError: An arc is not the known one.
    """
    arcs = list(_given_arcs(doc))
    for arc in arcs:
        _check(arc)
    if not _has_columns(doc):
        if arcs:  # without any, the Doc would lose its sentence starts for nothing
            keep_arcs(doc)
        return
    for token, head, label in arcs:
        if head is not None:
            set_known_head(token, head)
        if label is not None:
            set_known_dep(token, label)


def keep_given_brackets(doc: Doc, spans_key: str, constraints_key: str) -> None:
    """Add the brackets of a Doc, in place, to those that are known already.

    Args:
        doc: The Doc.
        spans_key: The span group with its brackets. The wrapper around a sentence is none.
        constraints_key: The span group of known brackets.
    """
    if given := [span for span in doc.spans.get(spans_key, ()) if span.label_ != TOP_LABEL]:
        spans: list[Span] = [*doc.spans.get(constraints_key, ()), *given]
        doc.spans[constraints_key] = SpanGroup(doc, name=constraints_key, spans=spans)


def _has_columns(doc: Doc) -> bool:
    """Return True if the Doc has the lines of CoNLL-U of all of its sentences."""
    sentences = sentences_of(doc)
    return bool(sentences) and all(
        sentence_source(sentence, len(words_of(sentence))) is not None for sentence in sentences
    )


def _given_arcs(doc: Doc) -> Iterator[GivenArc]:
    """The arcs with a head or a label."""
    if not _has_columns(doc):
        for token in doc:
            if token.has_dep() and not token.is_space:
                yield GivenArc(token, token.head, token.dep_)
        return
    columns = gold_columns(doc, ("HEAD", "DEPREL"))
    for sentence in sentences_of(doc):
        words = words_of(sentence)
        for token in words:
            label = columns["DEPREL"][token.i]
            number = parse_number(columns["HEAD"][token.i])
            if number is not None or label not in (EMPTY, ""):
                head = None if number is None else words[number - 1] if number else token
                yield GivenArc(token, head, None if label in (EMPTY, "") else label)


def _check(arc: GivenArc) -> None:
    """Raise ConstraintError for an arc that differs from what is known of it."""
    token, head, label = arc
    try:
        known_head = get_known_head(token)
    except ValueError as error:
        raise ConstraintError(str(error)) from error
    known_label = get_known_dep(token)
    for kind, given, known in (
        ("head", head and named(head), known_head and named(known_head)),
        ("label", label and repr(label), known_label and repr(known_label)),
    ):
        if given is not None and known is not None and given != known:
            raise ConstraintError(
                f"the {kind} of {named(token)} is {given}, and its known {kind} is {known}. "
                "Remove one of them"
            )

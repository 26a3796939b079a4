"""`spacy structparse parse --complete`: annotation that came in is kept, the rest is predicted."""

from collections.abc import Iterable, Iterator, Sequence

from spacy.language import Language
from spacy.tokens import Doc

from ..corpora.known_annotation import keep_given_arcs, keep_given_brackets
from ..corpora.pipeline_outputs import HEADS, TREES, PipelineOutputs, strip_predictions
from ..corpora.readers import BRACKETS, DEPENDENCIES, InputFormat
from ..corpora.report import PLACE, ConversionReport, Document, Problem
from ..errors import ConstraintError
from ..extensions.known_arcs import forget_known_arcs
from ..pipeline.dependency import DependencyPipe
from ..pipeline.seq2seq_constituency import Seq2SeqConstituencyParser
from ..pipeline.tree_constraints import CONSTRAINTS_KEY
from ..trees.span_group import SPANS_KEY
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

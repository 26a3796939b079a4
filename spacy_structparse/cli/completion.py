"""`spacy structparse parse --complete`: annotation that came in is kept, the rest is predicted."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from ..corpora.known_annotation import (
    has_given_arcs,
    has_given_brackets,
    keep_given_arcs,
    keep_given_brackets,
)
from ..corpora.pipeline_outputs import HEADS, TREES, PipelineOutputs, strip_predictions
from ..corpora.readers import BRACKETS, DEPENDENCIES, InputFormat
from ..corpora.report import PLACE, ConversionReport, Document, Place, Problem
from ..errors import ConstraintError
from ..extensions.known_arcs import forget_known_arcs
from ..pipeline.dependency import DependencyPipe
from ..pipeline.seq2seq_constituency import Seq2SeqConstituencyParser
from ..pipeline.tree_constraints import CONSTRAINTS_KEY
from ..trees.span_group import SPANS_KEY
from .loading import last_component
from .messages import msg
from .parse_inputs import Input


class _Layer(NamedTuple):
    """Annotation that can be completed, the kinds of files with it, and the parsers that do."""

    annotation: str
    kinds: tuple[InputFormat, ...]
    parser: type
    names: str


_LAYERS = {
    HEADS: _Layer("heads and labels", DEPENDENCIES, DependencyPipe, "spa_dep or stack_lstm_dep"),
    TREES: _Layer("brackets", BRACKETS, Seq2SeqConstituencyParser, "seq2seq_constituency"),
}


@dataclass(frozen=True)
class Completion:
    """The annotation of the inputs that a pipeline keeps.

    Attributes:
        arcs: Heads and labels.
        trees_key: The span group with the brackets; None if the pipeline predicts no trees.
        unused: The number of Docs with annotation of a layer that the pipeline does not predict:
            `HEADS` or `TREES`.
    """

    arcs: bool
    trees_key: str | None
    unused: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, nlp: Language, outputs: PipelineOutputs, inputs: Iterable[Input]) -> "Completion":
        """Find the annotation of inputs that a pipeline keeps.

        Raises:
            ValueError: Nothing is predicted. A parser keeps no constraints, or decodes without
                them. There is no parser for the annotation that all inputs of a kind have.
        """
        if outputs.gold:
            raise ValueError("--complete predicts, and --gold predicts nothing: leave out one")
        for attribute, layer in _LAYERS.items():
            name = last_component(nlp, attribute)
            pipe = None if name is None else nlp.get_pipe(name)
            if pipe is not None and not isinstance(pipe, layer.parser):
                raise ValueError(f"--complete: '{name}' keeps no annotation, {layer.names} does")
            source = next((source for source, kind in inputs if kind in layer.kinds), None)
            if source is not None and pipe is None:
                raise ValueError(
                    f"--complete: {source} has {layer.annotation}, and the pipeline has no "
                    f"{layer.names}"
                )
            if source is not None and not getattr(pipe, "constrained", True):
                raise ValueError(
                    f"--complete: '{name}' keeps no brackets: set constrained = true in its model"
                )
        return cls(outputs.heads, outputs.trees_key)

    def prepare(self, doc: Doc, place: Place, report: ConversionReport) -> bool:
        """Make the annotation of a Doc known, for the pipeline to keep.

        Return whether it says one thing of each arc; otherwise it is skipped in the report.
        """
        doc.user_data[PLACE] = tuple(place)
        try:
            if self.arcs:
                keep_given_arcs(doc)
            elif has_given_arcs(doc):
                self.unused[HEADS] += 1
        except ConstraintError as error:
            report.skip(place, "constraints", str(error))
            return False
        if self.trees_key is None:
            self.unused[TREES] += has_given_brackets(doc, SPANS_KEY, CONSTRAINTS_KEY)
        else:
            # Treebanks are read into the group of the default name.
            key = self.trees_key if self.trees_key in doc.spans else SPANS_KEY
            keep_given_brackets(doc, key, CONSTRAINTS_KEY)
        return True

    def finish(self, doc: Doc) -> None:
        """Remove known annotation from a parsed Doc, whose parse has it now."""
        doc.user_data.pop(PLACE, None)
        if self.arcs:
            forget_known_arcs(doc)
        if self.trees_key is not None:
            doc.spans.pop(CONSTRAINTS_KEY, None)

    def warn_of_unused(self) -> None:
        """Warn of how many Docs have annotation that is not completed."""
        for attribute, number in self.unused.items():
            if number:
                layer = _LAYERS[attribute]
                msg.warn(
                    f"{number} documents have {layer.annotation} that are not completed, since "
                    f"the pipeline has no {layer.names}"
                )


def documents_to_parse(
    documents: Iterable[Document],
    report: ConversionReport,
    outputs: PipelineOutputs,
    columns: Sequence[str],
    completion: Completion | None,
) -> Iterator[str | Doc]:
    """Put aside the annotation of documents, so that a pipeline predicts it anew.

    Args:
        documents: The documents.
        report: Lists those that are skipped.
        outputs: What the pipeline predicts.
        columns: The columns of CoNLL-U to keep beside the prediction.
        completion: The annotation to keep in the prediction; None: none.
    """
    for place, source, is_annotated in documents:
        if isinstance(source, Doc) and is_annotated:
            if completion and not completion.prepare(source, place, report):
                continue
            if not outputs.gold:
                source = strip_predictions(source, outputs, columns)
        yield source


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

"""The pipelines that are compared, and whether they can be."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spacy.language import Language

from ...corpora.pipeline_outputs import HEADS, TREES, PipelineOutputs
from ...trees.span_group import SPANS_KEY
from .agreement import Agreement, Rule

COMMON = 0.8
"""The least share of the labels of the parser with fewer of them that the other has too."""
_ASSIGNED = {
    Agreement.trees: TREES,
    Agreement.dependencies: HEADS,
    Agreement.unlabelled: HEADS,
}


class SilverError(ValueError):
    """Silver data that cannot be made as asked."""


@dataclass(frozen=True)
class Parser:
    """A pipeline that parses.

    Attributes:
        name: What it is called in the report.
        nlp: The pipeline.
        spans_key: The span group with its trees.
    """

    name: str
    nlp: Language
    spans_key: str = SPANS_KEY

    @classmethod
    def of(cls, name: str, nlp: Language) -> "Parser":
        """A pipeline with the span group that its last constituency parser writes."""
        return cls(name, nlp, PipelineOutputs.of(nlp).spans_key)


def choose_rule(
    parsers: Sequence[Parser],
    agree: Agreement | None,
    share: float | None,
    confidence: float | None,
) -> Rule:
    """The rule of which sentences are taken.

    Args:
        parsers: The pipelines.
        agree: What is compared. None: trees where all of them write trees, otherwise dependencies.
        share: The least share that is the same. None: all of it.
        confidence: The least parse confidence of the first parser, if it counts.

    Raises:
        SilverError: The parsers cannot be compared like this.
    """
    if len(parsers) == 1:
        if agree is not None or share is not None:
            raise SilverError(
                "--agree and --share compare parsers, and there is one: name another by --models"
            )
        return Rule(None, confidence=confidence)
    if agree is None:
        trees = all(_components(parser.nlp, TREES) for parser in parsers)
        agree = Agreement.trees if trees else Agreement.dependencies
    for parser in parsers:
        if not _components(parser.nlp, _ASSIGNED[agree]):
            kind = "trees" if agree is Agreement.trees else "dependencies"
            raise SilverError(
                f"parses are compared by their {kind}, and {parser.name} writes none. It has: "
                f"{', '.join(parser.nlp.pipe_names) or 'no components'}"
            )
    for other in parsers[1:]:
        _check_schemes(parsers[0], other, _ASSIGNED[agree])
    return Rule(agree, 1.0 if share is None else share, confidence)


def _check_schemes(first: Parser, other: Parser, assigned: str) -> None:
    """Raise SilverError where the labels of two parsers are plainly of different schemes.

    Of two treebanks of one scheme the smaller one lacks rare labels, so the labels of the parser
    with fewer are nearly all among the other's.
    """
    labels = _labels(first.nlp, assigned), _labels(other.nlp, assigned)
    fewest = min(map(len, labels))
    if not fewest or len(labels[0] & labels[1]) >= COMMON * fewest:
        return
    only = [sorted(one - two)[:8] for one, two in (labels, labels[::-1])]
    raise SilverError(
        f"{first.name} and {other.name} have different labels, so they would never agree. Only the "
        f"first has {', '.join(only[0])}, only the second {', '.join(only[1])}. Train both on "
        "treebanks of one scheme"
    )


def _labels(nlp: Language, assigned: str) -> frozenset[str]:
    """The labels of the last parser, without the root's and those of lifted arcs, `a||b`."""
    names = _components(nlp, assigned)
    pipe: Any = nlp.get_pipe(names[-1])
    labels = {label.partition("||")[0] for label in getattr(pipe, "labels", ())}
    return frozenset(label for label in labels if label.lower() != "root")


def _components(nlp: Language, assigned: str) -> list[str]:
    return [name for name in nlp.pipe_names if assigned in nlp.get_pipe_meta(name).assigns]

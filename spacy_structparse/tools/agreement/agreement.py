"""The parsers that are compared, and when their parses of a sentence agree."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from spacy.language import Language
from spacy.tokens import Doc

from ...corpora.pipeline_outputs import PipelineOutputs
from ...trees.span_group import SPANS_KEY, get_brackets
from ...trees.words import words_of

Agreement = Literal["trees", "dependencies", "unlabelled"]
"""The parts of a parse that are compared, as the command line names them."""


@dataclass(frozen=True)
class Parser:
    """A pipeline that parses.

    Attributes:
        name: Its name in messages.
        nlp: The pipeline.
    """

    name: str
    nlp: Language

    @property
    def outputs(self) -> PipelineOutputs:
        """The annotation that the pipeline writes."""
        return PipelineOutputs.of(self.nlp)


@dataclass(frozen=True)
class Rule:
    """Which sentences become silver data. All that is asked for must hold.

    Attributes:
        agree: What of the parses is compared. None: nothing, there is one parser.
        share: The least share of it that is the same: bracket F1 of trees, LAS of dependencies, UAS
            without their labels, each 0 to 1. With 1 the parses are equal, unary chains too.
        confidence: The least parse confidence of the first parser, 0 to 1. None: it is not asked.
    """

    agree: Agreement | None = None
    share: float = 1.0
    confidence: float | None = None

    def holds(self, first: Doc, other: Doc, keys: tuple[str, str] = (SPANS_KEY, SPANS_KEY)) -> bool:
        """Return whether two parses of a sentence agree.

        Args:
            first: The parse of the first parser, a Doc of one sentence.
            other: That of another one, over the same tokens.
            keys: The span groups that their trees are in.

        Raises:
            ValueError: The tokens differ: a component has split or merged some.
        """
        if [token.orth_ for token in first] != [token.orth_ for token in other]:
            raise ValueError("the parsers have different tokens: a component splits or merges some")
        if self.agree is None:
            return True
        parts, other_parts = (
            _parts(doc, self.agree, key) for doc, key in zip((first, other), keys, strict=True)
        )
        if not parts or not other_parts:
            return False
        if self.share >= 1:
            return parts == other_parts
        # The F1 of the parts. Of arcs it is the share of words: each has one in both parses.
        same = (Counter(parts) & Counter(other_parts)).total()
        return 2 * same / (len(parts) + len(other_parts)) >= self.share


def _parts(doc: Doc, agree: Agreement, spans_key: str) -> Sequence[Any]:
    """The brackets, or the arcs, of a sentence. No brackets where it has no tree."""
    if agree == "trees":
        return get_brackets(doc, spans_key) or []
    labelled = agree == "dependencies"
    return [(token.i, token.head.i, token.dep_ if labelled else "") for token in words_of(doc)]


def choose_rule(
    parsers: Sequence[Parser],
    agree: Agreement | None,
    share: float | None,
    confidence: float | None,
) -> Rule:
    """Choose which sentences are taken.

    Args:
        parsers: The pipelines.
        agree: What is compared. None: trees where all of them write trees, otherwise dependencies.
        share: The least share that is the same. None: all of it.
        confidence: The least parse confidence of the first parser, if it counts.

    Raises:
        ValueError: The parsers cannot be compared like this.
    """
    if len(parsers) == 1:
        if agree is not None or share is not None:
            raise ValueError(
                "--agree and --share compare parsers, and there is one: name another by --models"
            )
        return Rule(None, confidence=confidence)
    if agree is None:
        agree = "trees" if all(parser.outputs.trees for parser in parsers) else "dependencies"
    for parser in parsers:
        kind = "trees" if agree == "trees" else "dependencies"
        if not (parser.outputs.trees if agree == "trees" else parser.outputs.heads):
            raise ValueError(
                f"parses are compared by their {kind}, and {parser.name} writes none. It has: "
                f"{', '.join(parser.nlp.pipe_names) or 'no components'}"
            )
    return Rule(agree, 1.0 if share is None else share, confidence)

"""Search for constructions in the trees of a parsed text."""

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from ...printable import printable
from ...trees import TreeAlignmentError
from ...viz.sentences import ParsedSentence
from .parsing import Parse

MAX_SHOWN = 100
# A tool that may have been removed.
search: Any = import_module("spacy_structparse.tools.search")
commands: Any = import_module("spacy_structparse.tools.search.commands")
ERRORS = (
    search.PatternError,
    search.SearchLimitError,
    search.MissingTreesError,
    TreeAlignmentError,
)
"""What `find` raises: the message of each is for the reader."""


@dataclass(frozen=True)
class Finding:
    """A match on one line.

    Attributes:
        sentence: The number of its sentence, from 0.
        left, match, right: The words of the sentence before it, its own, and those after it.
        named: The named nodes with their words.
    """

    sentence: int
    left: str
    match: str
    right: str
    named: str


@dataclass(frozen=True)
class Findings:
    """The matches of a pattern.

    Attributes:
        n: Their number.
        shown: The first of them.
        nodes: For the number of a sentence, the matched nodes: (label, first token, after the
            last).
    """

    n: int
    shown: list[Finding]
    nodes: dict[int, set[tuple[str, int, int]]] = field(default_factory=dict)

    def marked(self, number: int, sentence: ParsedSentence) -> set[int]:
        """The places, in pre-order, of the matched nodes in a sentence's tree."""
        matched = self.nodes.get(number, set())
        if sentence.tree is None or not matched:
            return set()
        words = sentence.words
        brackets = iter(sentence.tree.spans())
        found = set()
        n_words = 0
        for place, node in enumerate(sentence.tree):
            if node.word is not None:
                # The span of a tag, and that of a word, has no bracket of its own.
                start = words[n_words].i
                keys = {(label, start, start + 1) for label in (node.label, "")}
                n_words += 1
            else:
                label, first, after = next(brackets)
                keys = {(label, words[first].i, words[after - 1].i + 1)}
            if keys & matched:
                found.add(place)
        return found


def find(parse: Parse, pattern: str, root: str | None = "ROOT") -> Findings:
    """Find the matches of a Tregex pattern.

    Args:
        parse: The parsed text.
        pattern: The pattern.
        root: The label of the node above every tree.

    Raises:
        PatternError: The pattern cannot be read. The message has the column.
        MissingTreesError: There are no trees.
        SearchLimitError: The search takes too long.
        TreeAlignmentError: The trees do not fit the tokens.
    """
    matcher = search.TreeMatcher(parse.doc.vocab, spans_key=parse.gives.spans_key, root=root)
    matcher.add("pattern", [pattern])
    sentence_of = {
        token.i: number
        for number, sentence in enumerate(parse.sentences)
        for token in sentence.words
    }
    findings: list[Finding] = []
    nodes: dict[int, set[tuple[str, int, int]]] = {}
    matches = matcher(parse.doc)
    for place, match in enumerate(matches):
        span = match.span
        number = sentence_of[span.start]
        nodes.setdefault(number, set()).add((span.label_, span.start, span.end))
        if place < MAX_SHOWN:
            hit = commands.queries.Hit("", 1, span, match.nodes, True)
            left, inside, right = map(printable, commands.formats.context(hit))
            named = ", ".join(
                printable(f"{name} = {' '.join(node.text.split())}")
                for name, node in match.nodes.items()
            )
            findings.append(Finding(number, left, inside, right, named))
    return Findings(len(matches), findings, nodes)

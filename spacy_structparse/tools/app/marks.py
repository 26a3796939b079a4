"""The marked parts of parses: where two of one text differ, and what a pattern finds.

Arcs and constituents are compared by their characters in the text, so that two pipelines may cut it
into other tokens and sentences.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from spacy.tokens import Span

from ...extensions.multiword import surface_offsets
from ...printable import printable
from ...viz.sentences import ParsedSentence, head_places
from .parsing import Parse

Limits = tuple[int, int]


class Facts(NamedTuple):
    """What a parse says.

    Attributes:
        arcs: (dependent, head or None, label), how often.
        nodes: (label, limits) of constituents and of tags, how often.
    """

    arcs: Counter[tuple[Limits, Limits | None, str]]
    nodes: Counter[tuple[str, Limits]]


def facts_of(parse: Parse) -> Facts:
    """What a parse says of the whole text."""
    arcs: Counter[tuple[Limits, Limits | None, str]] = Counter()
    nodes: Counter[tuple[str, Limits]] = Counter()
    for sentence in parse.sentences:
        arcs.update(_arcs(sentence, parse.offsets))
        nodes.update(nodes_of(sentence, parse.offsets))
    return Facts(arcs, nodes)


def differing_arcs(sentence: ParsedSentence, other: Facts) -> set[int]:
    """The places of the words whose head or label is another one in the other parse."""
    arcs = _arcs(sentence, surface_offsets(sentence.span.doc))
    return {place for place, arc in enumerate(arcs) if not other.arcs[arc]}


def differing_nodes(sentence: ParsedSentence, other: Facts) -> set[int]:
    """The places, in pre-order, of the constituents and tags that the other parse does not have.

    Of several equal ones in a unary chain the innermost differ.
    """
    found = set()
    seen: Counter[tuple[str, Limits]] = Counter()
    for place, node in enumerate(nodes_of(sentence, surface_offsets(sentence.span.doc))):
        seen[node] += 1
        if seen[node] > other.nodes[node]:
            found.add(place)
    return found


def _arcs(
    sentence: ParsedSentence, offsets: Sequence[Limits]
) -> list[tuple[Limits, Limits | None, str]]:
    limits = [offsets[token.i] for token in sentence.words]
    heads = head_places(sentence.words)
    return [
        (limits[i], limits[head] if head != i else None, token.dep_)
        for i, (token, head) in enumerate(zip(sentence.words, heads, strict=True))
    ]


def nodes_of(sentence: ParsedSentence, offsets: Sequence[Limits]) -> list[tuple[str, Limits]]:
    """The label and the limits of every node of the tree, in pre-order.

    Args:
        sentence: The sentence.
        offsets: The limits of every token of its Doc.
    """
    if sentence.tree is None:
        return []
    limits = [offsets[token.i] for token in sentence.words]
    brackets = iter(sentence.tree.spans())
    found = []
    n_words = 0
    for node in sentence.tree:
        if node.word is not None:
            found.append((node.label, limits[n_words]))
            n_words += 1
        else:
            _, start, end = next(brackets)
            found.append((node.label, _joined(limits[start:end])))
    return found


def _joined(limits: Sequence[Limits]) -> Limits:
    return limits[0][0], limits[-1][1]


MAX_SHOWN = 100
SEARCH = "spacy_structparse.tools.search"
HAS_SEARCH = find_spec(SEARCH) is not None
"""Whether the tool is there: it may have been removed."""


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
        ValueError: The pattern cannot be read, and the message has the column; or there are no
            trees, or they do not fit the tokens.
        RuntimeError: The search takes too long.
    """
    search: Any = import_module(SEARCH)
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
            whole = parse.sentences[number].span
            before = parse.doc[whole.start : span.start]
            after = parse.doc[span.end : whole.end]
            named = ", ".join(f"{name} = {_line(node)}" for name, node in match.nodes.items())
            left, inside, right = map(_line, (before, span, after))
            findings.append(Finding(number, left, inside, right, printable(named)))
    return Findings(len(matches), findings, nodes)


def _line(span: Span) -> str:
    return printable(" ".join(span.text.split()))

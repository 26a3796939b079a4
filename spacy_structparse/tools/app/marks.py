"""The marked parts of parses: where two of one text differ, and what a pattern finds.

Arcs and constituents are compared by their characters in the text, so that two pipelines may cut it
into other tokens and sentences.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from spacy.tokens import Span

from ...escaping import escape_control
from ...extensions.multiword import surface_offsets
from ...viz.sentences import ParsedSentence, head_places
from .parsing import Parse

Limits = tuple[int, int]


class Facts(NamedTuple):
    """The statements of a parse.

    Attributes:
        arcs: (dependent, head or None, label), how often.
        nodes: (label, limits) of constituents and of tags, how often.
    """

    arcs: Counter[tuple[Limits, Limits | None, str]]
    nodes: Counter[tuple[str, Limits]]


def facts_of(parse: Parse) -> Facts:
    """The statements of a parse about the whole text."""
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


def different_nodes(sentence: ParsedSentence, other: ParsedSentence) -> set[int]:
    """The places, in pre-order, of the nodes that another tree of the same words does not have."""
    offsets = surface_offsets(other.span.doc)
    return differing_nodes(sentence, Facts(Counter(), Counter(nodes_of(other, offsets))))


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
"""True if the tool is there: it may have been removed."""


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
        nodes: The label and the limits of the matched nodes; a word has no label.
    """

    n: int
    shown: list[Finding]
    nodes: set[tuple[str, Limits]]

    def marked(self, sentence: ParsedSentence) -> set[int]:
        """The places, in pre-order, of the matched nodes in a sentence's tree."""
        nodes = nodes_of(sentence, surface_offsets(sentence.span.doc))
        return {
            place
            for place, (node, (label, limits)) in enumerate(
                zip(sentence.tree or (), nodes, strict=True)
            )
            if (label, limits) in self.nodes
            or (node.word is not None and ("", limits) in self.nodes)
        }


def find(parse: Parse, pattern: str) -> Findings:
    """Find the matches of a Tregex pattern.

    Args:
        parse: The parsed text.
        pattern: The pattern.

    Raises:
        ValueError: The pattern cannot be read, and the message has the column; or there are no
            trees, or they do not fit the tokens.
        RuntimeError: The search takes too long.
    """
    search: Any = import_module(SEARCH)
    matcher = search.TreeMatcher(parse.doc.vocab, spans_key=parse.outputs.spans_key)
    matcher.add("pattern", [pattern])
    sentence_of = {
        token.i: number
        for number, sentence in enumerate(parse.sentences)
        for token in sentence.words
    }
    findings: list[Finding] = []
    matches = matcher(parse.doc)
    for match in matches[:MAX_SHOWN]:
        span = match.span
        number = sentence_of[span.start]
        whole = parse.sentences[number].span
        before = parse.doc[whole.start : span.start]
        after = parse.doc[span.end : whole.end]
        named = ", ".join(f"{name} = {_line(node)}" for name, node in match.nodes.items())
        left, inside, right = map(_line, (before, span, after))
        findings.append(Finding(number, left, inside, right, escape_control(named)))
    spans = [match.span for match in matches]
    nodes = {(span.label_, _joined(parse.offsets[span.start : span.end])) for span in spans}
    return Findings(len(matches), findings, nodes)


def _line(span: Span) -> str:
    return escape_control(" ".join(span.text.split()))

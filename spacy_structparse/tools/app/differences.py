"""Where two parses of one text differ.

Arcs and constituents are compared by their characters in the text, so that two pipelines may cut it
into other tokens and sentences.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ...extensions.multiword import surface_offsets
from ...viz.dependency_table import head_places
from ...viz.sentences import ParsedSentence
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

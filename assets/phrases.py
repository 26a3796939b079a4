"""Phrase nodes with parents, and the content head of each phrase.

Heads are *content* heads, as Stanford-style dependencies want them: the main verb rather than the
auxiliary, the clause rather than its complementizer, the preposition rather than its noun phrase,
the first conjunct rather than the conjunction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

PUNCT_TAGS = frozenset({",", ".", ":", "``", "''", "-LRB-", "-RRB-", "HYPH"})
NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS"})
VERB_TAGS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
AUX_TAGS = VERB_TAGS | {"MD", "TO"}
CLAUSES = frozenset({"S", "SQ", "SINV", "SBARQ"})

_INDEX = re.compile(r"[-=](\d+)$")


@dataclass(eq=False)
class Node:
    """A phrase, or a preterminal where ``form`` is set; ``i`` numbers the overt tokens from 1."""

    label: str
    functions: frozenset[str] = frozenset()
    index: str = ""
    form: str = ""
    i: int = 0
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def is_token(self) -> bool:
        return bool(self.form)

    @property
    def overt(self) -> list[Node]:
        """The children that have at least one overt token."""
        return [child for child in self.children if not child.is_empty]

    @property
    def is_empty(self) -> bool:
        if self.is_token:
            return self.label == "-NONE-"
        return all(child.is_empty for child in self.children)

    def tokens(self) -> Iterator[Node]:
        if self.is_token:
            if not self.is_empty:
                yield self
        else:
            for child in self.children:
                yield from child.tokens()

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.walk()


def split_label(label: str) -> tuple[str, frozenset[str], str]:
    """``NP-SBJ-1`` as category, function tags and index."""
    if label.startswith("-"):
        return label, frozenset(), ""
    index = _INDEX.search(label)
    if index:
        label = label[: index.start()]
    category, *functions = re.split(r"[-=]", label)
    return category, frozenset(functions), index[1] if index else ""


def conjuncts(node: Node) -> list[list[Node]]:
    """The conjuncts of a coordination, each with the siblings that belong to it, or ``[]``.

    Conjuncts are the children of the phrase's own kind where there are two of them, and otherwise
    what stands between conjunctions and commas, as in ``(NP (NN wood) (CC and) (NN stone))``.
    """
    children = node.overt
    links = [i for i, c in enumerate(children) if i and c.label in ("CC", "CONJP")]
    if not links:
        return []
    kinds = CLAUSES if node.label in CLAUSES else {node.label}
    if node.label in ("UCP", "FRAG"):
        kinds = {"NP", "PP", "VP", "ADJP", "ADVP", "SBAR", "INTJ", *CLAUSES}
    like = [c for c in children if c.label in kinds and not is_possessive(c)]
    if len(like) > 1 and any(children.index(like[0]) < i for i in links):
        return [[c] for c in like]
    groups: list[list[Node]] = [[]]
    last = links[-1]
    for i, child in enumerate(children):
        separates = child.label in ("CC", "CONJP") or (child.label in (",", ":") and i < last)
        if separates and groups[-1]:
            groups.append([])
        elif not separates and child.label not in PUNCT_TAGS:
            groups[-1].append(child)
    groups = [group for group in groups if group]
    return groups if len(groups) > 1 else []


def is_possessive(node: Node) -> bool:
    return bool(node.overt) and node.overt[-1].label == "POS"


def _last(nodes: list[Node], labels: frozenset[str] | set[str]) -> Node | None:
    return next((n for n in reversed(nodes) if n.label in labels), None)


def _first(nodes: list[Node], *label_sets: frozenset[str] | set[str]) -> Node | None:
    for labels in label_sets:
        found = next((n for n in nodes if n.label in labels), None)
        if found:
            return found
    return None


def _clause_head(nodes: list[Node]) -> Node | None:
    predicate = next((n for n in nodes if "PRD" in n.functions), None)
    free = [n for n in nodes if not n.functions & {"SBJ", "ADV", "TMP", "PRP", "TPC", "VOC"}]
    return (
        _first(nodes, {"VP"})
        or _last([n for n in nodes if n.is_token], VERB_TAGS | {"MD"})
        or predicate
        or _first(free, CLAUSES)
        or _first(nodes, {"NP"}, {"SBAR"}, {"ADJP", "PP", "ADVP"})
    )


def _noun_head(nodes: list[Node]) -> Node | None:
    before = []
    for n in nodes:
        if n.label in ("PP", "SBAR", "VP", "S", "PRN") and _last(before, NOUN_TAGS):
            break
        before.append(n)
    inner = [n for n in nodes if not is_possessive(n) and not n.functions & {"TMP", "ADV", "VOC"}]
    return (
        _last(before, NOUN_TAGS)
        or _last(nodes, {"NML", "NX"})
        or _first(inner, {"NP", "WHNP"})
        or _first(nodes, {"PRP", "EX", "WP"})
        or _last(nodes, {"CD", "QP"})
        or _last(nodes, {"JJ", "JJR", "JJS", "ADJP", "VBN", "VBG"})
        or _first(nodes, {"DT", "WDT", "PRP$", "WP$"}, {"RB", "ADVP"}, {"S", "SBAR"})
    )


def head_child(node: Node, among: list[Node] | None = None) -> Node:
    """The overt child that carries the phrase's content head (of ``among``, if given)."""
    nodes = node.overt if among is None else among
    if among is None:
        groups = conjuncts(node)
        if groups:
            return head_child(node, groups[0])
    solid = [n for n in nodes if n.label not in PUNCT_TAGS] or nodes
    if len(solid) == 1:
        return solid[0]
    kind = node.label
    adjectives = {"JJ", "JJR", "JJS", "VBN", "VBG"}
    adverbs = {"RB", "RBR", "RBS", "WRB", "RP"}
    found: Node | None = None
    if kind in CLAUSES:
        found = _first(solid, {"SQ"}) if kind == "SBARQ" else None
        found = found or _clause_head(solid)
    elif kind == "SBAR":
        found = _first(solid, CLAUSES, {"SBAR"}, {"FRAG", "ADJP", "PP", "VP"})
    elif kind == "VP":
        found = _first(solid, {"VP"}) or _first(solid, VERB_TAGS, {"MD", "TO"})
    elif kind in ("NP", "WHNP", "NML", "NX"):
        found = _noun_head(solid)
        if kind == "NML" and found is None:
            found = solid[-1]
    elif kind in ("PP", "WHPP"):
        found = _first(solid, {"IN", "TO"}, {"VBG", "VBN"}, {"PP"}, {"RP", "JJ", "RB"})
    elif kind in ("ADJP", "WHADJP"):
        found = _last(solid, adjectives) or _first(solid, {"ADJP"}) or _last(solid, {"CD", "QP"})
        found = found or _last(solid, NOUN_TAGS) or _last(solid, adverbs)
    elif kind in ("ADVP", "WHADVP"):
        found = _last(solid, adverbs) or _first(solid, {"ADVP"}) or _last(solid, {"IN"})
    elif kind == "QP":
        found = _last(solid, {"CD"}) or _last(solid, NOUN_TAGS) or _last(solid, adjectives)
    elif kind == "CONJP":
        found = _first(solid, {"CC"}, {"IN"}) or solid[-1]
    elif kind == "FRAG":
        phrases = [n for n in solid if not n.is_token and "VOC" not in n.functions]
        found = next((n for n in phrases if n.label != "INTJ"), None)
    return found or solid[0]


def head_token(node: Node) -> Node:
    """The overt token that heads the phrase."""
    while not node.is_token:
        node = head_child(node)
    return node

"""Head-finding rules.

The rules are those of Collins' dissertation ("Head-Driven Statistical Models for Natural Language
Parsing", University of Pennsylvania, 1999, appendix A). Each label has an order of preference over
the labels of the children and an end from which to search. Noun phrases have a rule of their own,
and coordination has a correction. Labels are compared without function tags and indices. Added to
these rules:

* `NML` and `NX` follow the rule for `NP`, and count where that rule looks for an `NP`;
* every label without a rule (`X`, `TITLE`, `HEADING`, `CAPTION`, `CIT`, `TOP`, `ROOT`, the empty
  label) prefers a clause to a verb phrase to a noun phrase among its children, the first of
  equals; without any of them its head is the rightmost child;
* traces and punctuation are heads only of brackets that hold nothing else.
"""

from collections.abc import Sequence
from typing import Literal

from .node import EMPTY_TAG
from .transform import base_label
from .tree import Tree

End = Literal["left", "right"]

PUNCTUATION_TAGS = frozenset({",", ".", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP"})

HEAD_RULES: dict[str, tuple[End, str]] = {
    "ADJP": ("left", "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"),
    "ADVP": ("right", "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
    "CONJP": ("right", "CC RB IN"),
    "FRAG": ("right", ""),
    "INTJ": ("left", ""),
    "LST": ("right", "LS :"),
    "NAC": ("left", "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
    "PP": ("right", "IN TO VBG VBN RP FW"),
    "PRN": ("left", ""),
    "PRT": ("right", "RP"),
    "QP": ("left", "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),
    "RRC": ("right", "VP NP ADVP ADJP PP"),
    "S": ("left", "TO IN VP S SBAR ADJP UCP NP"),
    "SBAR": ("left", "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
    "SBARQ": ("left", "SQ S SINV SBARQ FRAG"),
    "SINV": ("left", "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
    "SQ": ("left", "VBZ VBD VBP VB MD VP SQ"),
    "UCP": ("right", ""),
    "VP": ("left", "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),
    "WHADJP": ("left", "CC WRB JJ ADJP"),
    "WHADVP": ("right", "CC WRB"),
    "WHNP": ("left", "WDT WP WP$ WHADJP WHPP WHNP"),
    "WHPP": ("right", "IN TO FW"),
}
"""For each label the end to search from and the children's labels in order of preference."""

FALLBACK = ("S", "SINV", "SQ", "SBARQ", "SBAR", "VP", "NP", "NML", "NX")
"""The children that every label without a rule prefers."""

_NOUN_PHRASES = ("NP", "NML", "NX")

Step = tuple[End, frozenset[str]]
"""An end to search from, and the labels to look for."""


def _one_by_one(end: End, labels: str) -> list[Step]:
    return [(end, frozenset({label})) for label in labels.split()]


# For each label the end whose child is the head where no step finds one, and the steps.
_STEPS: dict[str, tuple[End, list[Step]]] = {
    **{label: (end, _one_by_one(end, order)) for label, (end, order) in HEAD_RULES.items()},
    **dict.fromkeys(
        _NOUN_PHRASES,
        (
            "right",
            [
                ("right", frozenset("NN NNP NNPS NNS NX NML POS JJR".split())),
                ("left", frozenset({"NP"})),
                ("right", frozenset("$ ADJP PRN".split())),
                ("right", frozenset({"CD"})),
                ("right", frozenset("JJ JJS RB QP".split())),
            ],
        ),
    ),
}
_FALLBACK_STEPS: tuple[End, list[Step]] = "right", _one_by_one("left", " ".join(FALLBACK))


def find_head(tree: Tree) -> int:
    """Find the index of the head child of a bracket.

    Raises:
        ValueError: The tree is a preterminal, which is its own head.
    """
    if tree.word is not None:
        raise ValueError(f"a preterminal has no head child: {tree}")
    empty = [
        all(node.word is None or node.label == EMPTY_TAG for node in child)
        for child in tree.children
    ]
    return head_child(tree.label, [child.label for child in tree.children], empty)


def head_child(label: str, children: Sequence[str], empty: Sequence[bool] | None = None) -> int:
    """Find the place of the head child by labels alone.

    Args:
        label: The label of the bracket.
        children: The labels of its children, of preterminals their tags; at least one.
        empty: Whether each child has no words but traces; None: no child is empty.
    """
    candidates = [
        place
        for place, child in enumerate(children)
        if not (empty and empty[place]) and child not in PUNCTUATION_TAGS
    ]
    if not candidates:
        return len(children) - 1
    label = base_label(label)
    labels = [base_label(child) for child in children]
    if label in _NOUN_PHRASES and labels[candidates[-1]] == "POS":
        head = candidates[-1]
    else:
        head = _search(*_STEPS.get(label, _FALLBACK_STEPS), labels, candidates)
    # Collins' rule for coordination: the child before a CC takes over from a head right after it.
    # Punctuation between the two is passed over.
    place = candidates.index(head)
    is_coordinated = place >= 2 and labels[candidates[place - 1]] == "CC"
    return candidates[place - 2] if is_coordinated else head


def _search(default: End, steps: list[Step], labels: list[str], candidates: list[int]) -> int:
    for end, wanted in steps:
        for place in candidates if end == "left" else reversed(candidates):
            if labels[place] in wanted:
                return place
    return candidates[0 if default == "left" else -1]


def head_words(tree: Tree) -> list[int]:
    """Find the head word of every node.

    Returns:
        For each node in pre-order, preterminals included, the index of its head in
        `tree.leaves()`.
    """
    heads: list[int] = []
    leaf = len(tree.leaves())
    finished: list[tuple[int, bool]] = []  # (head word, whether empty), the leftmost node last
    for node in reversed(list(tree)):
        if node.word is not None:
            leaf -= 1
            finished.append((leaf, node.label == EMPTY_TAG))
        else:
            below = finished[: -1 - len(node.children) : -1]
            del finished[-len(node.children) :]
            labels = [child.label for child in node.children]
            head = head_child(node.label, labels, [empty for _, empty in below])
            finished.append((below[head][0], all(empty for _, empty in below)))
        heads.append(finished[-1][0])
    return heads[::-1]


def dependency_heads(tree: Tree) -> list[int]:
    """Find the leaf that every leaf depends on.

    In each bracket, the heads of the other children depend on the head of the head child.

    Returns:
        For each leaf the index of its head; -1 for the head of the whole tree.
    """
    result = [-1] * len(tree.leaves())
    around: list[tuple[int, int]] = []  # (head word, children still to come) of open brackets
    for node, head in zip(tree, head_words(tree), strict=True):
        if around:
            outer, left = around.pop()
            if head != outer:
                result[head] = outer
            if left > 1:
                around.append((outer, left - 1))
        if node.children:
            around.append((head, len(node.children)))
    return result

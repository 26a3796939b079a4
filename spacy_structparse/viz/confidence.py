"""Drawings of parses whose labels say how sure the parser is, in numbers and in colours.

What is certain is blue, and the more doubtful the more orange: two colours that colour-blind
readers tell apart. Labels that are more likely wrong than right are underlined too.
"""

from collections.abc import Mapping, Sequence
from itertools import count

from ..extensions import confidence as stored
from ..trees import Tree
from ..trees.svg import draw_tree
from ..trees.svg_document import Look
from .arcs import draw_sentence_arcs
from .sentences import ParsedSentence, bracket_confidences

CERTAIN, DOUBTFUL = (0, 96, 160), (199, 83, 0)
"""The colours of a confidence of 1, and of 0.5 and less."""
EVEN = 0.5


def confidence_look(confidence: float) -> Look:
    """How a label of this confidence is drawn."""
    share = min(max((confidence - EVEN) / (1 - EVEN), 0.0), 1.0)
    mixed = (round(low + share * (high - low)) for low, high in zip(DOUBTFUL, CERTAIN, strict=True))
    colour = "".join(f"{part:02x}" for part in mixed)
    return Look(f"#{colour}", is_strong=confidence < EVEN)


def percent(confidence: float) -> str:
    """The confidence in whole percents, rounded down: 100 % is for what is certain alone."""
    return f"{int(100 * confidence)}%"


def arc_confidence(sentence: ParsedSentence) -> list[float | None]:
    """For each word how sure its head and label are; None where nothing is known."""
    return stored.arc_confidence(sentence.words, "dep_confidence", sentence.span.doc)


def node_confidence(sentence: ParsedSentence, spans_key: str) -> dict[int, float]:
    """How sure the brackets of a tree are, by the place of the node in pre-order."""
    places = [place for place, node in enumerate(sentence.tree or ()) if node.word is None]
    found = bracket_confidences(sentence, spans_key)
    return {place: one for place, one in zip(places, found, strict=True) if one is not None}


def draw_arc_confidence(sentence: ParsedSentence, *, background: str | None = "white") -> str:
    """Draw the dependencies, each label with the confidence of head and label."""
    known = arc_confidence(sentence)
    labels = [
        token.dep_ if one is None else f"{token.dep_} {percent(one)}"
        for token, one in zip(sentence.words, known, strict=True)
    ]
    looks = {place: confidence_look(one) for place, one in enumerate(known) if one is not None}
    return draw_sentence_arcs(sentence, looks, labels, background=background)


def draw_tree_confidence(
    tree: Tree, known: dict[int, float], *, background: str | None = "white"
) -> str:
    """Draw a tree, each label of a bracket with its confidence.

    Args:
        tree: The tree.
        known: The result of :func:`node_confidence`.
        background: As for :func:`~spacy_structparse.trees.svg.draw_tree`.
    """
    looks = node_looks(known)
    return draw_tree(labelled_tree(tree, known), background=background, looks=looks)


def labelled_tree(tree: Tree, known: Mapping[int, float]) -> Tree:
    """A tree whose labels of brackets end in their confidence.

    Args:
        tree: The tree.
        known: The result of :func:`node_confidence`.
    """
    places = count(sum(1 for _ in tree) - 1, -1)  # a fold meets the nodes in reversed pre-order

    def relabelled(node: Tree, children: Sequence[Tree]) -> Tree:
        found = known.get(next(places))
        label = node.label if found is None else f"{node.label} {percent(found)}"
        return Tree(label, children, node.word)

    return tree.fold(relabelled)


def node_looks(known: Mapping[int, float]) -> dict[int, Look]:
    """How the labels of a tree are drawn, by the result of :func:`node_confidence`."""
    return {place: confidence_look(one) for place, one in known.items()}

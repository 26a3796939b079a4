"""Drawings of parses whose labels say how sure the parser is, in numbers and in colours.

What is certain is blue, and the more doubtful the more orange: two colours that colour-blind
readers tell apart. Labels that are more likely wrong than right are underlined too.
"""

from collections.abc import Mapping, Sequence
from itertools import count

from ..extensions import confidence as stored
from ..trees import Tree
from ..trees.span_group import SPANS_KEY
from ..trees.svg import draw_tree
from ..trees.svg_document import Look, svg_column
from .arcs import draw_sentence_arcs
from .sentences import ParsedSentence, bracket_confidences

# The colours of a confidence of 1, and of 0.5 and less, which stand out from white and near black.
CERTAIN, DOUBTFUL = (0, 121, 204), (199, 83, 0)
EVEN = 0.5


def confidence_look(confidence: float) -> Look:
    """Choose the look of a label of this confidence."""
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


def has_arc_confidence(sentence: ParsedSentence) -> bool:
    """Return True if it is known of any word how sure its head and label are."""
    return any(value is not None for value in arc_confidence(sentence))


def node_confidence(sentence: ParsedSentence, spans_key: str) -> dict[int, float]:
    """Return the confidence of the brackets of a tree, by the node's place in pre-order."""
    places = [place for place, node in enumerate(sentence.tree or ()) if node.word is None]
    return _known(places, bracket_confidences(sentence, spans_key))


def draw_arc_confidence(sentence: ParsedSentence, *, background: str | None = "white") -> str:
    """Draw the dependencies, each label with the confidence of head and label."""
    confidence = _known(range(len(sentence.words)), arc_confidence(sentence))
    labels = [
        f"{token.dep_} {percent(confidence[place])}" if place in confidence else token.dep_
        for place, token in enumerate(sentence.words)
    ]
    return draw_sentence_arcs(sentence, _looks(confidence), labels, background=background)


def draw_tree_confidence(
    tree: Tree, confidence: Mapping[int, float], *, background: str | None = "white"
) -> str:
    """Draw a tree, each label of a bracket with its confidence.

    Args:
        tree: The tree.
        confidence: The result of :func:`node_confidence`.
        background: As for :func:`~spacy_structparse.trees.svg.draw_tree`.
    """
    labelled = labelled_tree(tree, confidence)
    return draw_tree(labelled, background=background, looks=_looks(confidence))


def draw_parse(
    sentence: ParsedSentence,
    *,
    heads: bool = True,
    trees: bool = True,
    confidence: bool = False,
    spans_key: str = SPANS_KEY,
    background: str | None = "white",
) -> str:
    """Draw the arcs of a sentence above its tree, of what there is of the two.

    Args:
        sentence: The sentence.
        heads: Whether to draw dependencies.
        trees: Whether to draw the tree.
        confidence: Whether labels have their confidence.
        spans_key: The span group with the tree.
        background: As for :func:`~spacy_structparse.trees.svg.draw_tree`.

    Returns:
        An SVG document, or nothing if there is nothing to draw.
    """
    drawings = []
    if heads and sentence.has_dependencies:
        arcs = draw_arc_confidence if confidence else draw_sentence_arcs
        drawings.append(arcs(sentence, background=background))
    if trees and sentence.tree is not None:
        nodes = node_confidence(sentence, spans_key) if confidence else {}
        drawings.append(draw_tree_confidence(sentence.tree, nodes, background=background))
    if len(drawings) > 1:
        return svg_column(drawings, background, sentence.text)
    return "".join(drawings)


def labelled_tree(tree: Tree, confidence: Mapping[int, float]) -> Tree:
    """A tree whose labels of brackets end in their confidence, as `node_confidence` gives it."""
    places = count(sum(1 for _ in tree) - 1, -1)  # a fold meets the nodes in reversed pre-order

    def relabelled(node: Tree, children: Sequence[Tree]) -> Tree:
        value = confidence.get(next(places))
        label = node.label if value is None else f"{node.label} {percent(value)}"
        return Tree(label, children, node.word)

    return tree.fold(relabelled)


def _known(places: Sequence[int], values: Sequence[float | None]) -> dict[int, float]:
    """The values that are known, by their places."""
    pairs = zip(places, values, strict=True)
    return {place: value for place, value in pairs if value is not None}


def _looks(confidence: Mapping[int, float]) -> dict[int, Look]:
    return {place: confidence_look(value) for place, value in confidence.items()}

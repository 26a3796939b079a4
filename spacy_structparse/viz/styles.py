"""Styles that sentences are drawn in."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ..trees.svg import draw_tree
from ..trees.svg_document import svg_column
from .arcs import draw_sentence_arcs
from .confidence import arc_confidence, draw_arc_confidence, draw_tree_confidence, node_confidence
from .horizontal_tree import draw_horizontal_tree
from .sentences import ParsedSentence

Style = Literal["tree", "tree-horizontal", "arcs", "confidence", "brackets", "terminal"]


class MissingConfidenceError(ValueError):
    """A parse that is to be coloured by the parser's confidence, and has none."""


@dataclass(frozen=True)
class Drawer:
    """Draws sentences in a style.

    Attributes:
        style: The style.
        spans_key: The span group with the trees.
    """

    style: Style
    spans_key: str

    def can_draw(self, sentence: ParsedSentence) -> bool:
        """Return True if a sentence has what the style draws."""
        if self.style == "arcs":
            return sentence.has_dependencies
        if self.style == "confidence":
            nodes = node_confidence(sentence, self.spans_key)
            return bool(nodes) or any(arc is not None for arc in arc_confidence(sentence))
        return self.style == "terminal" or sentence.tree is not None

    def drawings(self, sentence: ParsedSentence, background: str | None = "white") -> list[str]:
        """Draw the sentence as SVG documents. Confidence is one, with the arcs above the tree.

        Raises:
            ValueError: The style is text: "brackets" and "terminal".
        """
        if self.style in ("brackets", "terminal"):
            raise ValueError(f"the style {self.style!r} is text and has no drawings")
        tree = sentence.tree
        if self.style == "arcs":
            return [draw_sentence_arcs(sentence, background=background)]
        if self.style == "confidence":
            drawings = []
            if any(arc is not None for arc in arc_confidence(sentence)):
                drawings.append(draw_arc_confidence(sentence, background=background))
            nodes = node_confidence(sentence, self.spans_key)
            if tree is not None and nodes:
                drawings.append(draw_tree_confidence(tree, nodes, background=background))
            if len(drawings) > 1:  # a file has one drawing
                return [svg_column(drawings, background, sentence.text)]
            return drawings
        draw: Callable[..., str] = draw_tree if self.style == "tree" else draw_horizontal_tree
        return [] if tree is None else [draw(tree, background=background)]

    def lack(self) -> str:
        """Return what to say where no sentence can be drawn."""
        lacks = {
            "arcs": "no sentence has dependencies. Parse with a component such as spa_dep",
            "terminal": "no sentence has a tree or dependencies",
        }
        return lacks.get(
            self.style,
            f"no sentence has a tree in doc.spans[{self.spans_key!r}]. Parse with a component such "
            "as seq2seq_constituency. For dependencies take style='arcs' or style='terminal'",
        )

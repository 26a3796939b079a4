"""Parses as they are shown on a terminal."""

import shutil
from dataclasses import dataclass
from typing import Self, TextIO

from ..escaping import escape_control
from ..trees.node import Node
from ..trees.span_group import SPANS_KEY
from ..trees.svg import named_root
from .confidence import arc_confidence, labelled_tree, node_confidence, percent
from .dependency_table import dependency_lines
from .paint import Paint, ansi, cell_width, cut, has_colours, plain, wrapped
from .sentences import ParsedSentence

WIDTH = 80
LEAST_WIDTH = 40
STEP = 2  # from a bracket to children on lines of their own; also the width of a connector


def tree_lines(tree: Node, width: int = WIDTH, paint: Paint = plain) -> list[str]:
    """Draw a tree with box lines, the root at the left, without recursion.

        S ┬ NP ┬ DT The
          │    └ NN cook
          └ VP ┬ VBZ stirs
               └ NP ┬ DT the
                    └ NN soup

    A bracket that does not fit within the width puts each child on a line of its own, two columns
    further in, as in indented Penn brackets. Where this leaves less than half of the width, the
    bracket is written as Penn brackets, on one line.

    Args:
        tree: The tree.
        width: The columns, at least 40. Only long labels and Penn brackets may need more.
        paint: Colours the parts of a line.
    """
    width = max(width, LEAST_WIDTH)
    tree = named_root(tree)
    needs = _widths(tree)
    lines: list[str] = []
    # (node, what begins its line or None on its parent's line, what begins the lines below)
    pending: list[tuple[Node, str | None, str]] = [(tree, "", "")]
    while pending:
        node, lead, below = pending.pop()
        if lead is not None:
            lines.append(paint("line", lead) if lead else "")
        label = escape_control(node.label)
        room = width - len(below)
        if node.word is not None:
            left = max(room - cell_width(label) - 1, LEAST_WIDTH // 4)
            word = paint("word", cut(escape_control(node.word), left))
            lines[-1] += f"{paint('tag', label)} {word}"
            continue
        fits = needs[id(node)] <= room
        if not fits and room < width / 2:
            lines[-1] += escape_control(str(node))
            continue
        lines[-1] += paint("phrase", label) if label else "·"
        last = len(node.children) - 1
        if fits:
            below += " " * (max(cell_width(label), 1) + 1)
            lines[-1] += paint("line", " ┬ " if last else " ─ ")
        for place in range(last, -1, -1):
            start = None if fits and not place else below + ("├ " if place < last else "└ ")
            rest = below + ("│ " if place < last else "  ")
            pending.append((node.children[place], start, rest))
    return lines


def _widths(tree: Node) -> dict[int, int]:
    """The columns that each node takes with its first child beside it, by its `id`."""
    widths: dict[int, int] = {}
    for node in reversed(list(tree)):
        label = max(cell_width(escape_control(node.label)), 1)
        if node.word is not None:
            widths[id(node)] = label + 1 + cell_width(escape_control(node.word))
        else:
            below = max(widths[id(child)] for child in node.children)
            widths[id(node)] = label + 1 + STEP + below
    return widths


@dataclass(frozen=True)
class TerminalView:
    """Writes sentences with their dependencies and trees.

    Attributes:
        width: The columns to use.
        paint: Colours the parts of a line.
    """

    width: int = WIDTH
    paint: Paint = plain

    @classmethod
    def on(cls, stream: TextIO, width: int | None = None, color: bool | None = None) -> Self:
        """The view for a stream.

        Args:
            stream: The stream.
            width: The columns. None: those of the terminal, 80 where there is none.
            color: Whether to use colours. None: if the stream is a terminal that has them.
        """
        columns = width or shutil.get_terminal_size((WIDTH, 24)).columns
        colours = has_colours(stream) if color is None else color
        return cls(columns, ansi if colours else plain)

    def sentence(
        self,
        sentence: ParsedSentence,
        *,
        heads: bool = True,
        trees: bool = True,
        text: bool = True,
        confidence: bool = False,
        spans_key: str = SPANS_KEY,
    ) -> str:
        """The text of a sentence, a table of its dependencies, and its tree.

        Args:
            sentence: The sentence.
            heads: Whether to show dependencies, where there are any.
            trees: Whether to show the tree, or that there is none.
            text: Whether to show the text.
            confidence: Whether to show how sure the parsers are, where it is known: that of head
                and label beside each label, that of a bracket in its label.
            spans_key: The span group with the tree.

        Returns:
            Lines, each with its line break.
        """
        parts: list[list[str]] = []
        if text:
            lines = wrapped(escape_control(sentence.text), self.width)
            parts.append([self.paint("heading", line) for line in lines])
        if heads and sentence.has_dependencies:
            values = arc_confidence(sentence) if confidence else []
            shares = ["" if value is None else percent(value) for value in values]
            parts.append(dependency_lines(sentence.words, self.width, self.paint, shares))
        if trees:
            tree = sentence.tree
            if tree and confidence:
                tree = labelled_tree(tree, node_confidence(sentence, spans_key))
            parts.append(tree_lines(tree, self.width, self.paint) if tree else ["No tree"])
        return "\n".join("".join(f"{line}\n" for line in part) for part in parts)

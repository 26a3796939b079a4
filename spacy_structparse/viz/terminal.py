"""Parses as they are shown on a terminal."""

import shutil
from dataclasses import dataclass
from typing import Self, TextIO

from ..printable import printable
from ..trees.span_group import SPANS_KEY
from .cells import wrapped
from .confidence import arc_confidence, labelled_tree, node_confidence, percent
from .dependency_table import dependency_lines
from .paint import Paint, ansi, has_colours, plain
from .sentences import ParsedSentence
from .terminal_tree import tree_lines

WIDTH = 80


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
            lines = wrapped(printable(sentence.text), self.width)
            parts.append([self.paint("heading", line) for line in lines])
        if heads and sentence.has_dependencies:
            known = arc_confidence(sentence) if confidence else []
            shares = ["" if one is None else percent(one) for one in known]
            parts.append(dependency_lines(sentence.words, self.width, self.paint, shares))
        if trees:
            tree = sentence.tree
            if tree and confidence:
                tree = labelled_tree(tree, node_confidence(sentence, spans_key))
            parts.append(tree_lines(tree, self.width, self.paint) if tree else ["No tree"])
        return "\n".join("".join(f"{line}\n" for line in part) for part in parts)

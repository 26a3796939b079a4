"""A state machine that reads trees from bracketed text, line by line."""

import re
import sys
from collections.abc import Iterable, Iterator
from typing import Generic

from ..errors import TreeReadError
from .node import MakeNode, N
from .notation import unescape_label, unescape_word

# Words may hold any character but ASCII whitespace and round brackets: a no-break space is
# part of a word. The four kinds: a whole preterminal, an opening bracket with its label, a
# closing bracket (the one that fills no group), and text.
_WORD = r"[^ \t\n\r\f\v()]+"
_SPACE = r"[ \t\n\r\f\v]"
_TOKEN = re.compile(
    rf"\(({_WORD}){_SPACE}+({_WORD}){_SPACE}*\)|(\(){_SPACE}*({_WORD})?|\)|({_WORD})"
)
# What parsers write before a tree: its number or score, and separators.
_NUMBER = r"(?:\[?[-+]?(?:\.?\d[\d.,:]*(?:[eE][-+]?\d+)?|inf|nan)[]:]?|\|\|\|)(?![^ \t\n\r\f\v])"
_NUMBERS = rf"(?:{_NUMBER}{_SPACE}*+)*+"
_IS_NUMBER = re.compile(_NUMBER)
_LINE_OPENING = re.compile(rf"({_SPACE}*+){_NUMBERS}\(")
_LINE_OF_TEXT = re.compile(rf"{_SPACE}*+{_NUMBERS}({_WORD})")
_COMMENT = re.compile(rf"{_SPACE}*(?:[#;]|%%|\*x\*)")
# `<S ID=1>`, `<DOCID> 1 </DOCID>`
_SGML = re.compile(r"\s*<[/A-Za-z][^<>]*>(?:\s*[^\s<(][^<]*</[^<>]*>)?\s*$")

Start = tuple[int, int]
"""A place in the text: line and column, from 1."""

_OUTSIDE: tuple[str, list, list[str]] = "", [], []

Line = tuple[int, str, TreeReadError | None]
"""The number of a line, its text, and its fault if it could not be decoded."""

ANYWHERE = sys.maxsize
ONE_BLOCK = -1


class Scanner(Generic[N]):
    """Reads the trees of lines.

    A closing bracket too many is noticed only after the tree, which it closed too early, is
    complete. So trees are held back until their block ends. A block begins after an empty line, and
    at a line that opens a bracket no further in than the block before it did. As a rule it holds
    one tree. A tree that is still open there is broken: lines that go on with a tree are indented.

    Args:
        name: The file's name in errors.
        make_node: Makes the nodes.
        margin: The indent at which the first block, and one after an empty line, may begin.
            ONE_BLOCK: no line begins another block.
    """

    def __init__(self, name: str, make_node: MakeNode[N], margin: int = ANYWHERE) -> None:
        self._name = name
        self._make_node = make_node
        self._held: list[tuple[Start, N] | TreeReadError] = []  # of the block
        # Label, children, and the loose word of each open bracket, as of `(NN` before `dog )`.
        self._open: list[tuple[str, list[N], list[str]]] = []
        self._start: Start = (0, 0)  # where the open tree began
        self._stray = False  # text outside a tree has been reported, the next tree not begun
        self._skipping = False  # what is left of the block is no tree
        self._margin = margin
        self._indent = margin  # of the line that began the block

    def trees(self, lines: Iterable[Line]) -> Iterator[tuple[Start, N] | TreeReadError]:
        """Read lines, and yield the trees with the places where they begin, and in place of a
        broken tree its fault."""
        number = 0
        for number, text, fault in lines:
            yield from self._feed(number, text, fault)
        yield from self._end_block(number + 1)

    def _feed(
        self, number: int, text: str, fault: TreeReadError | None
    ) -> list[tuple[Start, N] | TreeReadError]:
        """Read a line, and return the block before it, if that ends here."""
        if fault is not None:
            self._held.append(fault)
        if self._open:
            has_children = bool(self._open[-1][1])  # so no word may follow
            ends_block = has_children and _SGML.match(text) is not None
        else:
            ends_block = not text.strip() or bool(_COMMENT.match(text) or _SGML.match(text))
        if ends_block:
            self._indent = self._margin
            return self._end_block(number)
        opening = _LINE_OPENING.match(text)
        block: list[tuple[Start, N] | TreeReadError] = []
        if opening is not None and opening.end(1) <= self._indent:
            block = self._end_block(number)
            self._indent = opening.end(1)
        elif opening is None and not self._open and (outside := _LINE_OF_TEXT.match(text)):
            self._report(f"text outside a tree: {outside[1]!r}", (number, outside.start(1) + 1))
            self._skipping = True
            return []
        if fault is not None:
            self._abandon()
        self._scan(number, text)
        return block

    def _end_block(self, number: int) -> list[tuple[Start, N] | TreeReadError]:
        """End the block before a line, or at the end of the text, which is one line longer."""
        if self._open:
            count = len(self._open)
            brackets = "1 bracket is" if count == 1 else f"{count} brackets are"
            self._break(
                f"this tree is not closed: {brackets} still open before line {number}", self._start
            )
        block, self._held = self._held, []
        self._skipping = self._stray = False
        return block

    def _scan(self, number: int, text: str) -> None:
        stack = self._open
        before = 0
        for match in _TOKEN.finditer(text):
            if self._skipping:
                return
            tag, word, mark, label, loose = match.groups("")
            place = number, match.start() + 1
            if not stack and (tag or mark):
                self._start, self._stray = place, False
            outer, children, words = stack[-1] if stack else _OUTSIDE
            if words and (tag or mark or loose):
                what = "several words" if loose else "both words and brackets"
                self._break(f"{what} under {outer!r}", place)
            elif tag:
                self._add(self._make_node(unescape_label(tag), (), unescape_word(word)))
            elif mark:
                stack.append((unescape_label(label), [], []))
            elif not loose:
                self._shut(place, (number, before))
            elif not stack:
                self._read_outside(loose, place)
            elif children:
                self._break(f"both words and brackets under {outer!r}", place)
            else:
                words.append(loose)
            before = match.start() + 1

    def _add(self, node: N) -> None:
        """Add a complete node to the bracket around it; without one it is a tree."""
        if self._open:
            self._open[-1][1].append(node)
        else:
            self._held.append((self._start, node))

    def _shut(self, place: Start, before: Start) -> None:
        """Close the innermost bracket of the open tree, at a place after another token's."""
        if not self._open:
            self._held = [item for item in self._held if isinstance(item, TreeReadError)]
            self._break(
                "a closing bracket too many: the tree before it closed too early and is left out",
                place,
            )
            return
        label, children, words = self._open.pop()
        if children:
            self._add(self._make_node(label, tuple(children), None))
        elif words and label:
            self._add(self._make_node(label, (), unescape_word(words[0])))
        elif words:
            self._break(f"the word {words[0]!r} has no tag", place)
        else:
            what = f"the bracket {label!r}" if label else "this bracket"
            # It closes right after it opened, so that was the token before.
            self._break(f"{what} has neither a word nor children", before if before[1] else place)

    def _read_outside(self, text: str, place: Start) -> None:
        """Read text between trees, which only numbers may be; other text is reported once."""
        if not self._stray and not _IS_NUMBER.fullmatch(text):
            self._report(f"text outside a tree: {text!r}", place)
            self._stray = True

    def _break(self, problem: str, place: Start) -> None:
        """Report what is wrong with the open tree, which is left out with the rest of its block."""
        self._abandon()
        self._report(problem, place)

    def _abandon(self) -> None:
        self._open.clear()
        self._skipping = True

    def _report(self, problem: str, place: Start) -> None:
        line, column = place
        self._held.append(TreeReadError(problem, name=self._name, line=line, column=column))


def parse_tree(text: str, make_node: MakeNode[N], *, name: str = "<string>") -> N:
    """Read the only tree of a text.

    Args:
        text: The text.
        make_node: Makes the nodes.
        name: The name of the text in errors.

    Raises:
        TreeReadError: The tree is broken, or there is none, or there are several.
    """
    scanner = Scanner(name, make_node, margin=ONE_BLOCK)
    trees = []
    for item in scanner.trees((i, line, None) for i, line in enumerate(text.split("\n"), 1)):
        if isinstance(item, TreeReadError):
            raise item
        trees.append(item)
    if not trees:
        raise TreeReadError("there is no tree here", name=name, line=1, column=1)
    if len(trees) > 1:
        (line_number, column), _ = trees[1]
        raise TreeReadError("a second tree", name=name, line=line_number, column=column)
    return trees[0][1]

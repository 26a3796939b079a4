"""A state machine that reads trees from bracketed text, line by line."""

import re
from collections.abc import Callable
from typing import Generic

from .node import WRAPPER_LABELS, MakeNode, N, TreeReadError
from .notation import unescape_backslashes, unescape_label, unescape_word

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
_LINE_OPENING = re.compile(rf"({_SPACE}*+){_NUMBERS}\({_SPACE}*({_WORD})?")
_LINE_OF_TEXT = re.compile(rf"{_SPACE}*{_WORD}")
_NO_TREE = re.compile(rf"{_SPACE}*+{_NUMBERS}{_WORD}")
_COMMENT = re.compile(rf"{_SPACE}*(?:[#;]|%%|\*x\*)")

Start = tuple[int, str, int]
"""A place in the text: line number, the line, and which token of it."""


class Columns:
    """The columns of tokens. Those of the line that was asked about last are kept: one long line
    may have as many errors as tokens."""

    def __init__(self) -> None:
        self._text = ""
        self._columns: list[int] = []

    def of(self, text: str, index: int) -> int:
        """The column, from 1, of token number `index` of a line; the end if it has fewer."""
        if text is not self._text:
            self._text = text
            written = unescape_backslashes(text, same_length=True)
            self._columns = [match.start() + 1 for match in _TOKEN.finditer(written)]
        if index < len(self._columns):
            return self._columns[index]
        return len(text.rstrip()) + 1


class Scanner(Generic[N]):
    """Reads lines, and collects complete trees in ``ready``.

    A closing bracket too many is noticed only after the tree, which it closed too early, is
    complete. So trees are held back until their block ends. A block begins at a line that opens a
    bracket no further in than the block before it did. As a rule it holds one tree. Where a tree is
    still open at such a line, either the line starts the next tree and the open one is broken, or
    the file does not indent and the line continues the tree; `_starts_block` decides.

    Args:
        name: The file's name in errors.
        on_error: Called with each TreeReadError. If it returns, the tree is skipped.
        make_node: Makes the nodes.
    """

    def __init__(
        self, name: str, on_error: Callable[[TreeReadError], None], make_node: MakeNode[N]
    ) -> None:
        self.ready: list[tuple[Start, N]] = []
        self._columns = Columns()
        self._name = name
        self._on_error = on_error
        self._make_node = make_node
        self._held: list[tuple[Start, N]] = []
        self._labels: dict[str, str] = {}  # as written -> as meant, so that labels share memory
        self._open: list[tuple[str, list]] = []  # (label, children); a loose word is a str child
        self._loose = 0  # open brackets that hold such a word
        self._start: Start = (0, "", 0)  # where the open tree began
        self._bad = False  # the open tree is broken: count its brackets, build nothing
        self._broken = False  # the tree before this place was broken
        self._line = 0  # the number of the line being read
        self._spoiled = False  # the line could not be decoded
        self._stray = False  # text outside a tree has been reported, the next tree not begun
        self._left_out = 0  # the number of the last line that began with text, and has no trees
        self._skipping = False  # only a wrapper bracket is trusted to be the start of a tree
        self._indent = 0  # of the line that began the block
        self._completed = 0
        self._wrapped = False  # the file has trees with a wrapper
        self._multiline = False  # the file has trees over several lines
        self._unindented = False  # the file has trees that go on at the margin
        self._replay: list[tuple[int, str]] = []  # the lines since the open tree did so

    def feed(self, number: int, text: str, *, spoiled: bool = False) -> None:
        """Read a line.

        Args:
            number: Its number.
            text: Its text.
            spoiled: The line could not be decoded, and its text differs from the file.
        """
        if not self._open and (not text.strip() or _COMMENT.match(text)):
            self._end_block(number)
            return
        if not self._open and (
            (self._completed > 1 and not self._multiline)
            or _LINE_OF_TEXT.match(text, 0, self._indent + 1)
        ):
            # With one tree a line so far, what is wrong with this line is its own affair; and a
            # word at the margin does not go on with a tree that closed too early.
            self._end_block(number)
        opening = _LINE_OPENING.match(text)
        if opening is not None:
            if self._starts_block(opening):
                self._end_block(number)
                self._indent = opening.end(1)
            elif self._open and not self._completed and opening.end(1) <= self._indent:
                self._replay = self._replay or [(number, text)]
        elif not self._open and _NO_TREE.match(text):
            self._left_out = number
        if self._replay and self._replay[-1][0] != number:
            self._replay.append((number, text))
        self._line = number
        self._spoiled = spoiled
        self._bad = self._bad or (spoiled and bool(self._open))
        self._scan(number, text)

    def finish(self, number: int) -> None:
        """Read the end of the text, which has `number` lines."""
        while self._open and self._replay:
            # Only the first tree of a text gets here: nothing before it told whether the text
            # indents. It never closed, so what looked like its lines were trees of their own.
            replay = self._replay
            self._end_block(replay[0][0])
            self._completed += 1
            for line, text in replay:
                self.feed(line, text)
        self._end_block(number + 1)

    def _starts_block(self, opening: re.Match[str]) -> bool:
        if opening.end(1) > self._indent:
            return False
        if not self._open or (opening.group(2) or "") in WRAPPER_LABELS:
            return True
        if self._open[0][0] in WRAPPER_LABELS and (self._wrapped or not self._completed):
            return False
        return self._completed > 0 and not self._unindented

    def _end_block(self, number: int) -> None:
        if self._open:
            if not self._bad:
                count = len(self._open)
                brackets = "1 bracket is" if count == 1 else f"{count} brackets are"
                self._report(
                    f"this tree is not closed: {brackets} still open before line {number}",
                    self._start,
                )
            self._close()
        self._release()
        self._skipping = self._stray = self._broken = False

    def _scan(self, number: int, text: str) -> None:
        stack = self._open
        written = unescape_backslashes(text) if "\\" in text else text
        for index, (tag, word, mark, label, loose) in enumerate(_TOKEN.findall(written)):
            if not stack:
                self._outside(tag, word, mark, label, loose, (number, text, index))
                continue
            if self._bad:
                if mark:
                    stack.append(("", []))
                elif not (tag or loose):
                    stack.pop()
                    if not stack:
                        self._close()
                continue
            children = stack[-1][1]
            if self._loose and (tag or mark or loose) and _is_loose(children):
                what = "several words" if loose else "both words and brackets"
                self._break(f"{what} under {stack[-1][0]!r}", (number, text, index))
                if mark:
                    stack.append(("", []))
            elif tag:
                children.append(self._make_node(self._label(tag), (), unescape_word(word)))
            elif mark:
                stack.append((self._label(label), []))
            elif loose:
                if children:
                    place = (number, text, index)
                    self._break(f"both words and brackets under {stack[-1][0]!r}", place)
                else:
                    children.append(loose)
                    self._loose += 1
            else:
                self._shut(number, text, index)

    def _shut(self, number: int, text: str, index: int) -> None:
        """Close the innermost bracket of the open tree."""
        label, children = self._open.pop()
        if not children:
            what = f"the bracket {label!r}" if label else "this bracket"
            # It closes right after it opened, so that was the token before.
            place = (number, text, max(index - 1, 0))
            self._break(f"{what} has neither a word nor children", place)
        elif not _is_loose(children):
            node = self._make_node(label, tuple(children), None)
        elif label:
            self._loose -= 1
            node = self._make_node(label, (), unescape_word(children[0]))
        else:
            self._break(f"the word {children[0]!r} has no tag", (number, text, index))
        if self._bad:
            if not self._open:
                self._close()
        elif self._open:
            self._open[-1][1].append(node)
        else:
            self._complete(node)

    def _outside(
        self, tag: str, word: str, mark: str, label: str, loose: str, place: Start
    ) -> None:
        """Read a token between trees."""
        if self._skipping:
            if not mark or label not in WRAPPER_LABELS:
                return
            self._skipping = False
        is_left_out = place[0] == self._left_out
        if tag or mark:
            self._start = place
            self._stray = self._stray and is_left_out
            self._bad = self._spoiled or is_left_out
            if mark and label in WRAPPER_LABELS:
                self._release()
            if mark:
                self._open.append((self._label(label), []))
            elif not self._bad:
                self._complete(self._make_node(self._label(tag), (), unescape_word(word)))
            else:
                self._close()
        elif loose:
            if not self._stray and (is_left_out or not _IS_NUMBER.fullmatch(loose)):
                self._report(f"text outside a tree: {loose!r}", place)
                self._stray = True
        elif self._held or not is_left_out:
            # Back to the bracket that must have closed too early; a wrapper if the file has them.
            while not self._broken and self._held:
                self._broken = self._held.pop()[1].label in WRAPPER_LABELS
            self._skipping = True
            self._report(
                "a closing bracket too many: the tree before it closed too early and is left out",
                place,
            )

    def _complete(self, tree: N) -> None:
        self._held.append((self._start, tree))
        self._wrapped = self._wrapped or tree.label in WRAPPER_LABELS
        self._multiline = self._multiline or self._line > self._start[0]
        self._unindented = self._unindented or bool(self._replay)
        self._completed += 1
        self._close()

    def _close(self) -> None:
        """Forget the open tree."""
        self._open.clear()
        self._loose = 0
        self._broken, self._bad = self._bad, False
        self._replay = []

    def _release(self) -> None:
        """Hand out the trees held back."""
        self.ready += self._held
        self._held = []

    def _label(self, written: str) -> str:
        label = self._labels.get(written)
        if label is None:
            label = self._labels[written] = unescape_label(written)
        return label

    def _break(self, problem: str, place: Start) -> None:
        self._bad = True
        self._report(problem, place)

    def _report(self, problem: str, place: Start) -> None:
        line, text, index = place
        column = self._columns.of(text, index)
        self._on_error(TreeReadError(problem, name=self._name, line=line, column=column))


def _is_loose(children: list) -> bool:
    return bool(children) and isinstance(children[0], str)


def parse_tree(text: str, make_node: MakeNode[N], *, name: str = "<string>") -> N:
    """Read the only tree of a text.

    Args:
        text: The text.
        make_node: Makes the nodes.
        name: The name of the text in errors.

    Raises:
        TreeReadError: The tree is broken, or there is none, or there are several.
    """
    scanner = Scanner(name, raise_error, make_node)
    number = 0
    for number, line in enumerate(text.split("\n"), 1):
        scanner.feed(number, line)
    scanner.finish(number)
    if not scanner.ready:
        raise TreeReadError("there is no tree here", name=name, line=1, column=1)
    if len(scanner.ready) > 1:
        line_number, line, index = scanner.ready[1][0]
        column = Columns().of(line, index)
        raise TreeReadError("a second tree", name=name, line=line_number, column=column)
    return scanner.ready[0][1]


def raise_error(error: TreeReadError) -> None:
    """Raise the error of a broken tree, where none is to be skipped."""
    raise error

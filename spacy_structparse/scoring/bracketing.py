"""A tree as bracket scoring sees it: words, tags and labelled spans, what is left out left out."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .evalb_params import EvalbParams

# `(`, label and word of a preterminal; `(` and label of another bracket; `)`; stray text. As in C,
# only ASCII whitespace separates, and a label stands right after its bracket.
_TEXT = r"[^() \t\n\r\f\v]"
_SPACE = r"[ \t\n\r\f\v]"
_TOKEN = re.compile(rf"(\()({_TEXT}*){_SPACE}+({_TEXT}*)\)|(\()({_TEXT}*)|(\))|({_TEXT}+)")
_QUOTES = frozenset(("'", '"', "/"))
_FUNCTION = re.compile(r"[-=].*", re.DOTALL)
UNCLOSED = -1


@dataclass
class Quote:
    """A quote character that the tag of its word may have had deleted, or not, by mistake.

    index: its place among the words, deleted ones not counted. next_bracket: the number of the
    first bracket that opens after it. around: the numbers of the brackets open around it.
    """

    word: str
    tag: str
    index: int
    next_bracket: int
    around: list[int]


@dataclass
class Bracketing:
    """A sentence's words and brackets.

    words, tags (list[str]): Of the words that are not deleted.
    brackets (list[tuple[str, int, int]]): (label, start, end) over those words in the order in
        which they open; labels as written, nothing left out. The end of one that is never closed
        is UNCLOSED.
    length (int): Words, without those that are left out of the length.
    quotes (list[Quote]): The quote characters that may have been mistaken.
    lost (list[str]): Labels of brackets over words that the other tree does not have.
    problems (list[str]): What is wrong with the text that this was read from.
    broken (bool): Text outside the preterminals makes it worthless to compare.
    """

    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    brackets: list[tuple[str, int, int]] = field(default_factory=list)
    length: int = 0
    quotes: list[Quote] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    broken: bool = False

    def add_word(
        self, word: str, tag: str, params: EvalbParams, next_bracket: int, around: Sequence[int]
    ) -> None:
        """Take the next word, which may be one to leave out."""
        if tag not in params.delete_labels_for_length:
            self.length += 1
        if word in _QUOTES and tag in params.quote_labels:
            self.quotes.append(Quote(word, tag, len(self.words), next_bracket, list(around)))
        if tag not in params.delete_labels:
            self.words.append(word)
            self.tags.append(tag)

    def reinsert(self, quote: Quote) -> None:
        """Put a deleted quote character back."""
        self.words.insert(quote.index, quote.word)
        self.tags.insert(quote.index, quote.tag)
        for number in range(quote.next_bracket, len(self.brackets)):
            label, start, end = self.brackets[number]
            self.brackets[number] = (label, start + 1, end + 1)
        for number in quote.around:
            label, start, end = self.brackets[number]
            self.brackets[number] = (label, start, end + 1)

    def scored_brackets(self, params: EvalbParams) -> list[tuple[str, int, int]]:
        """The brackets that count, labels without function tags: not those over no word, nor
        those whose label is deleted."""
        return [
            (label, start, end)
            for label, start, end in ((plain_label(b[0]), b[1], b[2]) for b in self.brackets)
            if start != end and not params.deletes_bracket(label)
        ]

    def scored_lost(self, params: EvalbParams) -> list[str]:
        """The labels of the lost brackets that count."""
        labels = map(plain_label, self.lost)
        return [label for label in labels if not params.deletes_bracket(label)]


def plain_label(label: str) -> str:
    """The label up to its first `-` or `=`: EVALB's rule, which leaves nothing of `-NONE-`."""
    return _FUNCTION.sub("", label) if "-" in label or "=" in label else label


def read_line(line: str, params: EvalbParams) -> Bracketing:
    """The tree, or whatever else it is, that a line holds, as EVALB reads it.

    No text makes this fail: what is wrong with it is in `problems`. Several trees on a line are
    one sentence. Closing brackets too many are looked at as EVALB does: the first of them closes
    the first bracket again, and an opening one after it makes up for it.
    """
    tree = Bracketing()
    floor = line.count(")")
    open_brackets = [0] * floor  # closing too many finds the zeros below
    for opening, tag, word, bracket, label, closing, stray in _TOKEN.findall(line):
        if opening:
            count = len(tree.brackets)
            tree.add_word(word, tag, params, count, open_brackets[floor:])
        elif bracket:
            open_brackets.append(len(tree.brackets))
            tree.brackets.append((label, len(tree.words), UNCLOSED))
        elif closing:
            if len(open_brackets) < floor:
                tree.problems.append("too many closing brackets")
            number = open_brackets.pop()
            if number < len(tree.brackets):
                label, start, _ = tree.brackets[number]
                tree.brackets[number] = (label, start, len(tree.words))
        elif not tree.broken:
            tree.problems.append(f"the word {stray!r} is not alone with a tag in its bracket")
            tree.broken = True
    if len(open_brackets) != floor:
        few = len(open_brackets) > floor
        tree.problems.append(f"brackets are unbalanced: too {'few' if few else 'many'} are closed")
    return tree


def bracketing(
    words: Iterable[tuple[str, str]], brackets: Sequence[tuple[str, int, int]], params: EvalbParams
) -> Bracketing:
    """The bracketing of a tree given by its (word, tag) pairs and its (label, start, end)
    brackets in pre-order over them."""
    tree = Bracketing()
    places = []
    opened = 0
    around: list[int] = []
    for index, (word, tag) in enumerate(words):
        while opened < len(brackets) and brackets[opened][1] <= index:
            around.append(opened)
            opened += 1
        around = [number for number in around if brackets[number][2] > index]
        places.append(len(tree.words))
        tree.add_word(word, tag, params, opened, around)
    places.append(len(tree.words))
    tree.brackets = [(label, places[start], places[end]) for label, start, end in brackets]
    return tree

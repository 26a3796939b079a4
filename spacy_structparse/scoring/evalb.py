"""Bracket scores of a sentence, by EVALB's rules and with EVALB's figures.

A sentence is compared only if both trees are over the same words, after those with a deleted tag
(punctuation) have been left out; otherwise it is an error and counts in no total. Brackets match
as multisets, so that NP over NP is two brackets.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..brackets import Bracket
from ..trees.node import UNKNOWN_TAG
from .evalb_counts import BracketCounts, SentenceScore, Status
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
    """A quote character that may have been deleted, or kept, because of a wrong tag.

    Attributes:
        word: The word.
        tag: Its tag.
        index: Its place among the words that are not deleted.
        next_bracket: The number of the first bracket that opens after it.
        around: The numbers of the brackets open around it.
    """

    word: str
    tag: str
    index: int
    next_bracket: int
    around: list[int]


@dataclass
class Bracketing:
    """A sentence's words and brackets.

    Attributes:
        words: The words that are not deleted.
        tags: Their tags.
        brackets: All brackets over those words, in the order in which they open, with labels as
            written. The end of one that is never closed is UNCLOSED.
        length: The number of words, without those that are left out of the length.
        quotes: The quote characters that may have a wrong tag.
        lost: The labels of brackets over words that the other tree does not have.
        problems: The faults of the text that this was read from.
        broken: Text outside the preterminals makes a comparison useless.
    """

    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    brackets: list[Bracket] = field(default_factory=list)
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
            self.brackets[number] = Bracket(label, start + 1, end + 1)
        for number in quote.around:
            label, start, end = self.brackets[number]
            self.brackets[number] = Bracket(label, start, end + 1)

    def scored_brackets(self, params: EvalbParams) -> list[Bracket]:
        """The brackets that count: those over words whose label, without function tags, is kept."""
        plain = (Bracket(plain_label(label), start, end) for label, start, end in self.brackets)
        return [
            one for one in plain if one.start != one.end and not params.deletes_bracket(one.label)
        ]

    def scored_lost(self, params: EvalbParams) -> list[str]:
        """The labels of the lost brackets that count."""
        labels = map(plain_label, self.lost)
        return [label for label in labels if not params.deletes_bracket(label)]


def plain_label(label: str) -> str:
    """The label up to its first `-` or `=`: EVALB's rule, which leaves nothing of `-NONE-`."""
    return _FUNCTION.sub("", label) if "-" in label or "=" in label else label


def read_line(line: str, params: EvalbParams) -> Bracketing:
    """Read a line as EVALB reads it, whether it holds a tree or not.

    No text makes this fail: its faults are in `problems`. Several trees on a line are one sentence.
    Of closing brackets too many, the first closes the first bracket again, and a later opening one
    makes up for it.
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
            tree.brackets.append(Bracket(label, len(tree.words), UNCLOSED))
        elif closing:
            if len(open_brackets) < floor:
                tree.problems.append("too many closing brackets")
            number = open_brackets.pop()
            if number < len(tree.brackets):
                tree.brackets[number] = tree.brackets[number]._replace(end=len(tree.words))
        elif not tree.broken:
            tree.problems.append(f"the word {stray!r} is not alone with a tag in its bracket")
            tree.broken = True
    if len(open_brackets) != floor:
        few = len(open_brackets) > floor
        tree.problems.append(f"brackets are unbalanced: too {'few' if few else 'many'} are closed")
    return tree


def bracketing(
    words: Iterable[tuple[str, str]], brackets: Sequence[Bracket], params: EvalbParams
) -> Bracketing:
    """Build the bracketing of a tree from its (word, tag) pairs and its brackets in pre-order."""
    tree = Bracketing()
    places = []
    opened = 0
    around: list[int] = []
    for index, (word, tag) in enumerate(words):
        while opened < len(brackets) and brackets[opened].start <= index:
            around.append(opened)
            opened += 1
        around = [number for number in around if brackets[number].end > index]
        places.append(len(tree.words))
        tree.add_word(word, tag, params, opened, around)
    places.append(len(tree.words))
    tree.brackets = [Bracket(label, places[i], places[j]) for label, i, j in brackets]
    return tree


def score_sentence(gold: Bracketing, predicted: Bracketing, params: EvalbParams) -> SentenceScore:
    """Compare a predicted tree with the gold one. Where a quote character was deleted from one
    of them only (see EvalbParams.quote_labels), it is put back in that Bracketing.

    Text that is not a tree makes the sentence an error; its brackets are still compared and
    counted in the SentenceScore, as EVALB does, if it is over the same words.
    """
    problems = [f"gold: {problem}" for problem in gold.problems]
    problems += [f"predicted: {problem}" for problem in predicted.problems]
    score = SentenceScore(Status.ERROR, gold.length, problems=problems)
    if not predicted.words and not predicted.broken:
        score.status = Status.SKIP
        return score
    if gold.broken or predicted.broken:
        return score
    if len(gold.words) != len(predicted.words):
        restore_quotes(gold, predicted, params)
    if len(gold.words) != len(predicted.words):
        problems.append(
            f"the gold tree has {len(gold.words)} words to compare, the predicted one "
            f"{len(predicted.words)}{_unknown_tags(gold, predicted)}"
        )
        return score
    for mine, theirs in zip(gold.words, predicted.words, strict=True):
        if not params.same_word(mine, theirs):
            problems.append(f"the gold tree has {mine!r} where the predicted one has {theirs!r}")
            return score
    score.words = len(gold.words)
    score.correct_tags = sum(map(params.same_label, gold.tags, predicted.tags))
    _count_brackets(score, gold, predicted, params)
    if problems:
        score.labels, score.widths = {}, {}
    else:
        score.status = Status.VALID
    return score


def _unknown_tags(gold: Bracketing, predicted: Bracketing) -> str:
    """The cause of different numbers of words, where it is that one tree has no tags."""
    for name, tree in (("predicted", predicted), ("gold", gold)):
        if tree.tags and set(tree.tags) == {UNKNOWN_TAG}:
            return (
                f"; every tag of the {name} tree is {UNKNOWN_TAG}, so its punctuation cannot be "
                "told and left out: a pipeline gives its trees tags if it has a tagger"
            )
    return ""


def _count_brackets(
    score: SentenceScore, gold: Bracketing, predicted: Bracketing, params: EvalbParams
) -> None:
    mine, theirs = gold.scored_brackets(params), predicted.scored_brackets(params)
    lost = predicted.scored_lost(params)
    score.gold, score.predicted = len(mine), len(theirs) + len(lost)
    score.crossing = _count_crossing(mine, theirs)
    counts: defaultdict[str, BracketCounts] = defaultdict(BracketCounts)
    widths: defaultdict[int, BracketCounts] = defaultdict(BracketCounts)
    waiting: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for label, start, end in theirs:
        waiting[start, end].append(label)
        counts[label].predicted += 1
        widths[end - start].predicted += 1
    for label in lost:
        counts[label].predicted += 1
    for label, start, end in mine:
        of_width = widths[end - start]
        counts[label].gold += 1
        of_width.gold += 1
        candidates = waiting.get((start, end), ())
        for place, candidate in enumerate(candidates):
            # The first that fits, so that where equivalences do not chain the figures are EVALB's.
            if not params.labeled or params.same_label(label, candidate):
                score.matched += 1
                counts[label].found += 1
                counts[candidate].right += 1
                of_width.found += 1
                of_width.right += 1
                del waiting[start, end][place]
                break
    score.labels, score.widths = dict(counts), dict(widths)


def _count_crossing(gold: list[Bracket], predicted: list[Bracket]) -> int:
    """Count the predicted brackets that cross a gold one."""
    # One word crosses nothing, and what crosses depends on the span alone.
    spans = {(start, end) for _, start, end in gold if end - start > 1}
    if not spans:
        return 0
    count = 0
    for (start, end), times in Counter(bracket[1:] for bracket in predicted).items():
        if end - start > 1 and any(
            first < start < last < end or start < first < end < last for first, last in spans
        ):
            count += times
    return count


def restore_quotes(gold: Bracketing, predicted: Bracketing, params: EvalbParams) -> None:
    """Put back quote characters whose tag had them deleted from one tree and not from the other,
    so that a tag alone makes no sentence an error."""
    for number, theirs in enumerate(predicted.quotes):
        place = theirs.index
        for other, mine in enumerate(gold.quotes):
            if mine.index != place or mine.tag == theirs.tag:
                continue
            mine_deleted = mine.tag in params.delete_labels
            if mine_deleted == (theirs.tag in params.delete_labels):
                continue
            tree, quote, later = (
                (gold, mine, gold.quotes[other:])
                if mine_deleted
                else (predicted, theirs, predicted.quotes[number:])
            )
            tree.reinsert(quote)
            for moved in later:
                moved.index += 1

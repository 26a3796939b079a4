"""Bracket scores of a sentence, by EVALB's rules and with EVALB's figures.

A sentence is compared only if both trees are over the same words, after those with a deleted tag
(punctuation) have been left out; otherwise it is an error and counts in no total. Brackets match
as multisets, so that NP over NP is two brackets.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

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
class Bracketing:
    """A sentence's words and brackets.

    Attributes:
        words: The words.
        tags: Their tags.
        brackets: All brackets over those words, in the order in which they open, with labels as
            written. The end of one that is never closed is UNCLOSED.
        lost: The labels of brackets over words that the other tree does not have.
        problems: The faults of the text that this was read from.
        broken: Text outside the preterminals makes a comparison useless.
    """

    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    brackets: list[Bracket] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    broken: bool = False

    def select(self, copies: Sequence[int], n_restored: int = 0) -> "Bracketing":
        """The same with each word as often as `copies` has it: 0 leaves it out.

        As in EVALB, the end of a bracket that is never closed grows by the restored quotes.
        """
        places = [*accumulate(copies, initial=0), UNCLOSED + n_restored]
        return replace(
            self,
            words=[word for word, n in zip(self.words, copies, strict=True) for _ in range(n)],
            tags=[tag for tag, n in zip(self.tags, copies, strict=True) for _ in range(n)],
            brackets=[Bracket(label, places[i], places[j]) for label, i, j in self.brackets],
        )

    def scored_brackets(self, params: EvalbParams) -> list[Bracket]:
        """The brackets that count: those over words whose label, without function tags, is kept."""
        plain = (Bracket(plain_label(label), start, end) for label, start, end in self.brackets)
        return [
            bracket
            for bracket in plain
            if bracket.start != bracket.end and not params.deletes_bracket(bracket.label)
        ]

    def scored_lost(self, params: EvalbParams) -> list[str]:
        """The labels of the lost brackets that count."""
        labels = map(plain_label, self.lost)
        return [label for label in labels if not params.deletes_bracket(label)]


def plain_label(label: str) -> str:
    """The label up to its first `-` or `=`: EVALB's rule, which leaves nothing of `-NONE-`."""
    return _FUNCTION.sub("", label) if "-" in label or "=" in label else label


def read_line(line: str) -> Bracketing:
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
            tree.words.append(word)
            tree.tags.append(tag)
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


def score_sentence(gold: Bracketing, predicted: Bracketing, params: EvalbParams) -> SentenceScore:
    """Compare a predicted tree with the gold one.

    Text that is not a tree makes the sentence an error; its brackets are still compared and
    counted in the SentenceScore, as EVALB does, if it is over the same words.

    Args:
        gold, predicted: The trees with all of their words.
        params: The words, labels and equivalences that count.
    """
    problems = [f"gold: {problem}" for problem in gold.problems]
    problems += [f"predicted: {problem}" for problem in predicted.problems]
    length = sum(tag not in params.delete_labels_for_length for tag in gold.tags)
    score = SentenceScore(Status.ERROR, length, problems=problems)
    copies, predicted_copies = (
        [int(tag not in params.delete_labels) for tag in tree.tags] for tree in (gold, predicted)
    )
    if not any(predicted_copies) and not predicted.broken:
        score.status = Status.SKIP
        return score
    if gold.broken or predicted.broken:
        return score
    n_words, n_predicted = sum(copies), sum(predicted_copies)
    if n_words != n_predicted:
        restore_quotes(gold, copies, predicted, predicted_copies, params)
    gold = gold.select(copies, sum(copies) - n_words)
    predicted = predicted.select(predicted_copies, sum(predicted_copies) - n_predicted)
    if len(gold.words) != len(predicted.words):
        problems.append(
            f"the gold tree has {len(gold.words)} words to compare, the predicted one "
            f"{len(predicted.words)}{_unknown_tags(gold, predicted)}"
        )
        return score
    for word, other in zip(gold.words, predicted.words, strict=True):
        if not params.same_word(word, other):
            problems.append(f"the gold tree has {word!r} where the predicted one has {other!r}")
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
    spans = {(start, end) for _, start, end in gold}
    return sum(
        any(first < start < last < end or start < first < end < last for first, last in spans)
        for _, start, end in predicted
    )


def restore_quotes(
    gold: Bracketing,
    copies: list[int],
    predicted: Bracketing,
    predicted_copies: list[int],
    params: EvalbParams,
) -> None:
    """Put back quote characters whose tag had them deleted from one tree and not from the other,
    so that a tag alone makes no sentence an error (see EvalbParams.quote_labels).

    Args:
        gold, predicted: The trees with all of their words.
        copies, predicted_copies: 1 for each word that is compared, 0 for one that is deleted;
            changed in place.
        params: The tags of quote characters and the deleted ones.
    """
    gold_quotes, quotes = (
        [
            i
            for i, word in enumerate(tree.words)
            if word in _QUOTES and tree.tags[i] in params.quote_labels
        ]
        for tree in (gold, predicted)
    )
    gold_before, before = (list(accumulate(n, initial=0)) for n in (copies, predicted_copies))
    for i in quotes:
        is_deleted = predicted.tags[i] in params.delete_labels
        # EVALB takes the place as it is before any quote is put back at it.
        place = before[i]
        for j in gold_quotes:
            if gold_before[j] != place or (gold.tags[j] in params.delete_labels) == is_deleted:
                continue
            if is_deleted:
                _restore(predicted_copies, before, i)
            else:
                _restore(copies, gold_before, j)


def _restore(copies: list[int], before: list[int], word: int) -> None:
    """Compare a quote character again. Like EVALB, count it as before itself."""
    copies[word] += 1
    before[word:] = [n + 1 for n in before[word:]]

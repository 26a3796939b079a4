"""Precision, recall, F1 and aligned accuracy of the CoNLL 2018 metrics, and their table."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

from .alignment import align_words
from .annotation import ROOT, Annotation, Span, Word

Pair = tuple[int, int]
METRICS = tuple(
    "Tokens Sentences Words UPOS XPOS UFeats AllTags Lemmas UAS LAS CLAS MLAS BLEX".split()
)
SEGMENTATION = METRICS[:3]
"""The metrics without an aligned accuracy."""


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of a metric; those of several texts add up.

    Attributes:
        gold: Units of the gold annotation.
        system: Units of the system's annotation.
        correct: Units that are right.
        aligned: Gold units that are aligned with a system word.
    """

    gold: int = 0
    system: int = 0
    correct: int = 0
    aligned: int = 0

    def __add__(self, other: "Score") -> "Score":
        return Score(
            self.gold + other.gold,
            self.system + other.system,
            self.correct + other.correct,
            self.aligned + other.aligned,
        )

    @property
    def precision(self) -> float:
        """The share of the system's units that are right."""
        return _share(self.correct, self.system)

    @property
    def recall(self) -> float:
        """The share of the gold units that are found."""
        return _share(self.correct, self.gold)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return _share(2 * self.correct, self.gold + self.system)

    @property
    def aligned_accuracy(self) -> float:
        """The share of the aligned units that are right."""
        return _share(self.correct, self.aligned)


Scores = dict[str, Score]
"""A score for each name of ``METRICS``."""


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def add_scores(several: Iterable[Scores]) -> Scores:
    """Sum the counts of several texts."""
    total = dict.fromkeys(METRICS, Score())
    for scores in several:
        for name, score in scores.items():
            total[name] += score
    return total


def score_annotations(gold: Annotation, system: Annotation) -> Scores:
    """Score a system's annotation of a text.

    Args:
        gold: The gold annotation.
        system: The system's annotation of the same text. That the texts are the same is not
            checked here.
    """
    pairs = align_words(gold.words, system.words)
    judge = _Judge(gold, system, pairs)
    words = Score(len(gold.words), len(system.words), len(pairs), len(pairs))

    def of_all(right: Callable[[Pair], bool]) -> Score:
        return Score(words.gold, words.system, sum(map(right, pairs)), len(pairs))

    content = [pair for pair in pairs if gold.words[pair[0]].is_content]
    n_gold, n_system = (sum(word.is_content for word in one.words) for one in (gold, system))

    def of_content(right: Callable[[Pair], bool]) -> Score:
        return Score(n_gold, n_system, sum(map(right, content)), len(content))

    return {
        "Tokens": _same_spans(gold.tokens, system.tokens),
        "Sentences": _same_spans(gold.sentences, system.sentences),
        "Words": words,
        "UPOS": of_all(lambda pair: judge.same(pair, "upos")),
        "XPOS": of_all(lambda pair: judge.same(pair, "xpos")),
        "UFeats": of_all(lambda pair: judge.same(pair, "feats")),
        "AllTags": of_all(lambda pair: judge.same(pair, "upos", "xpos", "feats")),
        "Lemmas": of_all(judge.lemma),
        "UAS": of_all(judge.head),
        "LAS": of_all(judge.arc),
        "CLAS": of_content(judge.arc),
        "MLAS": of_content(judge.morphology),
        "BLEX": of_content(lambda pair: judge.arc(pair) and judge.lemma(pair)),
    }


def _same_spans(gold: Sequence[Span], system: Sequence[Span]) -> Score:
    correct = len(set(gold) & set(system))
    return Score(len(gold), len(system), correct, correct)


class _Judge:
    """Says what is right about an aligned system word."""

    def __init__(self, gold: Annotation, system: Annotation, pairs: Sequence[Pair]) -> None:
        self.gold: Sequence[Word] = gold.words
        self.system: Sequence[Word] = system.words
        self.gold_of = {s: g for g, s in pairs}
        self.gold_children = gold.functional_children()
        self.system_children = system.functional_children()

    def same(self, pair: Pair, *fields: str) -> bool:
        """Tell whether both words have the same values in all of these fields."""
        gold, system = self.gold[pair[0]], self.system[pair[1]]
        return all(getattr(gold, field) == getattr(system, field) for field in fields)

    def lemma(self, pair: Pair) -> bool:
        """Where gold has no lemma, every lemma is right."""
        lemma = self.gold[pair[0]].lemma
        return lemma == "_" or lemma == self.system[pair[1]].lemma

    def head(self, pair: Pair) -> bool:
        """The system's head is aligned with the gold head, or both words are roots."""
        mine, found = self.gold[pair[0]].head, self.system[pair[1]].head
        if mine < 0 or found < 0:
            return mine == found == ROOT
        return self.gold_of.get(found) == mine

    def arc(self, pair: Pair) -> bool:
        return self.head(pair) and self.same(pair, "relation")

    def morphology(self, pair: Pair) -> bool:
        """The arc, UPOS and features are right, and the same is true of relation, UPOS and
        features of the functional words that hang on the word, none too many and none missing."""
        if not (self.arc(pair) and self.same(pair, "upos", "feats")):
            return False
        mine, found = self.gold_children[pair[0]], self.system_children[pair[1]]
        return len(mine) == len(found) and all(
            self.gold_of.get(s) == g and self.same((g, s), "relation", "upos", "feats")
            for g, s in zip(mine, found, strict=True)
        )


_TITLES = "Metric     | Precision |    Recall |  F1 Score | AligndAcc"
_RULE = "-----------+-----------+-----------+-----------+-----------"


def table_lines(scores: Scores) -> Iterator[str]:
    """Write the table in per cent, as the official program prints it with ``-v``."""
    yield _TITLES
    yield _RULE
    for name in METRICS:
        score = scores[name]
        cells = [score.precision, score.recall, score.f1]
        line = f"{name:10} |" + "".join(f"{100 * cell:10.2f} |" for cell in cells)
        yield line if name in SEGMENTATION else f"{line}{100 * score.aligned_accuracy:10.2f}"


def as_figures(scores: Scores) -> dict[str, dict[str, int | float | None]]:
    """Counts and shares, from 0 to 1, by the name of the metric."""
    return {
        name: {
            **asdict(score),
            "precision": score.precision,
            "recall": score.recall,
            "f1": score.f1,
            "aligned_accuracy": None if name in SEGMENTATION else score.aligned_accuracy,
        }
        for name, score in scores.items()
    }

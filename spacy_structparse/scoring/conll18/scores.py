"""Precision, recall, F1 and aligned accuracy of the CoNLL 2018 metrics, and their table."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass
from operator import add, attrgetter

from .alignment import align_words
from .annotation import ROOT, Annotation, Span, Word

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
        return Score(*map(add, astuple(self), astuple(other)))

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


def score_annotations(gold: Annotation, system: Annotation) -> Scores:
    """Score a system's annotation of a text.

    Args:
        gold: The gold annotation.
        system: The system's annotation of the same text. That the texts are the same is not
            checked here.
    """
    pairs = align_words(gold.words, system.words)
    aligned = [(gold.words[g], system.words[s]) for g, s in pairs]
    gold_place = {ROOT: ROOT, **{s: g for g, s in pairs}}  # by the place of a system word

    def same(*fields: str) -> list[bool]:
        """Return whether the words of each pair have the same values in all of these fields."""
        values = attrgetter(*fields)
        return [values(word) == values(other) for word, other in aligned]

    # The system's head is aligned with the gold head, or both words are roots.
    heads = [gold_place.get(other.head) == word.head for word, other in aligned]
    arcs = both(heads, same("relation"))
    # Where gold has no lemma, every lemma is right.
    lemmas = [word.lemma in ("_", other.lemma) for word, other in aligned]
    functional = functional_words(gold.words, range(len(gold.words)))
    others = functional_words(system.words, list(map(gold_place.get, range(len(system.words)))))
    same_functional = [functional[g] == others[s] for g, s in pairs]
    morphology = both(arcs, same("upos", "feats"), same_functional)
    is_content = [word.is_content for word, _ in aligned]
    n_gold, n_system = (sum(word.is_content for word in side.words) for side in (gold, system))

    def of_all(right: list[bool]) -> Score:
        return Score(len(gold.words), len(system.words), sum(right), len(pairs))

    def of_content(right: list[bool]) -> Score:
        return Score(n_gold, n_system, sum(both(right, is_content)), sum(is_content))

    return {
        "Tokens": _same_spans(gold.tokens, system.tokens),
        "Sentences": _same_spans(gold.sentences, system.sentences),
        "Words": of_all([True] * len(pairs)),
        "UPOS": of_all(same("upos")),
        "XPOS": of_all(same("xpos")),
        "UFeats": of_all(same("feats")),
        "AllTags": of_all(same("upos", "xpos", "feats")),
        "Lemmas": of_all(lemmas),
        "UAS": of_all(heads),
        "LAS": of_all(arcs),
        "CLAS": of_content(arcs),
        "MLAS": of_content(morphology),
        "BLEX": of_content(both(arcs, lemmas)),
    }


def both(*judgements: list[bool]) -> list[bool]:
    """Return whether all judgements on each pair of words are true."""
    return [all(of_pair) for of_pair in zip(*judgements, strict=True)]


def functional_words(
    words: Sequence[Word], gold_places: Sequence[int | None]
) -> defaultdict[int, list[tuple[int | None, str, str, str]]]:
    """The functional words that hang on each word, with what MLAS compares of them: the gold word
    that they are, their relation, UPOS and features."""
    of_head = defaultdict(list)
    for word, place in zip(words, gold_places, strict=True):
        if word.is_functional:
            of_head[word.head].append((place, word.relation, word.upos, word.feats))
    return of_head


def _same_spans(gold: Sequence[Span], system: Sequence[Span]) -> Score:
    correct = len(set(gold) & set(system))
    return Score(len(gold), len(system), correct, correct)


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

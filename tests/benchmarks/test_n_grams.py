"""Modified Kneser-Ney smoothing gives distributions, and the values of its equations."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.n_grams import END, START, KneserNey
from spacy_structparse.corpora.conllu import read_conllu
from tests.helpers.paths import SAMPLE

UNKNOWN = "<unk>"
ORDER = 3


def sentences(path: Path) -> list[tuple[str, ...]]:
    return [tuple(sentence.words) for sentence in read_conllu(path)]


@pytest.fixture(scope="module")
def text() -> list[tuple[str, ...]]:
    """The sample's training part. Words that occur once are unknown."""
    found = sentences(SAMPLE / "train.conllu")
    words = [word for sentence in found for word in sentence]
    known = {word for word in words if words.count(word) > 1}
    return [tuple(word if word in known else UNKNOWN for word in words) for words in found]


@pytest.fixture(scope="module")
def vocabulary(text: list[tuple[str, ...]]) -> set[str]:
    return {UNKNOWN, "unseen", *(word for words in text for word in words)}


@pytest.fixture(scope="module")
def model(text: list[tuple[str, ...]], vocabulary: set[str]) -> KneserNey:
    return KneserNey(text, vocabulary, ORDER)


def naive_model(
    text: list[tuple[str, ...]], vocabulary: set[str], order: int
) -> Callable[[str, tuple[str, ...]], float]:
    """p(w | h), an equation at a time (Chen and Goodman 1999, §3)."""
    words = {*vocabulary, END}
    marked = [(START, *sentence, END) for sentence in text]
    occurrences: dict[tuple[str, ...], int] = {}
    for sentence in marked:
        for start in range(len(sentence)):
            for end in range(start + 1, len(sentence) + 1):
                n_gram = sentence[start:end]
                if len(n_gram) <= order + 1 and n_gram != (START,):
                    occurrences[n_gram] = occurrences.get(n_gram, 0) + 1
    before: dict[tuple[str, ...], set[str]] = {}
    for n_gram in occurrences:
        before.setdefault(n_gram[1:], set()).add(n_gram[0])

    def count(n_gram: tuple[str, ...]) -> int:
        if len(n_gram) == order or n_gram[0] == START:
            return occurrences.get(n_gram, 0)
        return len(before.get(n_gram, ()))  # N1+(. w1 ... wn)

    def discounts(n: int) -> list[float]:
        counts = [count(n_gram) for n_gram in occurrences if len(n_gram) == n]
        n1, n2, n3, n4 = (counts.count(k) for k in (1, 2, 3, 4))
        y = n1 / (n1 + 2 * n2)
        return [0, 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3]

    known = {n: discounts(n) for n in range(1, order + 1)}

    def probability(word: str, history: tuple[str, ...]) -> float:
        d = known[len(history) + 1]
        shorter = probability(word, history[1:]) if history else 1 / len(words)
        counts = {w: count((*history, w)) for w in words}
        total = sum(counts.values())
        if total == 0:
            return shorter
        of_count = [sum(c == k for c in counts.values()) for k in (1, 2)]
        of_more = sum(c >= 3 for c in counts.values())
        gamma = (d[1] * of_count[0] + d[2] * of_count[1] + d[3] * of_more) / total
        own = counts[word]
        return max(own - d[min(own, 3)], 0) / total + gamma * shorter

    return probability


def test_probabilities_of_all_words_sum_to_one(
    model: KneserNey, text: list[tuple[str, ...]], vocabulary: set[str]
) -> None:
    seen = [(START, *words)[i : i + n] for words in text[:20] for i in (0, 3) for n in range(3)]
    unseen = [("unseen",), ("the", "unseen"), ("unseen", "the"), (".", ".")]
    for before in {*seen, *unseen, (START, "the"), (START, "unseen")}:
        found = [model.probability(word, before) for word in (*vocabulary, END)]
        assert math.fsum(found) == pytest.approx(1, abs=1e-12)
        assert min(found) > 0


def test_probabilities_are_those_of_the_equations(
    model: KneserNey, text: list[tuple[str, ...]], vocabulary: set[str]
) -> None:
    expected = naive_model(text, vocabulary, ORDER)
    for sentence in [*text[:3], ("the", "unseen", "of", "the", UNKNOWN), ()]:
        marked = (START, *sentence, END)
        assert model.sentence(sentence) == pytest.approx(
            [expected(marked[i], marked[max(0, i - 2) : i]) for i in range(1, len(marked))],
            abs=1e-6,
        )


def test_a_text_too_small_is_an_error() -> None:
    with pytest.raises(ValueError, match="larger text or a lower order"):
        KneserNey([("a", "b"), ("a",)], {"a", "b"}, 2)

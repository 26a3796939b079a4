"""N-grams with interpolated modified Kneser-Ney smoothing (Chen and Goodman 1999, §3)."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence

START, END = "<s>", "</s>"
NGram = tuple[str, ...]
MAX_DISCOUNTED = 3  # n-grams that occur so often or more share one discount


class KneserNey:
    """Probabilities of words and of sentence ends, from counted n-grams.

    The longest n-grams have their counts. A shorter one has the number of different words that come
    before it, or its count where it begins a sentence, since no word comes before it there.

    Args:
        sentences: The words of each sentence, all of them in the vocabulary.
        vocabulary: All words, the unknown one included; the end of a sentence is added.
        order: Length of the longest n-grams.

    Raises:
        ValueError: The text is too small to estimate the discounts from.
    """

    def __init__(
        self, sentences: Iterable[Sequence[str]], vocabulary: Collection[str], order: int
    ) -> None:
        self.order = order
        self.uniform = 1 / len({*vocabulary, END})
        self.counts = _adjusted_counts(sentences, order)
        self.discounts = [_discounts(of_length) for of_length in self.counts]
        # Of each context: the sum of its counts, and of what is taken off them.
        self.totals: defaultdict[NGram, int] = defaultdict(int)
        self.taken: defaultdict[NGram, float] = defaultdict(float)
        for of_length, discounts in zip(self.counts, self.discounts, strict=True):
            for n_gram, count in of_length.items():
                self.totals[n_gram[:-1]] += count
                self.taken[n_gram[:-1]] += discounts[min(count, MAX_DISCOUNTED)]

    def probability(self, word: str, before: Sequence[str]) -> float:
        """The probability of a word, or of the end, after the words before it and ``START``."""
        p = self.uniform
        for n in range(min(self.order, len(before) + 1)):
            context = tuple(before[len(before) - n :])
            if context not in self.totals:
                break  # nor are longer contexts
            count = self.counts[n][*context, word]
            kept = count - self.discounts[n][min(count, MAX_DISCOUNTED)]
            p = (kept + self.taken[context] * p) / self.totals[context]
        return p

    def sentence(self, words: Sequence[str]) -> list[float]:
        """The probabilities of the words of a sentence and of its end: (n + 1,)."""
        marked = (START, *words, END)
        return [
            self.probability(marked[i], marked[max(i - self.order + 1, 0) : i])
            for i in range(1, len(marked))
        ]


def _adjusted_counts(sentences: Iterable[Sequence[str]], order: int) -> list[Counter[NGram]]:
    """For each length the counts of its n-grams, or what stands for counts."""
    counts: list[Counter[NGram]] = [Counter() for _ in range(order)]
    for words in sentences:
        marked = (START, *words, END)
        for end in range(2, len(marked) + 1):
            counts[min(end, order) - 1][marked[max(end - order, 0) : end]] += 1
    for shorter, longer in zip(counts[-2::-1], counts[:0:-1], strict=True):
        shorter.update(n_gram[1:] for n_gram in longer)
    return counts


def _discounts(counts: Counter[NGram]) -> list[float]:
    """The discounts of counts of 0, 1, 2, and 3 or more (Chen and Goodman 1999, §3)."""
    n = Counter(counts.values())
    discounts = [0.0]
    for k in range(1, MAX_DISCOUNTED + 1):
        y = n[1] / max(n[1] + 2 * n[2], 1)
        discounts.append(k - (k + 1) * y * n[k + 1] / max(n[k], 1))
        if not n[k + 1] or not 0 <= discounts[k] <= k:
            length = len(next(iter(counts), ()))
            raise ValueError(
                f"The {length}-grams with a count of {k} are {n[k]}, those of {k + 1} are "
                f"{n[k + 1]}: no discount follows from that. Use a larger text or a lower order"
            )
    return discounts

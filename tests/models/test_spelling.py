"""Spellings of words outside a vocabulary have a distribution that knows what words look like."""

import itertools

import pytest

from spacy_structparse.models.spelling import N_SYMBOLS, Spelling


def test_values_by_hand() -> None:
    # Over "a" and "ab", two characters at most. No character before: a twice, b once, the end
    # twice, so three kinds among five. Before the end of a context c, with T kinds among N:
    # p(x | c) = (n(c, x) + T p(x)) / (N + T).
    spelling = Spelling(["a", "ab"], 2)
    base = 3 / N_SYMBOLS
    p_a, p_b, p_end = (2 + base) / 8, (1 + base) / 8, (2 + base) / 8
    a_first = (2 + p_a) / 3  # after the start: a twice, one kind
    b_first = p_b / 3
    end_after_a = (1 + 2 * p_end) / 4  # after a: b once, the end once
    b_after_a = (1 + 2 * p_b) / 4
    end_after_b = (1 + p_end) / 2
    vocabulary = a_first * end_after_a + a_first * b_after_a * end_after_b
    assert 2 ** -spelling.bits("b") == pytest.approx(
        b_first * end_after_b / (1 - vocabulary), rel=1e-9
    )
    # An unseen character has its share of all there are, and no longer context after it.
    unseen = base / 8
    assert 2 ** -spelling.bits("z") == pytest.approx(
        unseen / 3 * p_end / (1 - vocabulary), rel=1e-9
    )


def test_the_probabilities_of_all_other_words_sum_to_one() -> None:
    vocabulary = ["a", "ab", "abb", "ba"]
    spelling = Spelling(vocabulary, 3)
    others = N_SYMBOLS - 3  # characters besides a, b and the end, each as likely as z
    total = sum(
        others ** letters.count("z") * 2 ** -spelling.bits("".join(letters))
        for n in range(9)
        for letters in itertools.product("abz", repeat=n)
        if "".join(letters) not in vocabulary
    )
    assert 0.99 < total < 1  # what is left is longer

"""Sentences that were seen before."""

import random

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_structparse.extensions.multiword import set_multiword_tokens
from spacy_structparse.tools.agreement.duplicates import (
    fingerprint,
    keys_of,
    near_fingerprint,
)


@pytest.mark.parametrize(
    "same", ["IN 2025 It Rained .", "in 1999 it rained.", "in 20 26 it rained ."]
)
def test_case_digits_and_space_make_no_difference(same: str) -> None:
    assert fingerprint(same.split()) == fingerprint("In 2026 it rained .".split())


def test_multiword_tokens_are_found_split_and_whole() -> None:
    doc = Doc(Vocab(), ["Wir", "sind", "in", "dem", "Haus", "."])
    set_multiword_tokens(doc, [(2, 4, "im")])
    held_out = frozenset(keys_of([doc], fingerprint))
    for text in ("Wir sind im Haus .", "Wir sind in dem Haus ."):
        assert held_out & set(fingerprint(text.split()))
    assert not held_out & set(fingerprint("Wir sind Haus .".split()))


@pytest.mark.parametrize(
    "other", ["In 26 it rained .", "In 2026 it rains .", "it rained in 2026 ."]
)
def test_letters_and_the_number_of_digits_do(other: str) -> None:
    assert fingerprint(other.split()) != fingerprint("In 2026 it rained .".split())


def test_near_duplicates_share_a_key() -> None:
    pytest.importorskip("datasketch")
    keys = near_fingerprint()
    numbers = random.Random(0)
    found = {"near": 0, "far": 0}
    for _ in range(50):
        words = [f"w{'abcdefghij'[numbers.randrange(10)]}{i}" for i in range(60)]
        letters = [word.translate(str.maketrans("0123456789", "klmnopqrst")) for word in words]
        near = [*letters[:30], "new", *letters[31:]]
        # 59 of 61 pairs on each side are the same, a share of 59/63 = 0.94: 0.999 are found.
        found["near"] += bool(set(keys(letters)) & set(keys(near)))
        # 30 of 61 are, a share of 30/92 = 0.33: one in 1000 is found.
        far = [*letters[:30], *(f"x{word}" for word in letters[30:])]
        found["far"] += bool(set(keys(letters)) & set(keys(far)))
    assert found["near"] >= 48
    assert found["far"] <= 2

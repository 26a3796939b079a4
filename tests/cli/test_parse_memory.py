"""Memory of `spacy structparse parse` over a long text: the vocabulary does not grow with it."""

import platform
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch

from spacy_structparse.cli.parse_workers import pipe
from spacy_structparse.corpora import memory_zone
from spacy_structparse.processes import memory_used

MEGABYTE = 10**6


class SizesOfBatches:
    """Writes the number of Docs that are parsed together."""

    def pipe(self, docs: Iterable[Doc], batch_size: int) -> Iterator[Doc]:
        for batch in minibatch(docs, batch_size):
            for doc in batch:
                doc.cats["size"] = len(batch)
                yield doc

    def __call__(self, doc: Doc) -> Doc:
        return doc


@Language.factory("test_sizes_of_batches")
def make_sizes_of_batches(nlp: Language, name: str) -> SizesOfBatches:
    return SizesOfBatches()


class Fragments:
    """Needs much memory for each Doc, and keeps what lies above it."""

    def __init__(self) -> None:
        self.kept: list[bytes] = []
        self.most = 0

    def __call__(self, doc: Doc) -> Doc:
        blocks = [bytes(1000) for _ in range(100_000)]
        self.kept.append(blocks[-1])
        self.most = max(self.most, memory_used())
        return doc


@Language.factory("test_fragments")
def make_fragments(nlp: Language, name: str) -> Fragments:
    return Fragments()


TEXTS = [f"Unseen{i} names{i} pass. So do they{i}." for i in range(50)]


def parsed(*, n_process: int, forget_words: bool) -> tuple[list[dict], int]:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    before = len(nlp.vocab.strings)
    docs = pipe(nlp, iter(TEXTS), batch_size=8, n_process=n_process, forget_words=forget_words)
    return [doc.to_json() for doc in docs], len(nlp.vocab.strings) - before


def test_words_of_finished_batches_are_forgotten_and_parses_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """But for the first ones, of which there are none here."""
    monkeypatch.setattr(memory_zone, "KEPT_WORDS", 0)
    expected, learned = parsed(n_process=1, forget_words=False)
    assert learned > len(TEXTS)
    for n_process in (1, 2):
        docs, left = parsed(n_process=n_process, forget_words=True)
        assert docs == expected
        assert left < 20


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library decides itself")
def test_free_memory_is_given_back_between_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    nlp = spacy.blank("en")
    fragments: Any = nlp.add_pipe("test_fragments")

    def free_after(limit: int) -> int:
        monkeypatch.setattr(memory_zone, "GIVE_BACK_ABOVE", limit)
        fragments.most = 0
        assert len(list(pipe(nlp, iter(["one"]), batch_size=2, forget_words=True))) == 1
        return fragments.most - memory_used()

    assert free_after(10**15) < 50 * MEGABYTE < free_after(0)


@pytest.mark.parametrize("n_process", [1, 2])
@pytest.mark.parametrize("forget_words", [False, True])
def test_a_batch_of_long_texts_is_parsed_in_parts(
    monkeypatch: pytest.MonkeyPatch, n_process: int, forget_words: bool
) -> None:
    """The same however many batches come before it, so that a resumed run has the same parts."""
    monkeypatch.setattr(memory_zone, "CHARACTERS_A_TEXT", 12)
    nlp = spacy.blank("xx")
    nlp.add_pipe("test_sizes_of_batches")
    texts = ["a" * 30, "b" * 30, "c", "d" * 90, "e", "f", "g"]
    docs = pipe(nlp, iter(texts), batch_size=5, n_process=n_process, forget_words=forget_words)
    assert [(doc.text, doc.cats["size"]) for doc in docs] == list(
        zip(texts, [2, 2, 2, 2, 1, 2, 2], strict=True)
    )

"""Memory of `spacy structparse parse` over a long text: the vocabulary does not grow with it."""

import pytest
import spacy

from spacy_structparse.cli.parse_workers import pipe
from spacy_structparse.corpora import word_zones

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
    monkeypatch.setattr(word_zones, "KEPT_WORDS", 0)
    expected, learned = parsed(n_process=1, forget_words=False)
    assert learned > len(TEXTS)
    for n_process in (1, 2):
        docs, left = parsed(n_process=n_process, forget_words=True)
        assert docs == expected
        assert left < 20


def test_a_stream_of_whole_batches_ends() -> None:
    nlp = spacy.blank("en")
    assert len(list(pipe(nlp, iter(TEXTS[:16]), batch_size=8, forget_words=True))) == 16
    assert not list(pipe(nlp, iter(()), batch_size=8, forget_words=True))

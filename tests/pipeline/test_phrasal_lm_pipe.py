"""phrasal_lm learns sentences, says how likely words were, and keeps what it found."""

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_structparse.extensions.surprisal import (
    phrase_weights,
    surprisals,
)
from spacy_structparse.models.spelling import Spelling
from tests.helpers.once import trained_once
from tests.helpers.small_lm import NAME, lm_pipeline, small_lm
from tests.helpers.small_parser import HASHED, WIDTH, bare, examples_of, step_of


@pytest.fixture(scope="module")
def trained_lm(twenty: list[Doc], shared_folder: Path) -> Language:
    """Knows twenty sentences by heart. Not to be trained further."""

    def examples(nlp: Language) -> list[Example]:
        return examples_of(nlp, twenty)

    return trained_once(shared_folder / "lm", lambda: lm_pipeline(examples), examples, 120)


@pytest.fixture
def untrained_lm(twenty: list[Doc]) -> Language:
    return lm_pipeline(lambda nlp: examples_of(nlp, twenty))


def bits(doc: Doc) -> list[float | None]:
    return [value for t in doc for value in (t._.surprisal, t._.end_surprisal)]


def read(nlp: Language, docs: list[Doc]) -> list[list[float | None]]:
    return [bits(doc) for doc in nlp.pipe([bare(nlp.vocab, doc) for doc in docs], batch_size=4)]


def test_sentences_are_learned(
    trained_lm: Language, untrained_lm: Language, twenty: list[Doc]
) -> None:
    before = untrained_lm.evaluate(examples_of(untrained_lm, twenty))
    after = trained_lm.evaluate(examples_of(trained_lm, twenty))
    # Nothing is left but which of the sentences comes: of twenty, some four bits in ten words.
    assert after["lm_perplexity"] < 2.0 < 30.0 < before["lm_perplexity"]
    assert after["lm_score"] > before["lm_score"]


def test_perplexity_is_that_of_the_surprisals(trained_lm: Language, twenty: list[Doc]) -> None:
    docs = list(trained_lm.pipe([bare(trained_lm.vocab, doc) for doc in twenty]))
    found = [b for doc in docs for b in bits(doc) if b is not None]
    assert len(found) == sum(len(doc) + 1 for doc in docs)
    assert min(found) >= 0
    for doc in docs:
        own = [b for b in bits(doc) if b is not None]
        assert doc._.perplexity == pytest.approx(2 ** (sum(own) / len(own)))
        assert [token._.end_surprisal is not None for token in doc] == [False] * (len(doc) - 1) + [
            True
        ]
    scores = trained_lm.evaluate(examples_of(trained_lm, twenty))
    assert scores["lm_perplexity"] == pytest.approx(2 ** (sum(found) / len(found)))
    assert scores["lm_score"] == pytest.approx(-math.log2(scores["lm_perplexity"]))


def test_unknown_words_are_one_word_and_their_spelling(trained_lm: Language) -> None:
    known = trained_lm.get_pipe(NAME).labels[-1]
    one, other = (
        trained_lm(Doc(trained_lm.vocab, [known, word, known])) for word in ("xqzvwk", "waters")
    )
    assert surprisals(one, "one_word") == pytest.approx(surprisals(other, "one_word"))
    assert [token._.is_unknown for token in one] == [False, True, False]
    spelling = Spelling(trained_lm.get_pipe(NAME).labels, 4)
    for doc in (one, other):
        assert doc[1]._.spelling_surprisal == pytest.approx(spelling.bits(doc[1].text))
        assert doc[0]._.spelling_surprisal is None
    assert one[1]._.surprisal > other[1]._.surprisal


def test_without_spelling_unknown_words_are_alike(twenty: list[Doc]) -> None:
    nlp = lm_pipeline(lambda nlp: examples_of(nlp, twenty), min_freq=2, spelling_order=0)
    one, other = (nlp(Doc(nlp.vocab, [word])) for word in ("xqzvwk", "waters"))
    assert one[0]._.surprisal == pytest.approx(other[0]._.surprisal)
    assert one[0]._.is_unknown and one[0]._.spelling_surprisal is None


def test_perplexity_with_and_without_unknown_words(twenty: list[Doc]) -> None:
    nlp = lm_pipeline(lambda nlp: examples_of(nlp, twenty), min_freq=2)
    word = nlp.get_pipe(NAME).labels[-1]
    doc = nlp(Doc(nlp.vocab, [word, "zyzzyva", word]))
    first, unknown, *others = [b for b in bits(doc) if b is not None]
    known = [first, *others]  # two words and the end
    assert doc._.known_perplexity == pytest.approx(2 ** (sum(known) / 3))
    assert doc[1:2]._.known_perplexity is None
    assert doc._.perplexity == pytest.approx(2 ** ((sum(known) + unknown) / 4))
    scores = nlp.get_pipe(NAME).score([Example(doc, doc)])
    assert scores["lm_spelled_perplexity"] == pytest.approx(doc._.perplexity)
    assert scores["lm_known_perplexity"] == pytest.approx(doc._.known_perplexity)
    one_word = sum(known) + unknown - doc[1]._.spelling_surprisal
    assert scores["lm_perplexity"] == pytest.approx(2 ** (one_word / 4))
    assert scores["lm_score"] == pytest.approx(-one_word / 4)


@pytest.mark.parametrize("min_freq", [1, 2])
def test_unknown_words_of_which_nothing_was_learned(twenty: list[Doc], min_freq: int) -> None:
    nlp = lm_pipeline(lambda nlp: examples_of(nlp, twenty), min_freq=min_freq)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        nlp(bare(nlp.vocab, twenty[0]))
        known = len(caught)
        nlp("The zyzzyva is here.")
    assert [known, len(caught)] == [0, 1 if min_freq == 1 else 0]
    assert all("min_freq = 2" in str(warning.message) for warning in caught)


def test_batches_and_sentences_of_one_doc(trained_lm: Language, sample_docs: list[Doc]) -> None:
    docs = sample_docs[:8]
    alone = [bits(trained_lm(bare(trained_lm.vocab, doc))) for doc in docs]
    for one, other in zip(read(trained_lm, docs), alone, strict=True):
        assert one == pytest.approx(other, abs=1e-4)
    joined = Doc.from_docs([bare(trained_lm.vocab, doc, starts=True) for doc in docs])
    assert bits(trained_lm(joined)) == pytest.approx([b for one in alone for b in one], abs=1e-4)


def test_entropy_of_the_next_word(twenty: list[Doc]) -> None:
    nlp = lm_pipeline(lambda nlp: examples_of(nlp, twenty), min_freq=2, keep_entropy=True)
    words = [token.text for token in twenty[0]]
    doc = nlp(Doc(nlp.vocab, words))
    # -log2 p of everything that may come after two words: known words, an unknown one, the end.
    labels = nlp.get_pipe(NAME).labels
    after = nlp.pipe(Doc(nlp.vocab, [*words[:2], word]) for word in (*labels, "zyzzyva"))
    found = [surprisals(one, "one_word")[2] for one in after]
    found.append(nlp(Doc(nlp.vocab, words[:2]))[1]._.end_surprisal)
    assert sum(2**-b for b in found) == pytest.approx(1, abs=1e-4)
    assert doc[1]._.entropy == pytest.approx(sum(b * 2**-b for b in found), abs=1e-3)
    nlp.get_pipe(NAME).keep_entropy = False
    assert nlp(doc)[1]._.entropy is None


def test_phrase_weights(trained_lm: Language, twenty: list[Doc]) -> None:
    doc = trained_lm(bare(trained_lm.vocab, twenty[0]))
    assert doc[0]._.phrase_attention == []
    for token in doc[1:]:
        phrases = token._.phrase_attention
        assert [span.text for span, _ in phrases] == [
            doc[start : token.i].text for start in range(token.i)
        ]
        assert sum(weight for _, weight in phrases) == pytest.approx(1.0, abs=1e-5)
    second = doc[2]._.phrase_attention
    trained_lm.get_pipe(NAME).keep_weights = False
    try:
        again = trained_lm(doc)
        assert again[2]._.phrase_attention == []
        assert bits(again) == bits(doc)
    finally:
        trained_lm.get_pipe(NAME).keep_weights = True
    assert len(second) == 2


def test_phrases_of_other_words_than_were_read_are_none(trained_lm: Language) -> None:
    def attended(doc: Doc) -> dict[str, int]:
        return {token.text: len(token._.phrase_attention) for token in doc}

    doc = trained_lm("The cook is here.")
    assert attended(doc) == {"The": 0, "cook": 1, "is": 2, "here": 3, ".": 4}
    as_doc: Any = Span.as_doc  # spaCy's stub lacks the argument
    part = as_doc(doc[2:], copy_user_data=True)
    assert attended(part) == {"is": 0, "here": 0, ".": 0}
    assert phrase_weights(part) == []

    merged = doc.copy()
    with merged.retokenize() as retokenizer:
        retokenizer.merge(merged[1:3])
    assert attended(merged) == {"The": 0, "cook is": 1, "here": 0, ".": 0}
    assert phrase_weights(merged) == []

    split = doc.copy()
    with split.retokenize() as retokenizer:
        retokenizer.split(split[1], ["co", "ok"], heads=[split[1], split[1]])
    assert attended(split) == {"The": 0, "co": 1, "ok": 0, "is": 0, "here": 0, ".": 0}
    assert phrase_weights(split) == []


def test_whitespace_is_no_word(trained_lm: Language) -> None:
    plain = trained_lm("The cook is here.")
    spaced = trained_lm("  The cook \n is here. ")
    assert [b for b in bits(spaced) if b is not None] == [b for b in bits(plain) if b is not None]
    assert all(token._.surprisal is None for token in spaced if token.is_space)
    found = {t.text: [s.text for s, _ in t._.phrase_attention] for t in spaced}
    assert found["is"] == ["The cook", "cook"]
    for empty in (trained_lm(""), trained_lm("  ")):
        assert empty._.perplexity is None


def test_vocabulary(twenty: list[Doc]) -> None:
    nlp = lm_pipeline(lambda nlp: examples_of(nlp, twenty), max_vocabulary=5)
    counts: dict[str, int] = {}
    for doc in twenty:
        for token in doc:
            counts[token.text] = counts.get(token.text, 0) + 1
    frequent = sorted(counts, key=lambda w: (-counts[w], w))[:5]
    assert set(nlp.get_pipe(NAME).labels) == set(frequent)
    docs = [Doc(nlp.vocab, words=[word]) for word in [*frequent, "zyzzyva"]]
    total = sum(2 ** -doc[0]._.surprisal for doc in nlp.pipe(docs))
    assert 0.5 < total < 1.0  # what is left is that the sentence has no word at all


@pytest.mark.parametrize(
    ("docs", "settings", "problem"),
    [
        ([[]], {}, "of 0 tokens"),
        ([["a", "b"]], {"min_freq": 3}, r"2 tokens none occurs min_freq = 3"),
        ([["a", "b"]], {"tok2vec": HASHED}, "sees the words that follow"),
        ([["a", "b"]], {"model": {"hidden_width": 0}}, "hidden_width is 0"),
        ([["a", "b"]], {"max_vocabulary": -2}, "max_vocabulary is -2, it must be a whole number"),
        (
            [["a", "b"]],
            {"model": {"feed": False, "summary_in_output": False}},
            "nothing reads the phrases",
        ),
    ],
)
def test_errors_say_what_is_wrong(docs: list, settings: dict, problem: str) -> None:
    def examples(nlp: Language) -> list:
        return examples_of(nlp, [Doc(nlp.vocab, words=words) for words in docs])

    with pytest.raises(ValueError, match=problem):
        lm_pipeline(examples, **settings)


@pytest.mark.parametrize(
    "settings",
    [{"word_width": 0, "features": ["NORM"]}, {"use_pos": True}],
)
def test_an_embedding_of_attributes_has_no_context(settings: dict) -> None:
    tok2vec = {
        "@architectures": "spacy-structparse.TokenEmbedding.v1",
        "width": 0,
        "word_width": 8,
        **settings,
    }

    def examples(nlp: Language) -> list[Example]:
        doc = Doc(nlp.vocab, words=["I", "ca", "n't", "read", "old", "books"])
        doc[2].norm_ = "not"  # as a tokenizer does, for this token alone
        for token in doc:
            token.tag_ = token.shape_
        return [Example(doc, doc)]

    lm_pipeline(examples, tok2vec=tok2vec)


def test_a_shared_embedding_is_refused(twenty: list[Doc]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": HASHED})
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": WIDTH}
    nlp.add_pipe(NAME, config=small_lm(tok2vec=listener))
    with pytest.raises(ValueError, match=r"shared.*embedding of its own"):
        nlp.initialize(lambda: examples_of(nlp, twenty))


@pytest.mark.parametrize("settings", [{"unit_gradient": True}, {"grad_clip": 1e-3}])
def test_gradients_are_scaled_once_for_a_step(
    untrained_lm: Language, twenty: list[Doc], settings: dict[str, Any]
) -> None:
    component = untrained_lm.get_pipe(NAME)
    component.grad_clip = 0.0
    batches = [examples_of(untrained_lm, docs) for docs in (twenty[:2], twenty[2:9], twenty[9:])]
    expected = sum(step_of(untrained_lm, NAME, batch) for batch in batches)
    for name, value in settings.items():
        setattr(component, name, value)
    found = step_of(untrained_lm, NAME, *batches)
    norm = np.linalg.norm(found)
    assert norm == pytest.approx(settings.get("grad_clip", 1.0), rel=1e-4)
    np.testing.assert_allclose(found / norm, expected / np.linalg.norm(expected), atol=1e-5)


def test_a_bad_batch_leaves_the_others_of_its_step(
    untrained_lm: Language, twenty: list[Doc]
) -> None:
    component = untrained_lm.get_pipe(NAME)
    component.skip_bad_batches = True
    first, bad, last = (
        examples_of(untrained_lm, docs) for docs in (twenty[:2], twenty, twenty[2:])
    )
    expected = step_of(untrained_lm, NAME, first, last)
    parameter = next(component._shim.module.parameters())
    good = parameter.data.clone()
    fix_random_seed(0)
    untrained_lm.update(first, sgd=False)
    parameter.data.fill_(math.nan)
    untrained_lm.update(bad, sgd=False)
    parameter.data.copy_(good)
    np.testing.assert_array_equal(step_of(untrained_lm, NAME, last), expected)
    assert component.skipped["batches that are not finite"] == 1


def test_sentences_made_up(trained_lm: Language, twenty: list[Doc]) -> None:
    component = trained_lm.get_pipe(NAME)

    def sample(seed: int, **options: Any) -> list[list[str]]:
        return component.sample(12, generator=torch.Generator().manual_seed(seed), **options)

    known = {tuple(token.text for token in doc) for doc in twenty}
    sampled = sample(0)
    # It knows twenty sentences by heart, and hardly any other.
    assert sum(tuple(words) in known for words in sampled) >= 8
    assert len({tuple(words) for words in sampled}) > 3
    assert sample(0) == sampled != sample(1)
    (likeliest,) = {tuple(words) for words in sample(3, temperature=0.0)}
    assert likeliest in known
    start = list(next(iter(known)))[:2]
    assert all(words[:2] == start for words in sample(0, start=start))
    assert all(len(words) <= 3 for words in sample(0, max_words=3))
    with pytest.raises(ValueError, match="temperature is -1"):
        sample(0, temperature=-1)


def test_labels_that_are_given_are_the_vocabulary(twenty: list[Doc]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe(NAME, config=small_lm())
    settings = {"labels": ["the", "a"]}
    nlp.config["initialize"]["components"][NAME] = settings
    nlp.initialize(lambda: examples_of(nlp, twenty))
    assert nlp.get_pipe(NAME).labels == ("the", "a")

"""Where docs are cut, what whitespace becomes, and that company changes no parse."""

import random

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_structparse.pipeline.sentences import cut_sentences, is_plainly_several, pack
from tests.helpers.small_parser import (
    NAME,
    add_parser,
    arcs,
    bare,
    examples_of,
    small_pipeline,
)


def joined(docs: list[Doc], vocab: spacy.vocab.Vocab, with_starts: bool) -> Doc:
    starts = [i == 0 for doc in docs for i in range(len(doc))]
    return Doc(
        vocab,
        words=[token.text for doc in docs for token in doc],
        sent_starts=starts if with_starts else None,
    )


def test_preset_sentence_starts_are_kept(untrained: Language, sample_docs: list[Doc]) -> None:
    docs = sample_docs[40:60]
    doc = untrained(joined(docs, untrained.vocab, True))
    assert [len(sent) for sent in doc.sents] == [len(one) for one in docs]
    assert all(token.head.sent.start == token.sent.start for token in doc)
    alone = [arcs(untrained(bare(untrained.vocab, one))) for one in docs]
    assert [
        (head - sent.start, label)
        for sent in doc.sents
        for head, label in arcs(doc)[sent.start : sent.end]
    ] == [arc for parse in alone for arc in parse]


def test_a_doc_without_starts_is_one_sentence(untrained: Language, twenty: list[Doc]) -> None:
    doc = untrained(joined(twenty[:4], untrained.vocab, False))
    assert len(list(doc.sents)) == 1
    assert sum(token.head == token for token in doc) == 1
    assert doc.has_annotation("DEP", require_complete=True)


def test_whitespace_is_never_a_head_and_changes_no_parse(
    trained: Language, twenty: list[Doc]
) -> None:
    plain = trained(twenty[1].text)
    spaced = trained("\n" + twenty[1].text.replace(" the", "   the") + "  \n ")
    words = [token for token in spaced if not token.is_space]
    place = {token.i: i for i, token in enumerate(words)}
    assert [token.text for token in words] == [token.text for token in plain]
    assert [(place[token.head.i], token.dep_) for token in words] == arcs(plain)
    spaces = [token for token in spaced if token.is_space]
    assert len(spaces) >= 3
    for token in spaces:
        assert not token.head.is_space
        assert token.dep_ == "dep"
        assert token.head.i == (1 if token.i == 0 else max(i for i in place if i < token.i))


def test_no_sentence_begins_at_whitespace_or_has_no_words(untrained: Language) -> None:
    doc = Doc(
        untrained.vocab,
        words=["\n", "Yes", ".", "\n\n", " ", "No", "\n"],
        spaces=[False] * 7,
        sent_starts=[True, False, False, True, False, True, False],
    )
    untrained(doc)
    assert [(sent.start, sent.end) for sent in doc.sents] == [(0, 5), (5, 7)]
    assert doc[0].head.i == 1
    assert (doc[3].head.i, doc[3].dep_) == (2, "dep")
    assert doc[4].head.i == 2
    assert doc[6].head.i == 5


def test_a_parse_does_not_depend_on_its_batch(untrained: Language, sample_docs: list[Doc]) -> None:
    check_batches(untrained, sample_docs[:30])


def test_a_parse_of_a_beam_does_not_depend_on_its_batch(
    twenty: list[Doc], sample_docs: list[Doc]
) -> None:
    nlp = small_pipeline(lambda nlp: examples_of(nlp, twenty), beam_width=3)
    check_batches(nlp, sample_docs[:30])


def check_batches(nlp: Language, docs: list[Doc]) -> None:
    alone = [arcs(nlp(bare(nlp.vocab, doc))) for doc in docs]
    component = nlp.get_pipe(NAME)
    for seed, (batch_size, max_words) in enumerate([(7, 40), (256, 20_000)]):
        order = list(range(len(docs)))
        random.Random(seed).shuffle(order)
        component.max_words = max_words
        stream = (bare(nlp.vocab, docs[i]) for i in order)
        parses = [arcs(doc) for doc in nlp.pipe(stream, batch_size=batch_size)]
        assert parses == [alone[i] for i in order]


def test_packing_bounds_the_words_of_a_batch() -> None:
    vocab = spacy.blank("en").vocab
    lengths = [3, 50, 7, 0, 9, 1, 20, 9]
    docs = [Doc(vocab, words=["w"] * n) for n in lengths]
    sentences = cut_sentences(docs)
    batches = pack(sentences, 20)
    sizes = [[len(sentences[i].tokens) for i in batch] for batch in batches]
    assert sorted(n for batch in sizes for n in batch) == sorted(n for n in lengths if n)
    assert all(sum(batch) <= 20 or len(batch) == 1 for batch in sizes)
    assert all(batch == sorted(batch, reverse=True) for batch in sizes)
    rows = np.concatenate([s.tokens + s.offset for s in sentences])
    assert rows.tolist() == list(range(sum(lengths)))


def test_packing_bounds_the_pairs_of_words_of_a_batch() -> None:
    vocab = spacy.blank("en").vocab
    lengths = [30, 10, 9, 9, 3, 3, 3, 1]
    sentences = cut_sentences([Doc(vocab, words=["w"] * n) for n in lengths])
    batches = pack(sentences, 1000, 200)
    sizes = [[len(sentences[i].tokens) for i in batch] for batch in batches]
    assert sizes == [[30], [10, 9], [9, 3], [3, 3, 1]]
    assert [len(batch) for batch in pack(sentences, 1000)] == [len(lengths)]
    assert [len(batch) for batch in pack(sentences, 1000, 0)] == [1] * len(lengths)


def test_training_cuts_by_the_gold(twenty: list[Doc], parser: str) -> None:
    """Two sentences in a doc are learned like two docs."""
    nlp = spacy.blank("en")
    add_parser(nlp, parser, tok2vec={"unk_prob": 0.0})
    gold = [Doc.from_docs(twenty[i : i + 2]) for i in (0, 2, 4)]
    nlp.initialize(lambda: examples_of(nlp, twenty[:6]))
    together = nlp.update(examples_of(nlp, gold, starts=True), sgd=False)
    apart = nlp.update(examples_of(nlp, twenty[:6]), sgd=False)
    assert together[NAME] == pytest.approx(apart[NAME], rel=1e-5)


def test_the_last_word_alone_is_no_sentence() -> None:
    vocab = spacy.blank("en").vocab
    assert is_plainly_several(Doc(vocab, words=["We", "go", ".", ")", "They", "stay"]))
    assert not is_plainly_several(Doc(vocab, words=["We", "go", ".", ")", "Home"]))

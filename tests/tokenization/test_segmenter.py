"""`spacy-structparse.segmenter.v1` on small treebanks of made-up languages."""

import random
import warnings

import numpy as np
import pytest
import spacy
import torch
from safetensors.torch import save
from spacy.attrs import NORM, ORTH
from spacy.tokens import Doc
from spacy.training import Example

from spacy_structparse.corpora.reader import create_corpus_reader
from spacy_structparse.errors import WeightsError
from spacy_structparse.extensions.multiword import set_multiword_tokens
from spacy_structparse.nn.segmenter import model, training
from spacy_structparse.nn.segmenter.characters import Words, read_characters

CONFIG = {"nlp": {"tokenizer": {"@tokenizers": "spacy-structparse.segmenter.v1", "width": 32}}}
NOUNS, VERBS, ADVERBS = ["kat", "bird", "hond", "mus"], ["ziet", "eet"], ["nu dan", "ooit"]


def words(doc):
    return [token.text for token in doc]


def treebank(vocab, n=120, space=True):
    """Docs of one sentence: *inkat* is *in* and *kat*, and *nu dan* is one word."""
    rng = random.Random(0)
    for _ in range(n):
        parts = ["in", *rng.sample(NOUNS, 2), rng.choice(VERBS), rng.choice(ADVERBS), "."]
        if not space:
            parts = [part.replace(" ", "") for part in parts]
        spaces = [False, *[space] * 3, False, space]
        doc = Doc(vocab, words=parts, spaces=spaces, sent_starts=[True] + [False] * 5)
        set_multiword_tokens(doc, [(0, 2, parts[0] + parts[1])])
        yield doc


@pytest.fixture(scope="module")
def trained():
    """Pipelines that have learned from the treebank with spaces, and from the one without."""
    pipelines = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "MIN_UPDATES", 120)
        for space in (True, False):
            # A config for Chinese has settings of spaCy's own tokenizer.
            nlp = spacy.blank("xx" if space else "zh", config=CONFIG)
            docs = list(treebank(nlp.vocab, space=space))
            nlp.initialize(lambda docs=docs: [Example(doc.copy(), doc) for doc in docs])
            pipelines[space] = nlp
    return pipelines


@pytest.fixture
def nlp(trained):
    return trained[True]


TEXT = "inhond mus ziet nu dan. inmus  kat eet ooit.\n"


def test_tokens_words_and_sentences_are_learned(nlp):
    doc = nlp(TEXT)
    first = ["in", "hond", "mus", "ziet", "nu dan", "."]
    assert words(doc) == [*first, "in", "mus", " ", "kat", "eet", "ooit", ".", "\n"]
    assert [token.i for token in doc if token.is_sent_start] == [0, 6]
    assert [(span.start, span.end, span.label_) for span in doc.spans["multiword"]] == [
        (0, 2, "inhond"),
        (6, 8, "inmus"),
    ]
    assert doc._.surface_text == TEXT


def test_a_script_without_spaces(trained):
    doc = trained[False]("inkatmuseetooit.inbirdhondzietnudan.")
    expected = ["in", "kat", "mus", "eet", "ooit", ".", "in", "bird", "hond", "ziet", "nudan", "."]
    assert words(doc) == expected
    assert [token.i for token in doc if token.is_sent_start] == [0, 6]


@pytest.mark.parametrize(
    "text", ["", " ", "\n\n", "x", "  kat", "\u3000kat\u00a0mus\t.", "🙂🙂" * 50]
)
def test_any_text_is_kept(nlp, text):
    assert nlp(text)._.surface_text == text


def test_before_training_the_tokens_are_those_of_the_other_tokenizer():
    text = "don't go (now)."
    settings = {"@tokenizers": "spacy-structparse.segmenter.v1"}
    plain = spacy.blank("en", config={"nlp": {"tokenizer": settings}})
    assert words(plain(text)) == text.split()
    settings["tokenizer"] = {"@tokenizers": "spacy.Tokenizer.v1"}
    ruled = spacy.blank("en", config={"nlp": {"tokenizer": settings}})
    assert words(ruled(text)) == words(spacy.blank("en")(text))


def test_it_is_saved_and_copied(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    from_bytes = spacy.blank("xx", config=CONFIG).from_bytes(nlp.to_bytes())
    for other in (loaded, from_bytes):
        assert words(other(TEXT)) == words(nlp(TEXT))
        assert other.tokenizer.to_bytes() == nlp.tokenizer.to_bytes()
    piped = [words(doc) for doc in loaded.pipe([TEXT] * 3, n_process=2, batch_size=1)]
    assert piped == [words(nlp(TEXT))] * 3


TENSORS = {"n_grams.weight": torch.zeros(1, 2**20), "known_words": torch.zeros(1).long()}


@pytest.mark.parametrize("data", [b"{", None, save({"x": torch.zeros(2)}), save(TENSORS)])
def test_damaged_weights_are_an_error_that_names_the_file(nlp, tmp_path, data):
    nlp.to_disk(tmp_path)
    path = tmp_path / "tokenizer" / "segmenter.safetensors"
    path.write_bytes(path.read_bytes()[:-2] if data is None else data)
    with pytest.raises(WeightsError, match=str(path)):
        spacy.load(tmp_path)


def test_special_cases_and_rules_come_before_what_was_learned(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    changed = spacy.load(tmp_path)
    changed.tokenizer.add_special_case("ziet", [{ORTH: "zi"}, {ORTH: "et", NORM: "t"}])
    changed.tokenizer.infix_finditer = spacy.util.compile_infix_regex(["~"]).finditer
    changed.to_disk(tmp_path / "again")
    for pipeline in (changed, spacy.load(tmp_path / "again")):
        doc = pipeline("inhond mus ziet nu dan. kat~mus")
        assert words(doc)[3:5] == ["zi", "et"] and doc[4].norm_ == "t"
        assert words(doc)[-3:] == ["kat", "~", "mus"]


def test_it_keeps_what_it_learned_unless_told_otherwise(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    network = again.tokenizer.network
    doc = Doc(again.vocab, words=["other"])
    again.initialize(lambda: [Example(doc.copy(), doc)])
    assert again.tokenizer.network is network
    again.config["initialize"]["tokenizer"] = {"learn": "always"}
    unknown = Doc(again.vocab, words=["a", "b"])
    unknown.has_unknown_spaces = True
    with pytest.warns(UserWarning, match="segmenter"):
        again.initialize(lambda: [Example(unknown.copy(), unknown)])
    assert again.tokenizer.network is None


def test_training_twice_gives_the_same_weights(monkeypatch):
    monkeypatch.setattr(training, "MIN_UPDATES", 3)
    saved = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        nlp = spacy.blank("xx", config=CONFIG)
        docs = list(treebank(nlp.vocab, n=3))
        nlp.initialize(lambda docs=docs: [Example(doc.copy(), doc) for doc in docs])
        saved.append(nlp.tokenizer.to_bytes())
    assert saved[0] == saved[1]


def test_a_text_is_scored_alike_in_one_piece_and_in_many(nlp, monkeypatch):
    network, known = nlp.tokenizer.network, nlp.tokenizer._known
    characters = read_characters(TEXT * 5, [], known)
    whole = network.predict(characters)
    monkeypatch.setattr(model, "PIECE", 17)
    assert torch.allclose(network.predict(characters), whole, atol=1e-5)


def test_a_word_is_not_known_from_its_own_occurrence():
    text = "aa bbb aa"
    limits = np.array([(0, 2), (3, 6), (7, 9)])
    words = Words.of(text, limits)
    own = read_characters(text, [], words, limits).words[:, 0].tolist()
    assert own == [2, 0, 0, 0, 0, 0, 0, 2, 0]
    new = read_characters(text, [], words).words[:, 0].tolist()
    assert new == [2, 0, 0, 3, 0, 0, 0, 2, 0]


def test_the_corpus_reader_splits_no_words_again(nlp, tmp_path):
    docs = list(treebank(nlp.vocab, n=4))
    spacy.tokens.DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "dev.spacy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        examples = list(create_corpus_reader(tmp_path / "dev.spacy")(nlp))
    assert all("multiword" not in example.predicted.spans for example in examples)
    assert [example.predicted.text for example in examples] == [doc.text for doc in docs]

"""`spacy-structparse.trainable_tokenizer.v1` on a small treebank with tokens of its own."""

import pickle
import random
import string

import numpy as np
import pytest
import spacy
import srsly
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save
from spacy.attrs import NORM, ORTH
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_structparse.errors import WeightsError
from spacy_structparse.tokenization import trainable_tokenizer

TOKENIZER = {"@tokenizers": "spacy-structparse.trainable_tokenizer.v1"}
SPLITTER = {"@tokenizers": "spacy-structparse.mwt_splitter.v1", "tokenizer": TOKENIZER}
# Otherwise than spaCy's: a slash cuts nothing, runs of marks are one token, # is cut off.
TEXT, WORDS = "Cats/dogs chase   ball#7 now!!! 🙂\n", ["Cats/dogs", "chase", "ball", "#7", "now"]


def blank(tokenizer=TOKENIZER):
    return spacy.blank("en", config={"nlp": {"tokenizer": tokenizer}})


def words(doc):
    return [token.text for token in doc]


def sentences(vocab):
    """Docs of made-up words."""
    rng = random.Random(0)

    def word():
        return "".join(rng.choices(string.ascii_lowercase, k=rng.randint(2, 6)))

    for _ in range(150):
        parts = [word(), f"{word()}/{word()}", word(), f"#{rng.randint(1, 99)}", word()]
        parts.append(rng.choice(["!!", "!!!", "."]))
        yield Doc(vocab, words=parts, spaces=[True, True, False, True, False, False])


@pytest.fixture(scope="module")
def nlp():
    nlp = blank()
    nlp.initialize(lambda: [Example(doc.copy(), doc) for doc in sentences(nlp.vocab)])
    return nlp


def test_tokens_are_cut_as_in_the_treebank(nlp):
    assert words(nlp(TEXT)) == [*WORDS[:2], "  ", *WORDS[2:], "!!!", "🙂", "\n"]
    assert words(blank()(TEXT)) == words(spacy.blank("en")(TEXT))  # before training
    assert words(blank()(TEXT))[:3] == ["Cats", "/", "dogs"]


FOREIGN = save({"weights": np.zeros(3, dtype="int16")})


@pytest.mark.parametrize("data", [b"{", b"\xff" * 20, None, FOREIGN])
def test_damaged_weights_name_the_file(nlp, tmp_path, data):
    nlp.to_disk(tmp_path)
    path = tmp_path / "tokenizer" / "boundaries.safetensors"
    assert words(spacy.load(tmp_path)(TEXT)) == words(nlp(TEXT))
    path.write_bytes(path.read_bytes()[:-2] if data is None else data)
    message = r"trainable_tokenizer cannot be loaded from .*boundaries.safetensors"
    with pytest.raises(WeightsError, match=message):
        spacy.load(tmp_path)


def test_processes_and_pickle(nlp):
    texts = [TEXT, "", "a/b c#4", "x" * 200] * 3
    expected = [words(nlp(text)) for text in texts]
    assert [words(doc) for doc in nlp.pipe(texts, n_process=2, batch_size=2)] == expected
    assert words(pickle.loads(pickle.dumps(nlp.tokenizer))(TEXT)) == words(nlp(TEXT))


def test_data_without_spaces_is_warned_of():
    nlp = blank()
    doc = Doc(nlp.vocab, words=["a", "b"], spaces=None)
    assert doc.has_unknown_spaces
    with pytest.warns(UserWarning, match="does not say where spaces are"):
        nlp.initialize(lambda: [Example(doc.copy(), doc)])
    assert words(nlp(TEXT)) == words(spacy.blank("en")(TEXT))


def test_multiword_tokens_are_cut_where_their_words_spell_them():
    nlp = blank(SPLITTER)
    texts = []
    for name in "Ann Bob Carl Dora Emil Fay Gina Hans Ida Jon Kim Lea".split():
        doc = Doc(nlp.vocab, words=[name, "'s", "car"], spaces=[False, True, False])
        doc.spans["multiword"] = [Span(doc, 0, 2, label=f"{name}'s")]
        texts += [Example(doc.copy(), doc)] * 3
    nlp.initialize(lambda: texts)
    doc = nlp("Zoe's car")
    assert words(doc) == ["Zoe", "'s", "car"]
    assert [span.label_ for span in doc.spans["multiword"]] == ["Zoe's"]
    assert doc._.surface_text == "Zoe's car"


PIECES = st.sampled_from(["a/b", "!!", "#", "'s", "é", " ", "\n", "  ", ".", "-", "\t", "\0", "🙂"])


@given(st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join))
def test_any_text_comes_back(nlp, text):
    doc = nlp(text)
    assert doc.text == text
    assert all(token.text for token in doc)
    assert not any(" " in token.text.strip() for token in doc)
    assert words(nlp(text)) == words(doc)


@given(st.lists(st.sampled_from(["ab", " ", "\n", "  ", "\t", " \n"]), max_size=12).map("".join))
def test_whitespace_is_tokenized_as_spacy_does(nlp, text):
    """Words alone, without marks."""
    found, expected = nlp(text), nlp.tokenizer.base(text)
    whitespace = [(t.idx, t.text, t.whitespace_) for t in expected if t.is_space]
    assert [(t.idx, t.text, t.whitespace_) for t in found if t.is_space] == whitespace


def test_special_cases_stand_in_for_learned_tokens(nlp, tmp_path):
    copy = blank().from_bytes(nlp.to_bytes())
    text = "gimme #gimme gimmes a/b!!! gimme!!"
    before = words(copy(text))
    assert before == ["gimme", "#gimme", "gimmes", "a/b", "!!!", "gimme", "!!"]
    copy.tokenizer.add_special_case("gimme", [{ORTH: "gim", NORM: "give"}, {"ORTH": "me"}])
    copy.tokenizer.add_special_case("a/b!!!", [{"ORTH": "a/"}, {"ORTH": "b!!!"}])
    expected = ["gim", "me", "#gimme", "gimmes", "a/", "b!!!", "gim", "me", "!!"]
    for one in (copy, blank().from_bytes(copy.to_bytes())):
        doc = one(text)
        assert words(doc) == expected and doc.text == text
        assert [token.norm_ for token in doc][:2] == ["give", "me"]
    copy.to_disk(tmp_path)
    assert words(spacy.load(tmp_path)(text)) == expected
    (tmp_path / "tokenizer" / "special_cases.json").unlink()  # as an earlier version saved it
    assert words(spacy.load(tmp_path)(text)) == before
    assert words(nlp(text)) == before


def test_special_cases_before_training_and_under_a_splitter():
    for tokenizer in (TOKENIZER, SPLITTER):
        nlp = blank(tokenizer)
        nlp.tokenizer.add_special_case("gimme", [{"ORTH": "gim"}, {"ORTH": "me"}])
        assert words(nlp("gimme!")) == ["gim", "me", "!"]
        nlp.initialize(lambda nlp=nlp: [Example(d.copy(), d) for d in sentences(nlp.vocab)])
        assert words(nlp("a/b gimme")) == ["a/b", "gim", "me"]


@pytest.mark.parametrize(
    ("string", "case", "says"),
    [
        ("a b", [{"ORTH": "a b"}], "is empty or has spaces"),
        ("ab", [{"ORTH": "a"}], r"refused: \[E997\]"),
        ("ab", [{"ORTH": "ab", "LEMMA": "a"}], "Unable to set attribute 'LEMMA'"),
        ("ab", [{"NORM": "ab"}], "a token without ORTH"),
    ],
)
def test_special_cases_that_cannot_be(nlp, string, case, says):
    with pytest.raises(ValueError, match=says):
        nlp.tokenizer.add_special_case(string, case)


OTHER = ["Cats", "/", "dogs", "chase", "ball", "#", "7"]
"""The tokens that `other_data` teaches of the text "Cats/dogs chase ball#7"."""


def other_data(vocab):
    """Examples that cut where the treebank of `nlp` does not."""
    spaces = [False, False, True, True, False, False, False]
    return [Example(doc.copy(), doc) for doc in [Doc(vocab, words=OTHER, spaces=spaces)] * 5]


@pytest.mark.parametrize("tokenizer", [TOKENIZER, SPLITTER])
@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ["Cats/dogs", "chase", "ball", "#7"]),
        ({"learn": "if_new"}, ["Cats/dogs", "chase", "ball", "#7"]),
        ({"learn": "always"}, OTHER),
    ],
)
@pytest.mark.filterwarnings("ignore:.*splits nothing")
def test_a_trained_tokenizer_learns_anew_only_if_told_to(tokenizer, settings, expected):
    nlp = blank(tokenizer)
    nlp.initialize(lambda: [Example(doc.copy(), doc) for doc in sentences(nlp.vocab)])
    copy = blank(tokenizer).from_bytes(nlp.to_bytes())
    copy.config["initialize"]["tokenizer"] = settings
    copy.initialize(lambda: other_data(copy.vocab))
    assert words(copy("Cats/dogs chase ball#7")) == expected


def test_before_training_tokens_are_explained_by_the_base():
    text = "It can't."
    assert blank().tokenizer.explain(text) == spacy.blank("en").tokenizer.explain(text)


def test_memory_of_chunks_is_bounded(nlp, monkeypatch):
    monkeypatch.setattr(trainable_tokenizer, "MOST_KEPT", 3)
    copy = blank().from_bytes(nlp.to_bytes())
    for text in ("a/b c#4 x", "y z", TEXT):
        assert words(copy(text)) == words(nlp(text))
    assert len(copy.tokenizer._known) <= 3


def test_a_tokenizer_that_changes_the_text_cannot_be_wrapped():
    splitter = {"@tokenizers": "spacy-structparse.mwt_splitter.v1"}
    nlp = blank({**TOKENIZER, "tokenizer": splitter})
    doc = Doc(nlp.vocab, words=["can", "not", "go"], spaces=[False, True, False])
    doc.spans["multiword"] = [Span(doc, 0, 2, label="cannot")]
    other = Doc(nlp.vocab, words=["is", "n't"], spaces=[False, False])
    other.spans["multiword"] = [Span(other, 0, 2, label="aint")]
    with pytest.raises(ValueError, match="wraps a tokenizer that changes the text"):
        nlp.initialize(lambda: [Example(one.copy(), one) for one in [doc, other] * 5])
        nlp("aint")


def test_bytes_without_a_part_are_refused(nlp):
    parts = srsly.msgpack_loads(nlp.tokenizer.to_bytes())
    del parts["boundaries.safetensors"]
    with pytest.raises(WeightsError, match=r"boundaries\.safetensors"):
        blank().tokenizer.from_bytes(srsly.msgpack_dumps(parts))

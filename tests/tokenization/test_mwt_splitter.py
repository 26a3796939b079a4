"""`spacy-structparse.mwt_splitter.v1` on the French sample."""

import json

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_structparse.corpora.reader import create_corpus_reader
from spacy_structparse.errors import WeightsError
from spacy_structparse.extensions.multiword import MULTIWORD

SPLITTER = {"nlp": {"tokenizer": {"@tokenizers": "spacy-structparse.mwt_splitter.v1"}}}
TEXT = "Le toit des maisons est rouge. Il va au lit."


def blank(language="fr"):
    return spacy.blank(language, config=SPLITTER)


def trained(french):
    nlp = blank()
    nlp.initialize(lambda: create_corpus_reader(french / "train.spacy")(nlp))
    return nlp


@pytest.fixture(scope="module")
def nlp(french):
    return trained(french)


def words(doc):
    return [token.text for token in doc]


def test_words_and_multiword_tokens(nlp):
    doc = nlp(TEXT)
    assert words(doc) == "Le toit de les maisons est rouge . Il va à le lit .".split()
    assert [(span.text, span.label_) for span in doc.spans[MULTIWORD]] == [
        ("de les", "des"),
        ("à le", "au"),
    ]
    assert doc._.surface_text == TEXT
    start, end = doc._.surface_offsets[3]
    assert TEXT[start:end] == "des"


def test_an_article_is_not_split(nlp):
    doc = nlp("Des enfants jouent. On voit des maisons.")
    assert doc.text == "Des enfants jouent. On voit des maisons."
    assert MULTIWORD not in doc.spans


def test_a_form_whose_tokens_are_set_is_not_split(nlp, tmp_path):
    copy = blank().from_bytes(nlp.to_bytes())
    copy.tokenizer.add_special_case("au", [{"ORTH": "au", "NORM": "at the"}])
    copy.to_disk(tmp_path)
    for one in (copy, spacy.load(tmp_path)):
        doc = one("Il va au lit. Au lit !")
        assert words(doc) == "Il va au lit . À le lit !".split()
        assert doc[2].norm_ == "at the"
        assert [span.label_ for span in doc.spans[MULTIWORD]] == ["Au"]
    assert words(nlp("Il va au lit.")) == "Il va à le lit .".split()


def test_most_words_of_new_sentences_are_right(nlp, french):
    examples = list(create_corpus_reader(french / "test.spacy")(nlp))
    scores = nlp.evaluate(examples)
    untrained = blank().tokenizer.score(examples)
    assert untrained["words_f"] < 0.85
    assert scores["words_f"] > 0.95
    assert scores["mwt_f"] > 0.85
    assert scores["token_acc"] == 1.0


DAMAGES = [
    {"analyses": None},
    {"analyses": {"des": []}},
    {"classifiers": {}},
    {"classifiers": {"du": {}}},
    {"lengths": ["x"]},
    {"lengths": [0]},
    {"endings": None},
]


@pytest.mark.parametrize("damage", ["{", "[]", '{"analyses": {"du": []}}', "", *DAMAGES])
def test_damaged_rules_name_the_file(nlp, tmp_path, damage):
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert again.tokenizer.rules.to_dict() == nlp.tokenizer.rules.to_dict()
    assert words(again(TEXT)) == words(nlp(TEXT))
    (tmp_path / "tokenizer" / "multiword.json").write_text(
        damage
        if isinstance(damage, str)
        else json.dumps({**nlp.tokenizer.rules.to_dict(), **damage})
    )
    with pytest.raises(WeightsError, match=r"mwt_splitter cannot be loaded from .*multiword.json"):
        spacy.load(tmp_path)


def test_data_without_multiword_tokens_is_warned_of():
    nlp = blank()
    doc = Doc(nlp.vocab, words=["Le", "chat", "dort"])
    with pytest.warns(UserWarning, match="multiword"):
        nlp.initialize(lambda: [spacy.training.Example(doc.copy(), doc)])
    assert words(nlp("Il va au lit.")) == ["Il", "va", "au", "lit", "."]


PIECES = st.sampled_from(
    ["au", "Des", "DU", "aux", "duquel", "l'", "chat", " ", "\n", "  ", ".", "-"]
)


@given(st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join))
def test_any_text_comes_back(nlp, text):
    doc = nlp(text)
    assert doc._.surface_text == text
    units = [text[start:end] for start, end in doc._.surface_offsets]
    split = {token.i for span in doc.spans.get(MULTIWORD, ()) for token in span}
    assert all(unit == doc[i].text for i, unit in enumerate(units) if i not in split)
    assert nlp(text).to_bytes() == doc.to_bytes()

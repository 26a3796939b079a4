"""Rules of spaCy's tokenizer that are set after a tokenizer around it has learned."""

import pickle
import re
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import compile_infix_regex, compile_prefix_regex

from spacy_structparse.errors import WeightsError
from spacy_structparse.extensions.multiword import set_multiword_tokens

TOKENIZER = {"@tokenizers": "spacy-structparse.trainable_tokenizer.v1"}
SPLITTER = {"@tokenizers": "spacy-structparse.mwt_splitter.v1", "tokenizer": TOKENIZER}
# The treebank cuts at "+" and not at "/", otherwise than spaCy's tokenizer, and "isn't" is two.
PARTS = ["ab", "cd", "efg", "hi", "jkl", "mno"]


def blank() -> Language:
    return spacy.blank("en", config={"nlp": {"tokenizer": SPLITTER}})


def examples(nlp: Language) -> list[Example]:
    docs = []
    for left in PARTS:
        for right in PARTS:
            words = [left, "+", right, f"{left}/{right}", "is", "n't", right, "."]
            spaces = [False, False, True, True, False, True, False, False]
            doc = Doc(nlp.vocab, words=words, spaces=spaces)
            set_multiword_tokens(doc, [(4, 6, "isn't")])
            docs.append(Example(doc.copy(), doc))
    return docs


@pytest.fixture(scope="module")
def trained() -> bytes:
    nlp = blank()
    nlp.initialize(lambda: examples(nlp))
    return nlp.to_bytes()


@pytest.fixture
def nlp(trained: bytes) -> Language:
    return blank().from_bytes(trained)


def words(nlp: Language, text: str) -> list[str]:
    return [token.text for token in nlp(text)]


def test_rules_that_are_not_changed_leave_the_learned_tokens(nlp: Language) -> None:
    text = "ab+cd ab/cd isn't"
    learned = ["ab", "+", "cd", "ab/cd", "is", "n't"]
    assert words(nlp, text) == learned
    assert nlp.tokenizer.explain(text) == [
        *(("LEARNED", word) for word in learned[:4]),
        ("MULTIWORD-1", "is"),
        ("MULTIWORD-2", "n't"),
    ]
    nlp.tokenizer.infix_finditer = compile_infix_regex([*nlp.Defaults.infixes, "=>"]).finditer
    assert words(nlp, text) == learned


def test_a_new_rule_cuts_and_a_rule_that_is_taken_away_does_not(nlp: Language) -> None:
    text = "ab=>cd ab_cd ab+cd ab/cd"
    nlp.tokenizer.infix_finditer = compile_infix_regex([*nlp.Defaults.infixes, "=>", "_"]).finditer
    cut = ["ab", "=>", "cd", "ab", "_", "cd", "ab", "+", "cd", "ab/cd"]
    assert words(nlp, text) == cut
    assert ("INFIX", "=>") in nlp.tokenizer.explain(text)
    assert words(nlp, "ab-cd") == ["ab", "-", "cd"]
    nlp.tokenizer.infix_finditer = re.compile("=>").finditer
    assert words(nlp, "ab=>cd ab-cd") == ["ab", "=>", "cd", "ab-cd"]
    nlp.tokenizer.prefix_search = compile_prefix_regex([*nlp.Defaults.prefixes, "ab"]).search
    assert words(nlp, "abcd")[:2] == ["ab", "cd"]
    assert nlp.tokenizer.explain("abcd")[0] == ("PREFIX", "ab")


def test_a_match_is_one_token(nlp: Language) -> None:
    text = "ab+cd (ab+cd) isn't ab+hi and+or"
    nlp.tokenizer.token_match = re.compile(r"^(?:ab\+cd|isn't)$").match
    assert words(nlp, text)[:2] == ["ab+cd", "("]
    assert words(nlp, text).count("ab+cd") == 2 and words(nlp, text).count("ab") == 1
    assert ("TOKEN_MATCH", "ab+cd") in nlp.tokenizer.explain(text)
    nlp.tokenizer.token_match = None
    assert words(nlp, "ab+cd") == ["ab", "+", "cd"]


def test_changed_rules_are_saved(nlp: Language, tmp_path: Path) -> None:
    text = "ab=>cd ab+cd hi+jkl isn't"
    nlp.tokenizer.infix_finditer = re.compile("=>").finditer
    nlp.tokenizer.token_match = re.compile(r"^ab\+cd$").match
    expected = words(nlp, text)
    assert expected[:4] == ["ab", "=>", "cd", "ab+cd"]
    nlp.to_disk(tmp_path)
    with nlp.memory_zone():
        assert words(nlp, text + " memory=>zone")[:4] == expected[:4]
    copies = [spacy.load(tmp_path), blank().from_bytes(nlp.to_bytes())]
    copies.append(pickle.loads(pickle.dumps(nlp)))
    for copy in copies:
        assert words(copy, text) == expected
    for file in ("changed_rules.json", "base/changed_rules.json"):
        (tmp_path / "tokenizer" / file).unlink()  # as an earlier version saved it
    assert words(spacy.load(tmp_path), "ab+cd") == ["ab", "+", "cd"]


def test_what_is_learned_or_loaded_anew_has_no_changed_rules(nlp: Language, trained: bytes) -> None:
    nlp.tokenizer.token_match = re.compile(r"^ab\+cd$").match
    assert words(nlp, "ab+cd") == ["ab+cd"]
    nlp.tokenizer.initialize(lambda: examples(nlp), learn="always")
    assert not nlp.tokenizer.changed_rules.before and not nlp.tokenizer.base.changed_rules.before
    nlp.tokenizer.token_match = re.compile(r"^ab\+cd$").match
    nlp.from_bytes(trained)
    assert words(nlp, "ab+cd") == ["ab", "+", "cd"]


@pytest.mark.parametrize(
    "data", ['{"prefix": "a"}', '{"token_match": "("}', "[]", '{"url_match": 1}']
)
def test_damaged_rules_name_the_file(nlp: Language, tmp_path: Path, data: str) -> None:
    nlp.to_disk(tmp_path)
    (tmp_path / "tokenizer" / "changed_rules.json").write_text(data, encoding="utf-8")
    with pytest.raises(WeightsError, match=r"cannot be loaded from .*changed_rules.json"):
        spacy.load(tmp_path)


def test_rules_that_are_set_before_training_are_those_of_the_base() -> None:
    nlp = blank()
    nlp.tokenizer.infix_finditer = re.compile("=>").finditer
    assert words(nlp, "ab=>cd ab-cd") == ["ab", "=>", "cd", "ab-cd"]

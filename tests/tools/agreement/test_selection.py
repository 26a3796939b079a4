"""Which sentences become silver data, and what is counted."""

from collections import Counter
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_structparse.corpora import memory_zone
from spacy_structparse.corpora.conllu_writer import doc_to_conllu
from spacy_structparse.corpora.pipeline_outputs import words_alone
from spacy_structparse.extensions.multiword import set_multiword_tokens
from spacy_structparse.tokenization.mwt_splitter import MwtSplitter
from spacy_structparse.tokenization.split_rules import SplitRules
from spacy_structparse.tools.agreement.agreement import Agreement, Parser, Rule
from spacy_structparse.tools.agreement.duplicates import fingerprint
from spacy_structparse.tools.agreement.lengths import bucket_of
from spacy_structparse.tools.agreement.selection import CHUNK, Silver, make_silver
from spacy_structparse.trees import get_tree
from tests.helpers.fake_parsers import pipeline

UNCHANGED = ["We see an other one.", "They are here."]
"""Sentences without an odd word for dependencies."""
HEADS = Rule("dependencies")


def parsers(*others: str, **config: Any) -> list[Parser]:
    """A parser of this kind with nothing odd, and others with odd words."""
    kind = config.pop("kind", "fake_heads")
    first = Parser("first", pipeline(kind, **config))
    return [first, *(Parser(f"odd {one}", pipeline(kind, odd=[one])) for one in others)]


def docs_of(made: Silver) -> list[Doc]:
    return list(made.docs.get_docs(spacy.blank("xx").vocab))


def texts_of(made: Silver) -> list[str]:
    """The sentences, after a check that each sentence is counted once."""
    counts = made.sentences
    dropped = ("excluded", "duplicates", "unsure", "disagreed", "failed")
    assert counts["read"] == sum(counts[name] for name in dropped) + counts["agreed"]
    assert counts["agreed"] == counts["unsampled"] + counts["written"]
    return [doc.text.strip() for doc in docs_of(made)]


@pytest.mark.parametrize(
    ("agree", "kind", "kept"),
    [
        ("dependencies", "fake_heads", UNCHANGED),
        ("unlabelled", "fake_heads", ["We see labelled things.", *UNCHANGED]),
        ("trees", "fake_trees", ["We see a headed one.", "They are here."]),
    ],
)
def test_sentences_on_which_all_agree(agree: Agreement, kind: str, kept: list[str]) -> None:
    text = "We see labelled things. We see a headed one. We see an other one. They are here."
    odd = ("labelled", "other") if kind == "fake_trees" else ("labelled", "headed", "other")
    made = make_silver([text], parsers(*odd, kind=kind), Rule(agree))
    assert texts_of(made) == kept
    assert made.sentences["disagreed"] == 4 - len(kept)


def test_what_is_written_is_the_parse_of_the_first() -> None:
    both = [Parser("a", pipeline("fake_heads", "fake_trees")), Parser("b", pipeline("fake_trees"))]
    one, doc = docs_of(make_silver(["Hm. Old dogs sleep."], both, Rule("trees")))
    assert one.text.strip() == "Hm."
    assert [(token.head.i, token.dep_) for token in doc] == [(0, "ROOT"), *[(0, "dep")] * 3]
    assert str(get_tree(doc)) == "(TOP (S (NP (XX Old) (XX dogs)) (XX sleep) (XX .)))"
    assert doc.has_annotation("SENT_START") and len(list(doc.sents)) == 1


def test_confidence_of_the_first() -> None:
    found = parsers(confidence=0.9)
    for least, kept in ((0.5, ["They are here."]), (0.05, ["We are unsure.", "They are here."])):
        made = make_silver(["We are unsure. They are here."], found, Rule(confidence=least))
        assert texts_of(made) == kept
        assert made.sentences["unsure"] == 2 - len(kept)


def test_sentences_that_came_before_and_held_out_ones_are_dropped() -> None:
    held_out = fingerprint("They are HERE .".split())
    texts = ["We saw 3 dogs. We saw 4 dogs.", "we saw 5 dogs.", "They are here. We slept."]
    texts += ["They ran."] * CHUNK
    made = make_silver(texts, parsers("x"), HEADS, held_out=held_out)
    assert texts_of(made) == ["We saw 3 dogs.", "We slept.", "They ran."]
    assert made.sentences["duplicates"] == 2 + CHUNK - 1 and made.sentences["excluded"] == 1


def test_lengths_as_those_of_a_treebank() -> None:
    short = [f"{word} ran." for word in ("Ann", "Bob", "Cy", "Dot", "Eve", "Flo")]
    long = [f"{text[:-1]} and ran and ran and ran." for text in short[:2]]
    like = {bucket_of(3): 50, bucket_of(9): 50}
    made = make_silver([" ".join(short), *long], parsers("x"), HEADS, like=like)
    assert Counter(map(len, docs_of(made))) == {3: 2, 9: 2}
    assert len(texts_of(made)) == 4 and made.sentences["unsampled"] == 4


def test_what_fails_is_counted_and_described() -> None:
    first, second = parsers("x")

    @Language.component("fails_on_it")
    def fails_on_it(doc: Doc) -> Doc:
        if "it" in [token.text for token in doc]:
            raise KeyError("it is not known")
        return doc

    second.nlp.add_pipe("fails_on_it")
    texts = ["They are here.", "These fail. So does this.", "We see. We see it."]
    made = make_silver(texts, [first, second], HEADS)
    assert texts_of(made) == ["They are here.", "We see."]
    assert made.sentences["failed"] == 1
    assert made.failures[0] == "'These fail. So does this.': first, fake_heads: fake_heads fails"
    assert made.failures[1].startswith("'We see it.': odd x, fails_on_it: KeyError")


def test_multiword_tokens_are_kept() -> None:
    """Those of a text, whose tokenizer splits them, and those that come with a Doc."""
    first, second = parsers("x")
    splitter = MwtSplitter(first.nlp.vocab, first.nlp.tokenizer)
    splitter.rules = SplitRules(analyses={"du": [("de", "le")]}, lengths=[1])
    first.nlp.tokenizer = splitter
    given = Doc(spacy.blank("xx").vocab, ["Va", "à", "le", "lit", "."])
    set_multiword_tokens(given, [(1, 3, "au")])
    texts = ["Il dort. Il parle du chat.", words_alone(given)]
    docs = docs_of(make_silver(texts, [first, second], HEADS))
    assert [doc_to_conllu(doc).count("-") for doc in docs] == [0, 1, 1]
    assert "3-4\tdu\t" in doc_to_conllu(docs[1])
    assert "2-3\tau\t" in doc_to_conllu(docs[2])


def test_nothing_left_is_an_error_and_says_why() -> None:
    with pytest.raises(ValueError, match=r"\(1 read, 1 disagreed\).* 1 failures: 'These fail.'"):
        make_silver(["We see labelled things.", "These fail."], parsers("labelled"), HEADS)


def test_new_words_are_forgotten_with_their_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the first ones, of which there are none here."""
    monkeypatch.setattr(memory_zone, "KEPT_WORDS", 0)
    found = parsers("x")
    make_silver(["Dog barks."], found, HEADS)
    before = [len(parser.nlp.vocab.strings) for parser in found]
    letters = "abcdefghij"
    texts = [f"Dog {a}{b}{c} sleeps." for a in letters for b in letters for c in letters[:5]]
    made = make_silver(texts, found, HEADS)
    assert [len(parser.nlp.vocab.strings) for parser in found] == before
    assert texts_of(made) == texts

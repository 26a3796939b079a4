"""The matcher as users call it."""

from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span

from spacy_structparse.errors import PatternError, SearchLimitError, TreeError
from spacy_structparse.tools.search import TreeMatch, TreeMatcher
from spacy_structparse.trees import Tree, get_brackets, set_trees
from tests.helpers.tree_docs import doc_of_trees

TREES = [
    "(S (NP (DT The) (NN dog))"
    " (VP (VBD saw) (NP (NP (DT a) (NN cat)) (PP (IN of) (NP (NN Rome))))))",
    "(S (NP (PRP It)) (VP (VBD ran)))",
]
LEMMAS = "the dog see a cat of Rome it run".split()
DEPS = "det nsubj ROOT det obj prep pobj nsubj ROOT".split()


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.blank("en")


@pytest.fixture
def doc(nlp: Language) -> Doc:
    heads = [1, 2, 2, 4, 2, 4, 5, 8, 8]
    return doc_of_trees(nlp.vocab, TREES, lemmas=LEMMAS, deps=DEPS, heads=heads)


def matches(doc: Doc, pattern: Any, **settings: Any) -> list[TreeMatch]:
    matcher = TreeMatcher(doc.vocab, **settings)
    matcher.add("key", [pattern])
    return matcher(doc)


def texts(doc: Doc, pattern: Any, **settings: Any) -> list[str]:
    return [match.span.text for match in matches(doc, pattern, **settings)]


def test_a_match_has_the_key_the_node_and_the_named_nodes(doc: Doc) -> None:
    [match] = matches(doc, "VP=verbal < (NP=object < (PP < (NP < NN=inner))) ?< ADVP=absent")
    assert match.key == "key"
    assert (match.span.text, match.span.label_) == ("saw a cat of Rome", "VP")
    assert {name: (span.text, span.label_) for name, span in match.nodes.items()} == {
        "verbal": ("saw a cat of Rome", "VP"),
        "object": ("a cat of Rome", "NP"),
        "inner": ("Rome", "NN"),
    }
    assert all(span.doc is doc for span in match.nodes.values())


def test_keys_are_added_looked_up_and_removed(doc: Doc) -> None:
    called = []
    matcher = TreeMatcher(doc.vocab)
    matcher.add("a", ["NP"], on_match=lambda *arguments: called.append(arguments))
    matcher.add("b", ["VP"])
    matcher.add("b", ["PP"])
    assert len(matcher) == 2
    assert "a" in matcher and "c" not in matcher
    assert matcher.get("b") == (None, ["VP", "PP"])
    assert matcher.get("c") is None
    found = matcher(doc)
    assert [(call[0], call[1], call[2]) for call in called] == [(matcher, doc, i) for i in range(5)]
    assert called[0][3] == found
    matcher.remove("a")
    assert {match.key for match in matcher(doc)} == {"b"}
    with pytest.raises(KeyError, match="'a'"):
        matcher.remove("a")


def test_relations_of_two_spellings_and_without_spaces(doc: Doc) -> None:
    for one, other in (
        ("VP <` NP", "VP <- NP"),
        ("NP >` VP", "NP >- VP"),
        ("VP <<` NN", "VP <<- NN"),
        ("NN >>` VP", "NN >>- VP"),
        ("NP<<<2cat", "NP <<<2 cat"),
    ):
        assert texts(doc, one) == texts(doc, other) != []


def test_a_wrong_pattern_changes_nothing(doc: Doc) -> None:
    matcher = TreeMatcher(doc.vocab)
    with pytest.raises(PatternError):
        matcher.add("a", ["NP", "NP <"])
    assert "a" not in matcher
    with pytest.raises(TypeError, match=r"\[pattern\]"):
        matcher.add("a", "NP")


def test_of_a_span_all_nodes_lie_in_it(doc: Doc) -> None:
    matcher = TreeMatcher(doc.vocab)
    matcher.add("nouns", ["NP > VP=vp"])
    assert [match.span.text for match in matcher(doc)] == ["a cat of Rome"]
    assert matcher(doc[3:7]) == []  # its VP is not in it
    assert len(matcher(doc[2:7])) == 1
    first, second = doc.sents
    assert (len(matcher(first)), len(matcher(second))) == (1, 0)


def test_the_root_is_above_every_tree(doc: Doc) -> None:
    assert len(texts(doc, "ROOT < S")) == 2
    assert texts(doc, "_ROOT_") == [sent.text for sent in doc.sents]
    assert len(texts(doc, "TOP < S", root="TOP")) == 2
    assert texts(doc, "ROOT", root=None) == []
    assert len(texts(doc, "S !> __", root=None)) == 2


def test_a_stored_wrapper_is_the_root(nlp: Language) -> None:
    # A sentence of two phrases, and a bare word, are stored under TOP.
    doc = Doc(nlp.vocab, words=["Oh", "no", "Yes"], tags=["UH", "UH", "UH"], sent_starts=[1, 0, 1])
    trees = ["(TOP (INTJ (UH Oh)) (INTJ (UH no)))", "(TOP (UH Yes))"]
    set_trees(doc, [Tree.from_string(text) for text in trees])
    assert texts(doc, "ROOT < INTJ=i") == ["Oh no", "Oh no"]
    assert texts(doc, "ROOT < UH") == ["Yes"]
    assert texts(doc, "TOP") == []
    assert texts(doc, "TOP", root=None) == ["Oh no"]  # over the bare word it stands for nothing
    assert texts(doc, "_ROOT_", root=None) == ["Oh no", "Yes"]


def test_whitespace_tokens_are_no_leaves(nlp: Language) -> None:
    doc = Doc(
        nlp.vocab, words=["\n", "It", " ", "ran", " "], tags=["_SP", "PRP", "_SP", "VBD", "_SP"]
    )
    set_trees(doc, [Tree.from_string("(S (NP (PRP It)) (VP (VBD ran)))")])
    assert texts(doc, "/_SP/") == []
    assert texts(doc, "NP . VP") == ["It"]
    assert texts(doc, "S <: NP") == []
    assert texts(doc, "S") == ["It   ran"]


def test_constraints_on_tokens(doc: Doc) -> None:
    assert texts(doc, "/^VB/{LEMMA:run}") == ["ran"]
    assert texts(doc, "NN{DEP: /obj$/; LEMMA: !Rome}") == ["cat"]
    assert texts(doc, "{LOWER: the|a} > DT") == ["The", "a"]
    # Of a phrase its head word: "a cat of Rome" and "a cat" are headed by "cat".
    assert texts(doc, "NP{LEMMA:cat}") == ["a cat of Rome", "a cat"]


def test_what_cannot_be_searched(nlp: Language, doc: Doc) -> None:
    matcher = TreeMatcher(nlp.vocab)
    matcher.add("a", ["NP"])
    with pytest.raises(TreeError, match=r"no doc.spans\['constituency'\].*'It ran'"):
        matcher(Doc(nlp.vocab, words=["It", "ran"], spaces=[True, False]))
    with pytest.raises(TreeError, match="other"):
        TreeMatcher(nlp.vocab, spans_key="other")(doc)
    with pytest.raises(ValueError, match=r"TreeMatcher\(doc.vocab\)"):
        TreeMatcher(spacy.blank("en").vocab)(doc)
    with pytest.raises(TypeError, match="takes a Doc or a Span, not"):
        matcher("It ran")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="on_match is a function"):
        matcher.add("b", ["NP"], on_match="print")  # type: ignore[arg-type]
    assert "b" not in matcher


def test_merged_tokens_and_crossing_brackets(doc: Doc) -> None:
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[3:5])
    assert texts(doc, "NP") == ["The dog", "a cat of Rome", "a cat", "Rome", "It"]
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[1:3])  # "dog saw" begins inside the subject
    assert texts(doc, "NP") == ["a cat of Rome", "a cat", "Rome", "It"]
    doc.spans["constituency"] = [Span(doc, 0, 3, label="A"), Span(doc, 1, 4, label="B")]
    with pytest.raises(TreeError, match="cross"):
        texts(doc, "A")


def test_brackets_cross_as_other_readers_find(nlp: Language) -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        doc = Doc(nlp.vocab, words=list("abcdef"))
        limits = [sorted(rng.choice(7, 2, replace=False).tolist()) for _ in range(rng.integers(5))]
        doc.spans["constituency"] = [Span(doc, *of_span, label="A") for of_span in limits]
        try:
            brackets = get_brackets(doc)
        except TreeError:
            with pytest.raises(TreeError, match="cross"):
                texts(doc, "A")
        else:
            assert texts(doc, "A") == [doc[start:end].text for _, start, end in brackets or []]


def test_a_regular_expression_that_never_ends(nlp: Language) -> None:
    doc = Doc(nlp.vocab, words=["a" * 60 + "b"], tags=["NN"])
    set_trees(doc, [Tree("NP", [Tree("NN", word=doc[0].text)])])
    with pytest.raises(SearchLimitError, match=r"\(\?:a\|aa\)\+\$.*took more than 0.05 s"):
        texts(doc, "/^(?:a|aa)+$/", regex_timeout=0.05)

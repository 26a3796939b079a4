import pytest
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_structparse.trees import Tree, get_tree
from spacy_structparse.trees.extensions import register_extensions
from tests.helpers.tree_docs import doc_of_trees

SENTENCES = [
    Tree.from_string(
        "(S (NP (NP (DT the) (NN dog)) (-LRB- -LRB-) (NP (NNP Rex)) (-RRB- -RRB-))"
        " (VP (VBZ barks)))"
    ),
    Tree.from_string("(S (VP (VB Go)))"),
    Tree.from_string("(UH Oh)"),
    Tree.from_string("(TOP (NP (NN x)) (. .))"),
]


@pytest.fixture
def doc():
    return doc_of_trees(Vocab(), SENTENCES)


def texts(spans):
    return [span.text for span in spans]


def test_trees_of_docs_and_spans(doc):
    assert doc._.constituency_tree == Tree("TOP", SENTENCES)
    assert [sent._.constituency_tree for sent in doc.sents] == SENTENCES
    assert doc[0:5]._.constituency_tree == get_tree(doc[0:5])
    assert doc[1:3]._.constituency_tree is None


def test_labels(doc):
    assert [sent._.labels for sent in doc.sents] == [("S",), ("S", "VP"), ("UH",), ("TOP",)]
    assert doc[0:5]._.labels == ("NP",)
    assert doc[0:1]._.labels == doc[0]._.labels == ("DT",)
    assert doc[3:4]._.labels == doc[3]._.labels == ("NP",)
    assert doc[6]._.labels == ("S", "VP")
    assert doc[1:3]._.labels == ()


def test_parse_strings(doc):
    assert [sent._.parse_string for sent in doc.sents] == [str(tree) for tree in SENTENCES]
    assert doc[2]._.parse_string == "(-LRB- -LRB-)"
    doc[1].tag_ = "NNP"
    assert doc[0:2]._.parse_string == "(NP (DT the) (NNP dog))"


def test_constituents_children_and_parents(doc):
    sent = next(doc.sents)
    assert texts(sent._.constituents) == [
        "the dog ( Rex ) barks", "the dog ( Rex )", "the dog", "the", "dog", "(", "Rex", ")",
        "barks",
    ]  # fmt: skip
    assert sent._.constituents[0] == sent
    assert texts(sent._.children) == ["the dog ( Rex )", "barks"]
    assert texts(doc[0:5]._.children) == ["the dog", "(", "Rex", ")"]
    assert doc[0]._.children == () and texts(doc[0]._.constituents) == ["the"]
    assert doc[0]._.parent.text == "the dog"
    assert doc[0:2]._.parent.text == "the dog ( Rex )"
    assert doc[3:4]._.parent == doc[0:5]
    assert sent._.parent is None and doc[6]._.parent is None and doc[7]._.parent is None
    assert texts(doc[8:10]._.children) == ["x", "."]


def test_every_span_answers(doc):
    bare = Doc(Vocab(), words=["a", "b"])
    whole = [doc[i:j] for i in range(len(doc)) for j in range(i, len(doc) + 1)]
    for span in [*whole, bare[:], bare[0:1], bare[0:0]]:
        if span._.constituency_tree is None:
            assert (span._.labels, span._.constituents, span._.children) == ((), (), ())
            assert span._.parse_string is None and span._.parent is None
        else:
            assert span._.labels and span._.constituents[0].text == span.text
    assert bare._.constituency_tree is None
    assert bare[0]._.labels == () and bare[0]._.parent is None


def test_names_of_other_packages_are_left_to_them(doc):
    getter = Span.get_extension("labels")[2]
    Span.set_extension("labels", getter=lambda span: "theirs", force=True)
    try:
        assert register_extensions() == ["Span.labels"]
        assert doc[0:5]._.labels == "theirs" and doc[0]._.labels == ("DT",)
    finally:
        Span.set_extension("labels", getter=getter, force=True)
    assert register_extensions() == []

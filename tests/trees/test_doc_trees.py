import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab

from spacy_structparse.errors import TreeError
from spacy_structparse.trees import (
    SPANS_KEY,
    Tree,
    get_brackets,
    get_tree,
    sentence_trees,
    set_trees,
    unwrap,
    wrap,
)
from tests.helpers.tree_strategies import NAMES, trees

DOG = Tree.from_string("(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .))")
OH = Tree.from_string("(UH Oh)")
LIST = Tree.from_string("(TOP (NP (NN Name)) (: :) (NP (NN Rex)))")
VOCAB = Vocab()


def make_doc(sentences, spaces=None, vocab=VOCAB):
    words = [word for tree in sentences for word in tree.words()]
    tags = [tag for tree in sentences for tag in tree.tags()]
    starts = [i == 0 for tree in sentences for i in range(len(tree.words()))]
    return Doc(vocab, words=words, tags=tags, spaces=spaces, sent_starts=starts)


def stored(sentences):
    doc = make_doc(sentences)
    set_trees(doc, sentences)
    return doc


def group_of(doc):
    return [(span.label_, span.start, span.end) for span in doc.spans[SPANS_KEY]]


def as_top(sentences):
    return Tree("TOP", [unwrap(tree) for tree in sentences])


def test_one_span_per_bracket_in_pre_order():
    doc = stored([DOG, Tree.from_string("(ROOT (S (VP (NP-SBJ (NN Rex)))))")])
    assert group_of(doc) == [
        ("S", 0, 4), ("NP", 0, 2), ("VP", 2, 3), ("S", 4, 5), ("VP", 4, 5), ("NP-SBJ", 4, 5),
    ]  # fmt: skip
    assert get_brackets(doc) == group_of(doc)


def test_sentences_without_a_bracket_over_all_of_them():
    doc = stored([OH, LIST])
    assert group_of(doc) == [("TOP", 0, 1), ("TOP", 1, 4), ("NP", 1, 2), ("NP", 3, 4)]
    assert get_tree(doc) == Tree("TOP", [OH, LIST])
    assert [get_tree(sent) for sent in doc.sents] == [OH, LIST]


def test_docs_without_trees():
    doc = make_doc([DOG])
    assert get_tree(doc) is None and get_tree(doc[0:2]) is None and get_brackets(doc) is None
    empty = Doc(VOCAB)
    assert get_tree(empty) is None
    set_trees(empty, [])
    assert get_tree(empty) is None
    set_trees(doc, [DOG])
    # spaCy drops span groups here; the answer is that there is no tree.
    assert get_tree(doc[:].as_doc()) is None


def test_whitespace_tokens_are_no_leaves():
    words = ["\n", "The", " ", "dog", "barks", ".", "\n\n", "\t", "Oh", "\n", "  "]
    starts = [i in (0, 7, 9) for i in range(len(words))]
    tags = ["_SP", "DT", "_SP", "NN", "VBZ", ".", "_SP", "_SP", "UH", "_SP", "_SP"]
    doc = Doc(VOCAB, words=words, tags=tags, sent_starts=starts)
    set_trees(doc, [DOG, OH])  # the third sentence holds nothing but whitespace
    assert group_of(doc) == [("S", 1, 6), ("NP", 1, 4), ("VP", 4, 5), ("TOP", 8, 9)]
    assert get_tree(doc) == Tree("TOP", [DOG, OH])
    assert [get_tree(sent) for sent in doc.sents] == [DOG, OH, None]
    assert get_tree(doc[0:7]) == DOG and get_tree(doc[2:3]) is None


def test_docs_without_sentence_boundaries_take_trees_in_a_row():
    doc = Doc(VOCAB, words=DOG.words() + OH.words(), tags=DOG.tags() + OH.tags())
    for wrong in ([DOG, None], []):
        with pytest.raises(TreeError):
            set_trees(doc, wrong)
    set_trees(doc, [DOG, OH])
    assert sentence_trees(doc) == [as_top([DOG, OH])]
    assert get_tree(doc) == Tree("TOP", [DOG, OH])
    assert not doc.has_annotation("SENT_START")


def test_the_trees_of_all_sentences_at_once():
    doc = make_doc([DOG, OH, LIST])
    set_trees(doc, [None, OH, LIST])
    assert sentence_trees(doc) == [None, OH, LIST]
    spaced = Doc(
        VOCAB,
        words=["\n", "Oh", " ", " ", "Oh"],
        tags=["_SP", "UH", "_SP", "_SP", "UH"],
        sent_starts=[True, False, False, True, False],
    )
    set_trees(spaced, [OH, None])
    assert sentence_trees(spaced) == [OH, None]
    # Brackets over a part of a sentence are no tree of it.
    doc.spans[SPANS_KEY] = [Span(doc, 0, 2, label="NP")]
    assert sentence_trees(doc) == [None, None, None]
    assert sentence_trees(make_doc([DOG, OH])) == [None, None]


def test_tags_are_the_tokens_and_never_overwritten():
    doc = Doc(VOCAB, words=DOG.words(), pos=["DET", "NOUN", "VERB", "PUNCT"])
    set_trees(doc, [DOG])
    assert [token.tag_ for token in doc] == [""] * 4
    assert get_tree(doc[:]).tags() == ["DET", "NOUN", "VERB", "PUNCT"]
    bare = Doc(VOCAB, words=DOG.words())
    set_trees(bare, [DOG])
    assert get_tree(bare[:]).tags() == ["XX"] * 4
    bare[0].tag_ = "PDT"
    assert get_tree(bare[:]).tags()[0] == "PDT"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([DOG], r"2 sentences with words in them, but 1 trees"),
        ([DOG, DOG], r"sentence 2 of the doc: leaf 1 of its tree is 'The', but token 4 .* 'Oh'"),
        ([DOG, Tree.from_string("(X (UH Oh) (. .))")], r"sentence 2 .* 2 leaves for 1 tokens"),
        ([Tree.from_string("(S (DT The) (NN dog))"), OH], r"sentence 1 .* 2 leaves for 4 tokens"),
        ([DOG, Tree.from_string("(X (UH Oh) (-NONE- *))")], r"2 leaves for 1 tokens.*remove_empty"),
        ([str(DOG)], r"1 of 1 is <class 'str'>: '\(S \(NP.*Tree\.from_string"),
        ([DOG, DOG.to_nltk()], r"2 of 2 is <class 'nltk.*Tree\.from_nltk"),
        (str(DOG), r"a list of Trees.* 1 of 1 is <class 'str'>"),
        (DOG, r"a list of Trees"),
    ],
)
def test_trees_that_do_not_fit(given, message):
    doc = stored([DOG, OH])
    before = group_of(doc)
    with pytest.raises((TreeError, TypeError), match=message):
        set_trees(doc, given)
    assert group_of(doc) == before


def test_spellings_of_one_bracket_match_and_other_words_on_request():
    tree = Tree.from_string("(NP (-LRB- -LSB-) (NN a) (-RRB- -RRB-))")
    doc = Doc(VOCAB, words=["[", "a", "-RRB-"])
    set_trees(doc, [tree])
    assert get_tree(doc[:]).words() == ["[", "a", "-RRB-"]
    other = Doc(VOCAB, words=["[", "b", ")"])
    with pytest.raises(TreeError, match="'a', but token 1 of the doc is 'b'"):
        set_trees(other, [tree])
    set_trees(other, [tree], match_words=False)
    assert get_brackets(other) == [("NP", 0, 3)]


def test_crossing_brackets_are_an_error():
    doc = make_doc([DOG])
    doc.spans[SPANS_KEY] = [Span(doc, 0, 3, "A"), Span(doc, 2, 4, "B")]
    for view in (doc, doc[:], doc[0]):
        with pytest.raises(TreeError, match="'A' over 0 to 3 and 'B' over 2 to 4"):
            get_tree(view)


def test_trees_survive_what_spacy_does_to_docs():
    sentences = [DOG, OH, LIST]
    doc = stored(sentences)
    expected = as_top(sentences)
    assert get_tree(Doc(Vocab()).from_bytes(doc.to_bytes())) == expected
    copied = doc.copy()
    del doc.spans[SPANS_KEY]
    assert get_tree(copied) == expected and get_tree(doc) is None
    merged = Doc.from_docs([copied, Doc(VOCAB, words=["No", "tree"]), copied])
    assert get_tree(merged) == Tree("TOP", expected.children * 2)


@given(st.lists(trees(NAMES), min_size=1, max_size=4), st.booleans())
def test_docs_round_trip_through_docbin(sentences, boundaries):
    # A word that spaCy takes for whitespace is no leaf.
    docs = DocBin()
    doc = make_doc(sentences)
    if not boundaries:
        doc = Doc(VOCAB, words=[t.text for t in doc], tags=[t.tag_ for t in doc])
    set_trees(doc, [wrap(tree) for tree in sentences])
    docs.add(doc)
    (loaded,) = DocBin().from_bytes(docs.to_bytes()).get_docs(Vocab())
    assert get_tree(loaded) == as_top(sentences)


def test_a_bracket_over_whitespace_alone_is_no_constituent():
    doc = Doc(
        VOCAB, words=["a", " ", "b"], tags=["X", "_SP", "Y"], sent_starts=[True, False, False]
    )
    doc.spans[SPANS_KEY] = [Span(doc, 0, 3, "S"), Span(doc, 1, 2, "NP")]
    assert sentence_trees(doc) == [Tree.from_string("(S (X a) (Y b))")]

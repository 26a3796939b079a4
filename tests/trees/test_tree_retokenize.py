import numpy as np
import pytest
import spacy.tokens.doc
from spacy.lang.en import EnglishDefaults
from spacy.pipeline.functions import merge_noun_chunks
from spacy.tokens import Doc, DocBin, SpanGroup
from spacy.vocab import Vocab

from spacy_structparse.trees import (
    SPANS_KEY,
    Tree,
    follow_retokenization,
    get_brackets,
    get_tree,
    realign_trees,
    set_trees,
)

TREE = Tree.from_string(
    "(S (NP (DT the) (ADJP (RB very) (JJ big)) (NN dog))"
    " (VP (VBZ sees) (NP (DT a) (NN cat))) (. .))"
)


@pytest.fixture
def doc():
    vocab = Vocab(get_noun_chunks=EnglishDefaults.syntax_iterators["noun_chunks"])
    doc = Doc(
        vocab,
        words=TREE.words(),
        tags=TREE.tags(),
        pos=["DET", "ADV", "ADJ", "NOUN", "VERB", "DET", "NOUN", "PUNCT"],
        heads=[3, 2, 3, 4, 4, 6, 4, 4],
        deps=["det", "advmod", "amod", "nsubj", "ROOT", "det", "dobj", "punct"],
    )
    set_trees(doc, [TREE])
    return doc


def merge(doc, *spans):
    with doc.retokenize() as retokenizer:
        for span in spans:
            retokenizer.merge(span)


def test_merged_tokens_take_the_brackets_within_them(doc):
    merge_noun_chunks(doc)
    assert [token.text for token in doc] == ["the very big dog", "sees", "a cat", "."]
    spans = [(span.label_, span.start, span.end) for span in doc.spans[SPANS_KEY]]
    assert spans == get_brackets(doc) == [("S", 0, 4), ("NP", 0, 1), ("VP", 1, 3), ("NP", 2, 3)]
    (loaded,) = DocBin(docs=[doc.copy()], store_user_data=True).get_docs(doc.vocab)
    assert get_brackets(loaded) == get_brackets(doc)
    expected = (
        "(S (NP (NN the-U+0020-very-U+0020-big-U+0020-dog)) "
        "(VP (VBZ sees) (NP (NN a-U+0020-cat))) (. .))"
    )
    assert str(get_tree(doc[:])) == expected
    assert doc._.constituency_tree.children[0] == doc[:]._.constituency_tree
    assert Tree.from_string(expected) == get_tree(doc[:])


def test_offsets_that_are_stale_but_in_range_give_no_wrong_tree(doc):
    # Without the outer brackets, what is stored still fits into the shorter Doc, displaced.
    doc.spans[SPANS_KEY] = [span for span in doc.spans[SPANS_KEY] if span.end < 6]
    before = str(get_tree(doc[1:3]))
    merge(doc, doc[5:8])
    assert str(get_tree(doc[1:3])) == before
    merge(doc, doc[0:1], doc[1:3])
    assert get_brackets(doc) == [("NP", 0, 3), ("ADJP", 1, 2)]


def test_docs_that_were_merged_without_this_package_can_be_realigned(doc):
    Retokenizer = type(doc.retokenize()).__base__  # spaCy's own
    with Retokenizer(doc) as retokenizer:
        retokenizer.merge(doc[0:4])
    expected = get_tree(doc)
    with pytest.raises(IndexError, match="E035"):
        doc.to_bytes()
    realign_trees(doc)
    assert [span.label_ for span in doc.spans[SPANS_KEY]] == ["S", "NP", "VP", "NP"]
    assert get_tree(doc) == expected
    docs = DocBin(docs=[doc.copy()])
    (loaded,) = docs.get_docs(Vocab())
    assert get_tree(loaded) == expected
    realign_trees(bare := Doc(Vocab(), words=["a"]))
    assert SPANS_KEY not in bare.spans


def test_a_bracket_that_a_merged_token_cuts_is_left_out_with_a_warning(doc):
    with pytest.warns(UserWarning, match=SPANS_KEY):
        merge(doc, doc[3:6])  # "dog sees a", across the ends of NP, VP and NP
    assert get_brackets(doc) == [("S", 0, 6), ("ADJP", 1, 3)]
    assert get_tree(doc[:]).words()[3] == "dog sees a"
    assert get_brackets(Doc(doc.vocab).from_bytes(doc.to_bytes())) == get_brackets(doc)


def test_groups_of_other_components_follow_too(doc):
    spans = [doc[0:2], doc[2:4], doc[4:7]]
    doc.spans["sc"] = SpanGroup(doc, name="sc", attrs={"scores": np.arange(3)}, spans=spans)
    group = doc.spans["sc"]
    with pytest.warns(UserWarning, match="sc"):
        merge(doc, doc[1:3])  # cuts the first two
    assert doc.spans["sc"] is group
    assert [span.text for span in group] == ["sees a cat"]
    assert group.attrs["scores"].tolist() == [2]


def test_a_second_import_changes_nothing():
    before = spacy.tokens.doc.Retokenizer
    follow_retokenization()
    assert spacy.tokens.doc.Retokenizer is before

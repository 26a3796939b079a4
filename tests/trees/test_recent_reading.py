"""Reading a Doc span by span equals reading it as a whole, whatever happened to it in between."""

import weakref
from random import Random

import pytest
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_structparse.errors import TreeError
from spacy_structparse.trees import SPANS_KEY, Tree, get_brackets, get_tree, set_trees
from spacy_structparse.trees.doc import tree_over
from tests.helpers.tree_docs import doc_of_trees

TREES = [
    Tree.from_string("(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))) (. .))"),
    Tree.from_string("(S (VP (VB Go)))"),
    Tree.from_string("(TOP (NP (NN x)) (. .))"),
    Tree.from_string("(S (NP (PRP she)) (VP (VBD ran) (ADVP (RB home))))"),
]


def doc_of(trees: list[Tree]) -> Doc:
    return doc_of_trees(Vocab(), trees)


def test_a_doc_that_is_gone_is_not_kept():
    doc = doc_of(TREES)
    get_tree(doc[0:6])
    gone = weakref.ref(doc)
    del doc
    assert gone() is None


@pytest.mark.parametrize("seed", range(30))
def test_reading_by_spans_equals_reading_the_doc(seed):
    rng = Random(seed)
    doc = doc_of(rng.choices(TREES, k=6))
    other = doc_of(TREES)
    for _ in range(40):
        change_something(doc, rng)
        start = rng.randrange(len(doc))
        view = doc[start] if rng.random() < 0.3 else doc[start : rng.randint(start + 1, len(doc))]
        assert outcome(get_tree, view) == outcome(get_tree_of_all, view)
        sent = rng.choice(list(doc.sents))
        assert outcome(get_tree, sent) == outcome(get_tree_of_all, sent)
        if rng.random() < 0.2:
            assert [get_tree(sent) for sent in other.sents] == TREES


def change_something(doc: Doc, rng: Random) -> None:
    kind = rng.randrange(10)
    start = rng.randrange(len(doc))
    end = min(start + rng.randint(1, 3), len(doc))
    try:
        group = doc.spans[SPANS_KEY]
        if kind == 0:
            group.append(Span(doc, start, end, label="X"))
        elif kind == 1:
            doc.spans[SPANS_KEY] = rng.sample(list(group), max(len(group) - 1, 0))
        elif kind == 2 and len(group):
            place = rng.randrange(len(group))
            span = group[place]
            group[place] = Span(doc, span.start, span.end, label="Y")
        elif kind == 3:
            set_trees(doc, [rng.choice([get_tree_of_all(sent), None]) for sent in doc.sents])
        elif kind == 4 and rng.random() < 0.3:
            with doc.retokenize() as retokenizer:
                retokenizer.merge(doc[start:end])
        elif kind == 5 and len(doc[start]) > 1 and rng.random() < 0.3:
            text = doc[start].text
            with doc.retokenize() as retokenizer:
                retokenizer.split(doc[start], [text[0], text[1:]], [(doc[start], 1), doc[start]])
        elif kind == 6:
            doc[start].tag_ = "ZZ"
    except (IndexError, TreeError):
        set_trees(doc, [None for _ in doc.sents])


def outcome(read, view):
    """The tree, or the message of the error."""
    try:
        return read(view)
    except TreeError as error:
        return str(error)


def get_tree_of_all(view):
    return tree_over(view, get_brackets(view.doc) or [])

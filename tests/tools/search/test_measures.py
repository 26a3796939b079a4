"""Measures of syntactic complexity, against examples counted by hand."""

import re

import pytest
import spacy
from spacy.tokens import Doc

from spacy_structparse.errors import TreeError
from spacy_structparse.tools.search import syntax_measures
from spacy_structparse.trees import Tree, set_trees
from tests.helpers.tree_docs import doc_of_trees

FIRST = (
    "(S (NP (PRP She)) (VP (VBD said) (SBAR (IN that) (S (NP (DT the) (JJ old) (NN dog)) "
    "(VP (VBD ran))))) (. .))"
)
SECOND = "(S (NP (NNP Tom)) (VP (VBZ sings) (CC and) (VBZ dances)) (. .))"


@pytest.fixture
def doc() -> Doc:
    heads = [1, 1, 6, 5, 5, 6, 1, 1, 9, 9, 11, 9, 9]
    deps = ["ROOT" if head == i else "dep" for i, head in enumerate(heads)]
    return doc_of_trees(spacy.blank("en").vocab, (FIRST, SECOND), heads=heads, deps=deps)


def test_function_tags_change_nothing(doc: Doc) -> None:
    bare = syntax_measures(doc)
    tagged = [FIRST.replace("(SBAR", "(SBAR-NOM").replace("(NP", "(NP-SBJ"), SECOND]
    tagged = [re.sub(r"\((S|VP) ", r"(\1-X=1 ", text) for text in tagged]
    set_trees(doc, [Tree.from_string(text) for text in tagged])
    assert syntax_measures(doc) == bare


def test_structures_and_ratios(doc: Doc) -> None:
    """Counted by hand from the definitions of Lu (2010).

    Words: 7 + 4. Verb phrases under a clause: "said …", "ran", "sings and dances". Clauses: the
    outer and the inner one of the first sentence, and the second sentence, whose VP has a finite
    head. T-units: both sentences. Dependent clause: the SBAR. Complex T-unit: the first. Coordinate
    phrase: the VP with "and". Complex nominals: "the old dog", for its adjective, and the clause
    with "that" as the object of "said".
    """
    found = syntax_measures(doc)
    counts = {"W": 11, "S": 2, "VP": 3, "C": 3, "T": 2, "DC": 1, "CT": 1, "CP": 1, "CN": 2}
    assert {name: found[name] for name in counts} == counts
    ratios = {
        "MLS": 11 / 2, "MLT": 11 / 2, "MLC": 11 / 3, "C/S": 3 / 2, "VP/T": 3 / 2, "C/T": 3 / 2,
        "DC/C": 1 / 3, "DC/T": 1 / 2, "T/S": 1, "CT/T": 1 / 2, "CP/T": 1 / 2, "CP/C": 1 / 3,
        "CN/T": 1, "CN/C": 2 / 3,
    }  # fmt: skip
    assert {name: found[name] for name in ratios} == pytest.approx(ratios)
    assert found["yngve"] == pytest.approx((9 + 4) / 11)
    assert found["frazier"] == pytest.approx((8.5 + 3.5) / 11)
    assert found["dependency_distance"] == pytest.approx((14 + 4) / 9)


def test_phrases_and_chunks(doc: Doc) -> None:
    def texts(spans: list) -> list[str]:
        return [span.text for span in spans]

    assert texts(doc._.phrases("NP")) == ["She", "the old dog", "Tom"]
    assert [span.label_ for span in doc._.phrases("SBAR")] == ["SBAR"]
    assert texts(doc._.chunks("NP")) == ["She", "the old dog", "Tom"]
    assert texts(doc._.chunks("VP")) == [
        "said that the old dog ran", "ran", "sings and dances",
    ]  # fmt: skip
    assert texts(doc._.chunks("clause")) == [doc[:8].text, "the old dog ran", doc[8:].text]
    with pytest.raises(ValueError, match="NP, VP, clause"):
        doc._.chunks("PP")


def test_without_trees_or_words() -> None:
    vocab = spacy.blank("en").vocab
    bare = Doc(vocab, words=["No", "trees"])
    for call in (
        lambda: bare._.syntax_measures, lambda: bare._.phrases("NP"), lambda: bare._.chunks("NP"),
    ):  # fmt: skip
        with pytest.raises(TreeError):
            call()
    dots = Doc(vocab, words=["…"], tags=["."])
    set_trees(dots, [Tree.from_string("(FRAG (. …))")])
    found = dots._.syntax_measures
    assert (found["W"], found["S"], found["MLS"], found["yngve"]) == (0, 1, 0, 0)
    assert "dependency_distance" not in found

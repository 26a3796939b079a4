"""What the page shows, without a browser."""

import math
import xml.etree.ElementTree as ET

import pytest
import spacy
from spacy.tokens import Doc

from spacy_structparse.corpora.pipeline_outputs import PipelineOutputs
from spacy_structparse.errors import PatternError, ReadError, TreeError
from spacy_structparse.pipeline.k_best import ScoredDependencies, ScoredTree
from spacy_structparse.tools.app.corrections import correct_arcs, correct_tree
from spacy_structparse.tools.app.drawings import (
    confidence_drawings,
    draw_alternative,
)
from spacy_structparse.tools.app.marks import (
    MAX_SHOWN,
    differing_arcs,
    differing_nodes,
    facts_of,
    find,
)
from spacy_structparse.tools.app.parsing import Parse, Parser
from spacy_structparse.trees import Tree
from spacy_structparse.viz.sentences import parsed_sentences
from tests.helpers.paths import SAVED
from tests.helpers.tree_docs import doc_of_trees

COOK = "(S (NP (DT The) (NN cook)) (VP (VBZ stirs) (NP (NN soup))))"


def a_parse(*brackets: str, heads: list[int] | None = None, deps: list[str] | None = None) -> Parse:
    doc = doc_of_trees(spacy.blank("xx").vocab, brackets, heads=heads, deps=deps)
    return Parse(doc, parsed_sentences(doc, trees=True), PipelineOutputs(heads=True, trees=True))


def marked_texts(svg: str) -> list[str | None]:
    texts = ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return [node.text for node in texts if "text-decoration" in node.attrib]


def test_a_text_that_a_pipeline_does_not_take() -> None:
    nlp = spacy.blank("xx")
    nlp.max_length = 10
    with pytest.raises(ReadError, match="has 11 characters, and this pipeline takes 10") as said:
        Parser(nlp).parse("a" * 11)
    assert "structparse parse MODEL FILE.txt" in str(said.value)


def test_constituents_and_tags_that_only_one_parse_has() -> None:
    # In pre-order: S NP DT NN VP VBZ NP NN, and S NP DT NN VP VBZ NN.
    one = a_parse(COOK)
    other = a_parse("(S (NP (DT The) (NN cook)) (VP (VBZ stirs) (NNS soup)))")
    assert differing_nodes(one.sentences[0], facts_of(other)) == {6, 7}
    assert differing_nodes(other.sentences[0], facts_of(one)) == {6}
    # Of two equal brackets over the same words one has a counterpart.
    twice, once = a_parse("(S (S (X a) (X b)))"), a_parse("(S (X a) (X b))")
    assert differing_nodes(twice.sentences[0], facts_of(once)) == {1}
    assert differing_nodes(once.sentences[0], facts_of(twice)) == set()


def test_arcs_differ_in_head_or_label_and_are_found_by_characters() -> None:
    one = a_parse(COOK, heads=[1, 2, 2, 2], deps=["det", "nsubj", "ROOT", "obj"])
    other = a_parse(COOK, heads=[1, 2, 2, 1], deps=["det", "obj", "ROOT", "obj"])
    assert differing_arcs(one.sentences[0], facts_of(other)) == {1, 3}
    # The same text in other tokens: what is said of the same characters is the same.
    vocab = spacy.blank("xx").vocab
    docs = [
        Doc(vocab, words=words, spaces=spaces, heads=heads, deps=["x"] * len(words))
        for words, spaces, heads in (
            (["a", "b", "c", "d"], [True, False, True, False], [3, 3, 3, 3]),
            (["a", "bc", "d"], [True, True, False], [2, 2, 2]),
        )
    ]
    gives = PipelineOutputs(heads=True, trees=False)
    split, whole = (Parse(doc, parsed_sentences(doc, trees=False), gives) for doc in docs)
    assert differing_arcs(split.sentences[0], facts_of(whole)) == {1, 2}
    assert differing_arcs(whole.sentences[0], facts_of(split)) == {1}


def test_matches_on_lines_and_in_the_tree() -> None:
    parse = a_parse("(S (X Dogs) (X bark))", COOK)
    findings = find(parse, "NP=found < DT=first")
    [finding] = findings.shown
    assert (findings.n, finding.sentence, finding.match) == (1, 1, "The cook")
    assert (finding.left, finding.right) == ("", "stirs soup")
    assert finding.named == "found = The cook, first = The"
    assert findings.marked(parse.sentences[0]) == set()
    assert findings.marked(parse.sentences[1]) == {1}
    # A tag is matched too; the fourth node of the second tree is NN over cook, the last over soup.
    assert find(parse, "NN").marked(parse.sentences[1]) == {3, 7}
    assert len(find(a_parse(*["(S (X a))"] * (MAX_SHOWN + 1)), "X").shown) == MAX_SHOWN
    with pytest.raises(PatternError, match="column 5"):
        find(parse, "NP <")


def test_what_another_parse_has_and_the_best_does_not_stands_out() -> None:
    [sentence] = a_parse(COOK).sentences
    flat = Tree.from_string("(S (NP (DT The) (NN cook)) (VBZ stirs) (NP (NN soup)))")
    nested = Tree.from_string(COOK)
    scored = [ScoredTree(nested, (), math.log(0.25)), ScoredTree(flat, (), math.log(1e-9))]
    title, svg = draw_alternative(sentence, scored[0], scored[1])
    assert (title, marked_texts(svg)) == ("25.0%; VP over “stirs soup”", ["VP"])
    title, svg = draw_alternative(sentence, scored[1], scored[0])
    assert (title, marked_texts(svg)) == ("below 0.1%; no VP over “stirs soup”", [])
    tokens = (0, 1, 2, 3)
    best = ScoredDependencies(tokens, (1, 2, 2, 2), ("det", "nsubj", "root", "obj"), -1.0)
    other = ScoredDependencies(tokens, (1, 2, 2, 1), ("det", "dep", "root", "obl"), -2.0)
    title, svg = draw_alternative(sentence, other, best)
    assert marked_texts(svg) == ["dep", "obl"]
    assert title.endswith("; cook → stirs, dep; soup → cook, obl")
    assert marked_texts(draw_alternative(sentence, best, best)[1]) == []


def test_parsers_of_the_page_say_how_sure_they_are_and_give_several_parses() -> None:
    parser = Parser(spacy.load(SAVED / "spa_bot_biaffine"))
    parse = parser.parse("Old dogs sleep")
    [svg] = confidence_drawings(parse.sentences[0], parse.outputs.spans_key)
    assert sum(str(text).endswith("%") for text in ET.fromstring(svg).itertext()) == 3
    [[best, second, *_]] = parser.find_alternatives(parse, "spa_dep")
    assert best.log_probability > second.log_probability
    assert list(Parser(spacy.blank("en")).k_best_parsers()) == []


def test_an_error_of_a_component_is_a_message() -> None:
    nlp = spacy.blank("en")

    @spacy.Language.component("breaks_on_every_doc")
    def breaks(doc: Doc) -> Doc:
        raise RuntimeError("broken")

    nlp.add_pipe("breaks_on_every_doc")
    parser = Parser(nlp)
    with pytest.raises(ReadError, match="broken"):
        parser.parse("A text")
    # The lock is free again.
    with pytest.raises(ReadError):
        parser.parse("A text")


def test_a_pipeline_without_sentences_gets_them() -> None:
    assert len(Parser(spacy.blank("en")).parse("Dogs bark. They do.").sentences) == 2


def test_a_corrected_sentence_is_one_of_its_file() -> None:
    parse = a_parse(COOK, heads=[1, 2, 2, 2], deps=["det", "nsubj", "ROOT", "obj"])
    labels = ["det", "nsubj", "ROOT", "obl:arg"]
    svg, text = correct_arcs(parse, 0, [2, 3, 0, 2], labels)
    assert marked_texts(svg) == ["obl:arg"]
    columns = [line.split("\t") for line in text.splitlines() if line and line[0] != "#"]
    assert [(row[6], row[7]) for row in columns][2:] == [("0", "root"), ("2", "obl:arg")]
    assert [token.dep_ for token in parse.doc] == ["det", "nsubj", "ROOT", "obj"]
    for heads in ([2, 1, 0, 3], [2, 3, 2, 3], [0, 0, 0, 3], [2, 3, 0, 9], [2, 3, 0, None]):
        with pytest.raises(TreeError):
            correct_arcs(parse, 0, heads, labels)
    other = COOK.replace("(NP (NN soup))", "(NN soup)").replace("VP", "XP")
    svg, text = correct_tree(parse.sentences[0], other)
    assert (marked_texts(svg), text) == (["XP"], f"(TOP {other})\n")
    for brackets in (COOK.replace("soup", "soups"), "(S (NP"):
        with pytest.raises(ValueError):
            correct_tree(parse.sentences[0], brackets)

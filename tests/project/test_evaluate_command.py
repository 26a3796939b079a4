"""`spacy structparse evaluate`: trees are scored on gold tokens, and what goes wrong is said."""

import re
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_structparse.trees import Tree, set_trees
from tests.helpers.tree_docs import doc_of_trees

TREES = (
    "(S (NP (DT the) (NN cook)) (VP (VBD stirred) (NP (NN soup))) (. .))",
    "(S (NP (NNS dogs)) (VP (VBP sleep)) (. .))",
)
TINY = {"encoder_width": 4, "decoder_width": 4, "context_width": 4, "readout_width": 4}


def gold_doc(nlp: Language) -> Doc:
    """Both sentences in one doc, as treebanks are converted with `--n-sents`."""
    return doc_of_trees(nlp.vocab, TREES)


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> Path:
    nlp = spacy.blank("en")
    nlp.add_pipe("seq2seq_constituency", config={"model": TINY})
    gold = gold_doc(nlp)
    nlp.initialize(lambda: [Example(nlp.make_doc(gold.text), gold)])
    folder = tmp_path_factory.mktemp("parser")
    nlp.to_disk(folder)
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "gold.spacy"
    DocBin(docs=[gold_doc(spacy.blank("en"))]).to_disk(path)
    return path


def test_trees_are_scored(command: Any, parser: Path, data: Path, tmp_path: Path) -> None:
    output = tmp_path / "scores.json"
    printed = command("structparse", "evaluate", parser, data, "--output", output)
    assert "Brackets F1" in printed
    scores = srsly.read_json(output)
    found = scores["seq2seq_constituency"]
    # Both sentences, in one doc, were scored: none is left out for want of a tree.
    assert found["const_errors"] == 0
    assert set(found["const_f_per_type"]) >= {"S", "NP", "VP"}
    assert 0.0 <= found["const_f"] <= 1.0
    assert "Brackets F1" in command("structparse", "table", output)


def test_gold_without_tags_is_said(command: Any, parser: Path, data: Path, tmp_path: Path) -> None:
    doc = gold_doc(spacy.blank("en"))
    for token in doc:
        token.tag_ = ""
    DocBin(docs=[doc]).to_disk(tmp_path / "untagged.spacy")
    cause = "The gold trees have no tags"
    assert cause in command("structparse", "evaluate", parser, tmp_path / "untagged.spacy")
    assert cause not in command("structparse", "evaluate", parser, data)


def test_no_data(command: Any, parser: Path, tmp_path: Path) -> None:
    output = tmp_path / "scores.json"
    empty = tmp_path / "empty"
    empty.mkdir()
    none = tmp_path / "none.spacy"
    DocBin().to_disk(none)
    for data in (empty, none):
        printed = command("structparse", "evaluate", parser, data, "-o", output, fails=True)
        assert "'evaluate' failed" in printed
        assert data.name in printed
    assert not output.exists()
    command("structparse", "evaluate", parser, tmp_path / "absent.spacy", fails=True)


def test_gold_labels_that_the_pipeline_does_not_know(
    command: Any, tmp_path: Path, parser: Path
) -> None:
    """Data of another label scheme."""
    nlp = spacy.load(parser)
    nlp.add_pipe("stack_lstm_dep")
    nlp.add_pipe("tagger").add_label("NN")
    doc = Doc(
        nlp.vocab,
        words=["a", "b", "c"],
        heads=[1, 1, 1],
        deps=["dobj", "ROOT", "obj"],
        tags=["NN", "NOUN", "NN"],
    )
    set_trees(doc, [Tree.from_string("(S (NP (NN a)) (KOP (NN b) (NN c)))")])
    nlp.initialize(lambda: [Example(nlp.make_doc("a b c"), gold_doc_of(nlp))])
    nlp.to_disk(tmp_path / "pipeline")
    DocBin(docs=[doc]).to_disk(tmp_path / "other.spacy")
    printed = " ".join(
        command("structparse", "evaluate", tmp_path / "pipeline", tmp_path / "other.spacy").split()
    )
    for name, count, label in (
        ("stack_lstm_dep", "1 of 2", "dobj"),
        ("tagger", "1 of 3", "NOUN"),
        ("seq2seq_constituency", "1 of 3", "KOP"),
    ):
        assert re.search(rf"{name}[^:]* {count} [^:]*: {label}\b", printed)


def gold_doc_of(nlp: Language) -> Doc:
    words, deps = ["a", "b", "c"], ["obj", "ROOT", "obj"]
    doc = Doc(nlp.vocab, words=words, heads=[1, 1, 1], deps=deps, tags=["NN"] * 3)
    set_trees(doc, [Tree.from_string("(S (NP (NN a)) (VP (NN b) (NN c)))")])
    return doc

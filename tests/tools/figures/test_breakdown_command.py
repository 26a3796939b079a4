"""`spacy structparse breakdown`: parsers compared by sentence length and by parts of a parse."""

from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_structparse.trees import Tree, set_trees
from tests.helpers.fake_parsers import saved

WORDS = ["Old", "dogs", "sleep", "."]
GOLD = {"heads": [1, 2, 2, 2], "deps": ["amod", "nsubj", "ROOT", "punct"],
        "pos": ["ADJ", "NOUN", "VERB", "PUNCT"]}  # fmt: skip
# A fake parser finds S and the NP, and no VP.
TREES = (
    "(S (NP (JJ Old) (NNS dogs)) (VP (VBP sleep)) (. .))",
    f"(S (NP (JJ Old) (NNS dogs)) {' '.join('(RB soon)' for _ in range(10))})",
)


def gold_doc(nlp: Language) -> Doc:
    return Doc(nlp.vocab, words=WORDS, **GOLD)


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A parser that knows the sentence by heart."""
    nlp = spacy.blank("en")
    small = {"encoder_width": 8, "scorer_width": 8, "attention_width": 4, "label_width": 8}
    nlp.add_pipe("spa_dep", config={"model": small})
    examples = [Example(Doc(nlp.vocab, words=WORDS), gold_doc(nlp))]
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.02
    for _ in range(40):
        nlp.update(examples, sgd=optimizer)
    folder = tmp_path_factory.mktemp("known") / "model-best"
    nlp.to_disk(folder)
    return folder


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "gold.spacy"
    DocBin(docs=[gold_doc(spacy.blank("en"))]).to_disk(path)
    return path


def tree_data(folder: Path, *trees: str, tags: bool = True, bare: int = 0) -> Path:
    """Sentences with gold trees, and some without."""
    vocab = spacy.blank("en").vocab
    docs = [Doc(vocab, words=WORDS) for _ in range(bare)]
    for tree in map(Tree.from_string, trees):
        doc = Doc(vocab, words=tree.words(), tags=tree.tags() if tags else None)
        set_trees(doc, [tree])
        docs.append(doc)
    DocBin(docs=docs, attrs=["TAG", "SENT_START"]).to_disk(folder / "trees.spacy")
    return folder / "trees.spacy"


def test_figures(command: Any, parser: Path, data: Path, tmp_path: Path) -> None:
    output = tmp_path / "report.json"
    printed = command("structparse", "breakdown", data, parser, f"again={parser}", "-o", output)
    name = parser.parent.name
    for shown in (f"LAS {name}", "LAS again", "1-10", "NOUN", "100.00", "LAS, no PUNCT:"):
        assert shown in printed
    figures = srsly.read_json(output)
    right = {"tokens": 1, "uas": 1.0, "las": 1.0}
    assert figures["pos"]["again"] == {"ADJ": right, "NOUN": right, "VERB": right}
    assert figures["distance"]["again"] == {"root": right, "1": {**right, "tokens": 2}}
    assert figures["found"] == figures["distance"]
    assert figures["length"][name] == {"1-10": {**right, "tokens": 3}}


def test_pictures(command: Any, parser: Path, data: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures are drawn by matplotlib")
    picture, drawing = tmp_path / "report.png", tmp_path / "report.svg"
    command("structparse", "breakdown", data, f"known={parser}", "--metric", "uas", "-o", picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    command("structparse", "breakdown", data, f"known={parser}", "--metric", "uas", "-o", drawing)
    for shown in ("known", "UAS", "NOUN", "words of the sentence", "precision"):
        assert shown in drawing.read_text(encoding="utf8")


def test_what_cannot_be_reported(command: Any, parser: Path, data: Path, tmp_path: Path) -> None:
    blank = tmp_path / "blank"
    spacy.blank("en").to_disk(blank)
    trees_alone = tmp_path / "bare.spacy"
    DocBin(docs=[Doc(spacy.blank("en").vocab, words=WORDS)]).to_disk(trees_alone)
    none = tmp_path / "none"
    none.mkdir()
    for arguments, said in (
        ((none, parser), f"the folder {none}"),
        ((data, parser, parser), "two pipelines are called"),
        (
            (data, blank),
            f"--metric las does not fit the pipeline '{blank}', which has no dependency parser",
        ),
        (
            (data, blank, "-m", "f1"),
            f"--metric f1 does not fit the pipeline '{blank}', which has no constituency parser",
        ),
        ((data, parser, "-m", "f1"), "choose f1 for trees, las or uas for dependencies"),
        ((data, saved(tmp_path / "trees", "fake_trees"), "-m", "f1"), "no sentence in"),
        ((data, tmp_path / "nothing"), "cannot be loaded"),
        ((trees_alone, parser), "no token in"),
        ((tmp_path / "nothing.spacy", parser), "nothing.spacy"),
    ):
        printed = command("structparse", "breakdown", *arguments, fails=True)
        assert said in " ".join(printed.split()), arguments
    assert not list(tmp_path.glob("report*"))


def test_reliability(command: Any, parser: Path, data: Path, tmp_path: Path) -> None:
    picture = tmp_path / "reliability.svg"
    printed = command("structparse", "breakdown", data, f"mine={parser}", "--reliability", picture)
    assert "LAS, no PUNCT:" in printed
    drawn = picture.read_text(encoding="utf8")
    assert "mine: heads" in drawn and "mine: heads and labels" in drawn
    assert "4 decisions" in drawn and "brackets" not in drawn


def test_f1_of_brackets(command: Any, tmp_path: Path) -> None:
    data = tree_data(tmp_path, *TREES, bare=3, tags=False)
    right, odd = (
        saved(tmp_path / name, "fake_trees", odd=odd) for name, odd in (("r", []), ("o", ["sleep"]))
    )
    output = tmp_path / "report.json"
    printed = command(
        "structparse", "breakdown", data, right, f"odd={odd}", "--metric", "f1", "-o", output
    )
    for shown in ("F1 r", "F1 odd", "1-10", "≤ 70", "NP", "88.89", "F1 of brackets: as", "no tags"):
        assert shown in printed
    rows = [line.split() for line in printed.splitlines()]
    assert ["Without", "one,", "left", "out", "3", "3"] in rows
    figures = srsly.read_json(output)
    # Of three gold brackets of the short sentence two are found, or one and a wrong one.
    f1 = {name: one["1-10"]["f1"] for name, one in figures["length"].items()}
    assert f1 == pytest.approx({"r": 0.8, "odd": 0.4})
    assert figures["length"]["r"]["11-20"]["f1"] == 1.0
    assert figures["up_to"]["r"]["≤ 20"]["f1"] == pytest.approx(8 / 9)
    assert figures["up_to"]["r"]["≤ 10"] == figures["length"]["r"]["1-10"]
    assert figures["label"]["odd"]["NP"]["f1"] == 0.5
    assert figures["width"]["r"]["1"]["f1"] == 0.0  # the VP
    whole = figures["all"]["odd"]
    assert (whole["sentences"], whole["without_gold"], whole["failed"]) == (2, 3, 0)
    assert whole["f1"] == figures["up_to"]["odd"]["all"]["f1"]

"""`spacy structparse parse` with a pipeline that assigns trees: its formats and its inputs."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from spacy.cli._util import app
from spacy.language import Language
from spacy.tokens import Doc
from typer.testing import CliRunner

from spacy_structparse.trees import Tree, set_trees
from tests.helpers.saved_pipelines import saved

TEXT = "The baker sells bread. Who saw (it)?\n\nDogs bark.\n"
TREES = [
    "(TOP (S (NP (XX The)) (VP (XX baker) (XX sells) (XX bread) (XX .))))",
    "(TOP (S (NP (XX Who)) (VP (XX saw) (XX -LRB-) (XX it) (XX -RRB-) (XX ?))))",
    "(TOP (S (NP (XX Dogs)) (VP (XX bark) (XX .))))",
]


def first_and_rest(doc: Doc) -> Doc:
    """A tree for every sentence: its first word and the others; none for one that has "odd" in
    it."""
    trees: list[Tree | None] = []
    for sentence in doc.sents:
        words = [Tree("XX", word=token.text) for token in sentence if not token.is_space]
        if not words:
            continue
        rest = [Tree("VP", words[1:])] if words[1:] else []
        odd = any(word.word == "odd" for word in words)
        trees.append(None if odd else Tree("S", [Tree("NP", words[:1]), *rest]))
    set_trees(doc, trees)
    return doc


def chain_heads(doc: Doc) -> Doc:
    """Every word hangs on the one before it in its sentence."""
    starts = [token.is_sent_start for token in doc]
    heads = [i if start else i - 1 for i, start in enumerate(starts)]
    labels = ["ROOT" if start else "dep" for start in starts]
    return Doc(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        heads=heads,
        deps=labels,
    )


Language.component("test_first_and_rest", func=first_and_rest, assigns=["doc._.constituency_tree"])
Language.component("test_chain_heads", func=chain_heads, assigns=["token.head", "token.dep"])


@pytest.fixture(scope="module")
def tree_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("trees"), "en", "sentencizer", "test_first_and_rest")


@pytest.fixture(scope="module")
def both_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(
        tmp_path_factory.mktemp("both"),
        "en",
        "sentencizer",
        "test_chain_heads",
        "test_first_and_rest",
    )


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return path


def test_brackets_are_the_default_without_heads(
    command: Any, tree_model: Path, text: Path, tmp_path: Path
) -> None:
    output = tmp_path / "new" / "parsed"
    printed = command("structparse", "parse", tree_model, text, "-o", output)
    assert output.read_text().splitlines() == TREES
    assert [path.name for path in output.parent.iterdir()] == ["parsed"]
    assert "3 sentences of 2 documents" in " ".join(printed.split())


@pytest.mark.parametrize(
    ("name", "style"),
    [
        ("a.conllu.gz", "conllu"),
        ("a.parquet", "parquet"),
        ("a.ptb", "ptb"),
        ("a.mrg", "ptb"),
        ("a.jsonl", "json"),
        ("a.html", "svg"),
        ("a.tex", "latex"),
        ("a.spacy", "spacy"),
    ],
)
def test_the_output_is_what_its_name_says(
    command: Any, both_model: Path, text: Path, tmp_path: Path, name: str, style: str
) -> None:
    named, asked = tmp_path / name, tmp_path / "asked" / name
    command("structparse", "parse", both_model, text, "-o", named)
    command("structparse", "parse", both_model, text, "-o", asked, "-f", style)
    assert named.read_bytes() == asked.read_bytes()
    assert asked.stat().st_size


def test_a_text_has_no_parses(command: Any, both_model: Path, text: Path, tmp_path: Path) -> None:
    """As a `.txt` they would be read as a text again."""
    output = tmp_path / "parsed.txt"
    said = command("structparse", "parse", both_model, text, "-o", output, fails=True)
    assert "FILE.conllu" in said and not output.exists()


def test_a_sentence_without_a_tree_keeps_its_line(
    command: Any, tree_model: Path, tmp_path: Path
) -> None:
    source, output = tmp_path / "in.txt", tmp_path / "out.ptb"
    source.write_text("Dogs bark. Such an odd (one). Dogs bark.\n")
    printed = command("structparse", "parse", tree_model, source, "-o", output)
    lines = output.read_text().splitlines()
    assert lines == [
        TREES[2],
        "(TOP (XX Such) (XX an) (XX odd) (XX -LRB-) (XX one) (XX -RRB-) (XX .))",
        TREES[2],
    ]
    assert "1 of 3 sentences have no tree" in " ".join(printed.split())
    (tmp_path / "gold.ptb").write_text("\n".join([TREES[2], lines[1], TREES[2]]) + "\n")
    report = command("structparse", "evalb", tmp_path / "gold.ptb", output)
    assert "100.00" in report


def test_json_lines(command: Any, both_model: Path, text: Path, tmp_path: Path) -> None:
    output = tmp_path / "parsed.jsonl"
    text.write_text("He  left.  Ah!\nDéjà vu\n")
    command("structparse", "parse", both_model, text, "-f", "json", "-o", output)
    raw = output.read_text(encoding="utf8")
    first, second = map(json.loads, raw.splitlines())
    assert "Déjà" in raw
    assert first["text"] == "He  left.  Ah!"
    left, ah = first["sentences"]
    assert left == {
        "text": "He left.",
        "start_char": 0,
        "end_char": len("He  left."),
        "words": ["He", "left", "."],
        "tree": "(S (NP (XX He)) (VP (XX left) (XX .)))",
        "spans": [
            {"label": "S", "start": 0, "end": 3},
            {"label": "NP", "start": 0, "end": 1},
            {"label": "VP", "start": 1, "end": 3},
        ],
        "heads": left["heads"],
        "deps": ["ROOT", "dep", "dep"],
    }
    # "left" hangs on whitespace, which is no word: it is its own head.
    assert left["heads"] == [0, 1, 1]
    assert first["text"][ah["start_char"] : ah["end_char"]] == "Ah!"
    assert ah["words"] == ["Ah", "!"] and ah["heads"] == [0, 0]
    assert second["sentences"][0]["words"] == ["Déjà", "vu"]


def test_drawings_in_a_folder(command: Any, tree_model: Path, text: Path, tmp_path: Path) -> None:
    output = tmp_path / "drawings"
    args = ("structparse", "parse", tree_model, text, "--format", "svg", "--output", output)
    command(*args)
    names = ["000001-001.svg", "000001-002.svg", "000002-001.svg"]
    assert sorted(path.name for path in output.iterdir()) == names
    assert sorted(path.name for path in tmp_path.iterdir()) == ["drawings", "text.txt"]
    assert ET.parse(output / names[2]).getroot().attrib["aria-label"] == "Dogs bark ."
    # What is in a folder already is not mixed with new drawings, nor deleted.
    assert "not empty" in command(*args, fails=True)


def test_a_drawing_of_one_sentence(command: Any, both_model: Path, tmp_path: Path) -> None:
    """The arcs above the tree."""
    output = tmp_path / "one.svg"
    for _ in range(2):  # also in place of another drawing
        command("structparse", "parse", both_model, "Dogs bark .", "-o", output)
        drawn = {node.text for node in ET.parse(output).iter() if node.text}
        assert drawn >= {"dep", "NP", "Dogs"}


def test_drawings_on_a_page(command: Any, tree_model: Path, text: Path, tmp_path: Path) -> None:
    text.write_text("Dogs <b>bark</b>. An odd one.\n")
    page = tmp_path / "trees.html"
    command("structparse", "parse", tree_model, text, "--format", "svg", "--output", page)
    html = page.read_text()
    assert html.count("<svg") == 1
    assert html.count("<section") == 2
    assert "No tree" in html
    assert "&lt;b" in html and "<b>" not in html
    assert html.endswith("</html>\n")


def test_latex_has_arcs_and_trees(
    command: Any, both_model: Path, tree_model: Path, text: Path, tmp_path: Path
) -> None:
    both, trees = tmp_path / "both.tex", tmp_path / "trees.tex"
    command("structparse", "parse", both_model, text, "-o", both)
    command("structparse", "parse", tree_model, text, "-o", trees)
    environments = [(r"\begin{dependency}", 3), (r"\begin{forest}", 3), (r"\end{document}", 1)]
    assert [(name, both.read_text().count(name)) for name, _ in environments] == environments
    assert r"\begin{dependency}" not in trees.read_text()
    assert "% 1-2: Who saw (it)?\n" in trees.read_text()
    said = command("structparse", "parse", both_model, text, "-o", both, "-k", "2", fails=True)
    assert "--format latex" in " ".join(said.split())


@pytest.mark.parametrize(
    ("style", "output", "says"),
    [
        ("svg", "-", "FILE.svg"),
        ("svg", "tree.svg", "FOLDER"),
        ("svg", "text.txt", "is an input"),
        ("spacy", "-", "FILE.spacy"),
        ("ptb", ".", "Is a directory"),
        ("ptb", "parsed.ptb.bz2", "writes .gz alone"),
        ("conllu", "parsed.conllu", "dependency parser"),
        ("latex", ".", "Is a directory"),
    ],
)
def test_what_cannot_be_written_is_said_first(
    command: Any, tree_model: Path, text: Path, tmp_path: Path, style: str, output: str, says: str
) -> None:
    target = output if output == "-" else tmp_path / output
    printed = command(
        "structparse", "parse", tree_model, text, "-f", style, "-o", target, fails=True
    )
    assert says in " ".join(printed.split())
    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]
    assert text.read_text() == TEXT


def test_what_the_pipeline_does_not_have_is_said(
    command: Any, model: Path, text: Path, tmp_path: Path
) -> None:
    said = command("structparse", "parse", model, text, "-f", "ptb", fails=True)
    assert "seq2seq_constituency" in said and "components: stack_lstm_dep" in " ".join(said.split())
    blank = saved(tmp_path / "blank", "en", "sentencizer")
    said = command("structparse", "parse", blank, text, fails=True)
    assert "stack_lstm_dep" in said and "seq2seq_constituency" in said


def test_only_parses_go_to_the_standard_output(tree_model: Path) -> None:
    args = ["structparse", "parse", str(tree_model), "-"]
    result = CliRunner().invoke(app, args, input=TEXT + "An odd one.")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [*TREES, "(TOP (XX An) (XX odd) (XX one) (XX .))"]
    assert "1 of 4 sentences have no tree" in result.stderr

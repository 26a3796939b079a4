"""Parses as LaTeX, compiled if TeX is installed."""

import shutil
import subprocess
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc

from spacy_structparse import viz
from spacy_structparse.trees import Tree, set_trees

SPECIAL = [
    "\\", "{", "}", "$", "&", "#", "^", "_", "~", "%", "[", "]", ",", "=", "|", "<", ">", '"', "`",
    "``", "''", "--", "---", "a,,b", "\\end{forest}", "\\input{/etc/passwd}", "!", "*", "(", "/",
    "@", "'tier=word", "é", "50%", "\\\\", "|[red]|",
]  # fmt: skip


@pytest.fixture
def doc() -> Doc:
    """Every special character as a word, as a tag and as labels; then a plain sentence."""
    words = [*SPECIAL, "Dogs", "bark"]
    n = len(SPECIAL)
    doc = Doc(
        spacy.blank("xx").vocab,
        words=words,
        tags=[*reversed(SPECIAL), "NNS", ""],
        heads=[*[max(0, i - 1) for i in range(n)], n + 1, n + 1],
        deps=[*SPECIAL, "nsubj", "root"],
        sent_starts=[i in (0, n) for i in range(n + 2)],
    )
    plain = Tree.from_string("(S (NP (NNS Dogs)) (VP (VBP bark)))")
    leaves = [Tree("X", word=word) for word in SPECIAL]
    set_trees(doc, [Tree("S&%#_", leaves), plain])
    return doc


def test_a_tree_and_arcs_are_environments(doc: Doc, tmp_path: Path) -> None:
    path = tmp_path / "tree.tex"
    text = viz.render(doc[len(SPECIAL) :], output=path)
    assert path.read_text(encoding="utf8") == text
    assert "[S [NP [NNS [Dogs]]] [VP [XX [bark]]]]" in text
    assert r"\begin{dependency}" not in text
    text = viz.render(doc[len(SPECIAL) :], "arcs", output=tmp_path / "arcs.tex")
    assert text is not None
    assert r"Dogs \& bark \\" in text and r"NNS \& {} \\" in text
    assert r"\depedge{2}{1}{nsubj}" in text and r"\deproot{2}{root}" in text
    assert r"\begin{forest}" not in text


def test_a_long_tree_has_lines_and_a_deep_one_needs_no_recursion(tmp_path: Path) -> None:
    tree = Tree("NN", word="deepest")
    for _ in range(1000):
        tree = Tree("X", [Tree("DT", word="the"), tree])
    doc = Doc(spacy.blank("xx").vocab, words=tree.words())
    set_trees(doc, [tree])
    text = viz.render(doc, output=tmp_path / "tree.tex")
    assert text is not None
    drawing = text[text.index("[X") : text.index(r"\end{forest}")]
    assert drawing.count("[") == drawing.count("]") == len(list(tree)) + len(tree.words())
    assert "[X [XX [the]] [XX [deepest]]]" in drawing and drawing.count("\n") > 1000


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["pdflatex", "xelatex"])
@pytest.mark.parametrize("style", ["tree", "arcs"])
def test_latex_compiles_it(doc: Doc, tmp_path: Path, style: viz.Style, engine: str) -> None:
    packages = ("forest.sty", "tikz-dependency.sty", "standalone.cls")
    if not shutil.which(engine) or subprocess.run(
        ["kpsewhich", *packages], capture_output=True
    ).stdout.count(b"\n") < len(packages):
        pytest.skip(f"needs {engine}, forest, tikz-dependency and standalone: TeX Live has them")
    viz.render(doc, style, output=tmp_path / "parse.tex")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "parse.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-2000:]
    assert "(2 pages" in run.stdout
    if not shutil.which("pdftotext"):
        return
    shown = subprocess.run(
        ["pdftotext", "-layout", "parse.pdf", "-"], cwd=tmp_path, capture_output=True
    )
    # An apostrophe is a typographic one in some fonts, as in all of LaTeX.
    printed = shown.stdout.decode().replace("\u2019", "'").split()
    assert [word for word in SPECIAL if word not in printed] == []

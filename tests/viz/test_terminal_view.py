"""Parses on a terminal: arcs, tables and trees in box lines."""

import io
import re

import pytest
import spacy
from hypothesis import assume, given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_structparse.trees import Tree, set_trees
from spacy_structparse.viz.dependency_table import arc_lines
from spacy_structparse.viz.paint import ansi, cell_width, cut, has_colours, plain, wrapped
from spacy_structparse.viz.sentences import parsed_sentences
from spacy_structparse.viz.terminal import TerminalView, tree_lines
from tests.helpers.tree_strategies import trees

WORDS = ["Time", "flies", "like", "an", "arrow", "."]
HEADS = [1, 1, 1, 4, 2, 1]
TREE = "(S (NP (NN Time)) (VP (VBZ flies) (PP (IN like) (NP (DT an) (NN arrow)))) (. .))"
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def a_doc() -> Doc:
    doc = Doc(
        spacy.blank("xx").vocab,
        words=WORDS,
        tags=["NN", "VBZ", "IN", "DT", "NN", "."],
        heads=HEADS,
        deps=["nsubj", "ROOT", "prep", "det", "pobj", "punct"],
    )
    set_trees(doc, [Tree.from_string(TREE)])
    return doc


def shown(doc: Doc, view: TerminalView | None = None) -> str:
    [sentence] = parsed_sentences(doc, trees=True)
    return (view or TerminalView()).sentence(sentence)


def test_a_sentence_with_both_parses() -> None:
    assert (
        shown(a_doc())
        == """\
Time flies like an arrow .

#            word   tag  head  label
1    ┌─────  Time   NN      2  nsubj
2  ──┼─────  flies  VBZ     0  ROOT
3    ├─┬───  like   IN      2  prep
4    │ │ ┌─  an     DT      5  det
5    │ └─┴─  arrow  NN      3  pobj
6    └─────  .      .       2  punct

S ┬ NP ─ NN Time
  ├ VP ┬ VBZ flies
  │    └ PP ┬ IN like
  │         └ NP ┬ DT an
  │              └ NN arrow
  └ . .
"""
    )


def test_arcs_need_room_and_a_tree() -> None:
    assert arc_lines(HEADS, 8) is not None
    assert arc_lines(HEADS, 7) is None
    assert arc_lines([1, 0], 80) is None
    assert arc_lines([0, 1, 1], 80) == ["────", "──┬─", "  └─"]
    # Word 3 hangs on word 1, on the other side of the root: word 2's line passes under theirs.
    assert arc_lines([2, 2, 2, 1], 80) == ["  ┌───", "  ├─┬─", "──┴─│─", "    └─"]


@st.composite
def heads(draw: st.DrawFn) -> list[int]:
    """Any tree or forest over up to 12 words, projective or not."""
    n = draw(st.integers(1, 12))
    order = draw(st.permutations(range(n)))
    found = [0] * n
    for place, word in enumerate(order):
        found[word] = order[draw(st.integers(0, place))]
    return found


@given(heads())
def test_arcs_read_back_give_the_heads(heads: list[int]) -> None:
    lines = arc_lines(heads, 1000)
    assert lines is not None
    assert {len(line) for line in lines} == {len(lines[0])}
    for word, line in enumerate(lines):
        start = len(line) - len(line.lstrip(" │"))
        if start == 0:
            assert heads[word] == word
            continue
        # Along the vertical line to its one row with the line of a head coming in from the left.
        assert _joined(lines, word, start) == [heads[word]]


def _joined(lines: list[str], word: int, column: int) -> list[int]:
    """The rows of the heads on the vertical line that passes a word's row in a column."""
    up, down = "│├└┼┴", "│├┌┼┬"
    rows = [word]
    row = word
    while lines[row][column] in up:
        row -= 1
        rows.append(row)
    row = word
    while lines[row][column] in down:
        row += 1
        rows.append(row)
    return [row for row in rows if lines[row][column] in "┬┴┼"]


def test_a_narrow_table_has_no_arcs_and_cut_words() -> None:
    doc = a_doc()
    lines = shown(doc, TerminalView(30)).splitlines()
    header, row = lines[2:4]
    assert header.split() == ["#", "word", "tag", "head", "label"]
    assert row.split() == ["1", "Time", "NN", "2", "flies", "nsubj"]
    long = Doc(doc.vocab, words=["a" * 60, "b"], heads=[1, 1], deps=["x" * 60, "ROOT"])
    table = shown(long, TerminalView(50)).split("\n\n")[1]
    assert max(map(cell_width, table.splitlines())) <= 50
    assert "aa…" in table and "xx…" in table


def test_a_bracket_without_room_puts_children_below() -> None:
    # On one line each label takes its length, 2 columns for lines and a space. From the inside out:
    # "Z zebra" 7, then 20, 33, 46 and 59 columns. The third label begins in column 4 of 40, and its
    # 33 columns fit.
    chain = "(A (X x) (LONG-LABEL (LONG-LABEL (Y y) (LONG-LABEL (LONG-LABEL (Z zebra))))))"
    assert tree_lines(Tree.from_string(chain), 40) == [
        "A",
        "├ X x",
        "└ LONG-LABEL",
        "  └ LONG-LABEL",
        "    ├ Y y",
        "    └ LONG-LABEL ─ LONG-LABEL ─ Z zebra",
    ]


@given(trees(st.sampled_from(["a", "dog", "barked"])), st.integers(40, 100))
def test_all_nodes_are_drawn_in_order(tree: Tree, width: int) -> None:
    text = "\n".join(tree_lines(tree, width))
    assume("(" not in text)
    assert all(len(line) <= width for line in text.splitlines())
    expected: list[str] = []
    for node in tree:
        expected += [node.label] if node.word is None else [node.label, node.word]
    assert re.sub("[─┬├└│]", " ", text).split() == expected


@pytest.mark.parametrize("right", [True, False])
def test_what_is_too_deep_stands_as_brackets(right: bool) -> None:
    tree = Tree("NN", word="deepest")
    for i in range(1000):
        word = Tree("DT", word=f"w{i}")
        tree = Tree("X", [word, tree] if right else [tree, word])
    lines = tree_lines(tree, 80)
    [brackets] = [line for line in lines if len(line) > 80]
    inside = Tree.from_string(brackets[brackets.index("(") :])
    words = re.findall(r"w\d+", "\n".join(line for line in lines if line != brackets))
    assert sorted(words + inside.words()) == sorted(tree.words())


def test_wide_letters_and_marks_take_their_cells() -> None:
    assert cell_width("時間") == 4
    assert cell_width("e\u0301") == 1
    assert cut("時間飛逝", 6) == "時間…"
    assert cut("abc", 3) == "abc"
    doc = Doc(spacy.blank("xx").vocab, words=["時間", "a"], heads=[1, 1], deps=["x", "ROOT"])
    header, *rows = shown(doc).split("\n\n")[1].splitlines()
    end = header.index("head") + len("head")
    for row in rows:
        number = re.search(r"\d(?=  \S+$)", row)
        assert number and cell_width(row[: number.end()]) == end


def test_a_text_is_wrapped_by_its_cells() -> None:
    assert wrapped("a bc  def", 4) == ["a bc", "def"]
    assert wrapped("abcdef g", 4) == ["abcd", "ef g"]
    assert wrapped("時間飛逝", 5) == ["時間", "飛逝"]
    assert wrapped(" ", 4) == []
    doc = Doc(spacy.blank("xx").vocab, words=["時間飛逝"] * 30)
    assert max(map(cell_width, shown(doc).splitlines())) <= 80


def test_colours_and_isolation_change_nothing_else() -> None:
    coloured = shown(a_doc(), TerminalView(80, ansi))
    assert "\x1b[" in coloured
    assert ANSI.sub("", coloured) == shown(a_doc())
    assert plain("word", "كتب") == "\u2068كتب\u2069"
    assert plain("word", "books") == "books"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colours_only_on_a_terminal_that_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "ANSI_COLORS_DISABLED"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert has_colours(Terminal())
    assert not has_colours(io.StringIO())
    for name, value in (("NO_COLOR", "1"), ("ANSI_COLORS_DISABLED", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert not has_colours(Terminal())

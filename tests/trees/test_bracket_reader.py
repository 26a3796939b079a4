import io
import itertools
import pickle

import pytest

from spacy_structparse.errors import TreeReadError
from spacy_structparse.trees import Tree, read_trees, write_trees

A = "(S (NP (NN a)) (VP (VBZ b)))"


def read(text, **settings):
    return [str(tree) for tree in read_trees(io.StringIO(text), **settings)]


def tolerant(text):
    errors = []
    found = read(text, name="f.ptb", on_error=errors.append)
    return found, [(error.line, error.column) for error in errors]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n \n", []),
        (A, [A]),
        (f"{A}\n{A}\n", [A, A]),
        (f"{A} {A}{A}", [A, A, A]),
        (f"\r\n{A}\r\n\r\n{A}", [A, A]),
        ("(S\n  (NP (NN a))\n\n  (VP\n    (VBZ b)))\n", [A]),
        ("(S (NP (NN\na))\n (VP\t( VBZ b ) ) )", [A]),
        (f"# one\n%% two\n{A}\n  ; three\n*x*x*\n{A}", [A, A]),
        (f"({A})\n( {A} )", [f"( {A})"] * 2),
        (
            "( (S (NP-SBJ-1 (-NONE- *T*-1)) (VP=2 (VBZ b))))",
            ["( (S (NP-SBJ-1 (-NONE- *T*-1)) (VP=2 (VBZ b))))"],
        ),
        ("(NN word)", ["(NN word)"]),
        ("(SYM #)\n(. ;)", ["(SYM #)", "(. ;)"]),
        (
            "(NP (NN a\u00a0b) (NN \u2028) (NN \ufeff'\"\\/))",
            ["(NP (NN a\u00a0b) (NN \u2028) (NN \ufeff'\"\\/))"],
        ),
        (f"   {A}\n   {A}", [A, A]),
        (f"   {A}\n{A}\n     {A}", [A, A, A]),
    ],
)
def test_brackets_as_found_in_the_wild(text, expected):
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        f"1 {A}\n2 {A}",
        f"-23.5\t{A}\n-inf\t{A}",
        f"0 ||| {A} |||\n0 ||| {A} ||| -2.5e-3",
        f"2\n-23.5\n{A}\n-24.1\n{A}",
        "1 (S\n  (NP (NN a))\n  (VP (VBZ b)))\n2 (S\n  (NP (NN a))\n  (VP (VBZ b)))",
    ],
)
def test_numbers_and_scores_stand_before_trees(text: str) -> None:
    assert read(text) == [A, A]


def test_a_numbered_tree_that_is_not_closed_loses_no_other() -> None:
    assert tolerant(f"1 {A}\n2 (S (NN a)\n3 {A}\n") == ([A, A], [(2, 3)])


@pytest.mark.parametrize(
    "line",
    [
        "nsubj(run-2, I-1)",
        "% (comment here)",
        "12(see this)",
        "see (also (that) one) and (S (NN this))",
        "b) a list (of things)",
        "He said (and",
        "tree1 (S (NN a) (NN b))",
    ],
)
def test_a_line_of_text_is_left_out_whole_and_named_once(line: str) -> None:
    pretty = "(S\n  (NP (NN a))\n  (VP (VBZ b)))"
    for tree in (A, pretty):
        lines = tree.count("\n") + 1
        assert tolerant(f"{tree}\n{line}\n{tree}\n") == ([A, A], [(lines + 1, 1)])
    assert tolerant(f"{line}\n{A}\n") == ([A], [(1, 1)])
    if line != "He said (and":  # the second line may go on inside the bracket
        assert tolerant(f"{A}\n\n{line}\n{line}\n\n{A}") == ([A, A], [(3, 1), (4, 1)])


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        (f"{A}\n(S (NP (NN a))\n{A}\n", 2, 1, "not closed: 1 bracket is still open before line 3"),
        (f"{A}\n\n  (S (NP (NN a)", 3, 3, "not closed: 2 brackets"),
        (f"{A}\n{A})\n", 2, len(A) + 1, "too many"),
        (")", 1, 1, "too many"),
        (f"{A}\nhello {A}", 2, 1, "text outside a tree: 'hello'"),
        ("(S (NP) (NN a))", 1, 4, "the bracket 'NP' has neither"),
        ("(S (NN a) ())", 1, 11, "this bracket has neither"),
        ("(S\n (NP dog (NN a)))", 2, 10, "both words and brackets under 'NP'"),
        ("(NP (DT the) dog)", 1, 14, "both words and brackets under 'NP'"),
        ("(S (NN big dog))", 1, 12, "several words under 'NN'"),
        ("(\ndog)", 2, 4, "the word 'dog' has no tag"),
    ],
)
def test_errors_name_file_line_and_column(text, line, column, message):
    with pytest.raises(TreeReadError, match=message) as caught:
        read(text, name="f.ptb")
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"f.ptb:{line}:{column}: ")


@pytest.mark.parametrize(
    ("text", "kept", "where"),
    [
        # A tree that is not closed, one a line; the first of a file; with a wrapper; at the end.
        ("(A (X a))\n(B (X b)\n(C (X c))\n", ["(A (X a))", "(C (X c))"], [(2, 1)]),
        ("(A (X a)\n(B (X b))\n(C (X c))\n", ["(B (X b))", "(C (X c))"], [(1, 1)]),
        ("(A (X a))\n(B (X b)\n", ["(A (X a))"], [(2, 1)]),
        ("(A (X a)\n(B (X b)\n(C (X c))\n", ["(C (X c))"], [(1, 1), (2, 1)]),
        # One over several indented lines.
        ("(A\n  (X a))\n(B\n  (X b)\n(C\n  (X c))\n", ["(A (X a))", "(C (X c))"], [(3, 1)]),
        # A bracket too many, at the end, and inside, where the rest looks like a tree.
        ("(A (X a))\n(B (X b)))\n(C (X c))", ["(A (X a))", "(C (X c))"], [(2, 10)]),
        ("(A (X a))\n(B (X b))) (Y y))\n(C (X c))", ["(A (X a))", "(C (X c))"], [(2, 10)]),
        ("(B\n  (X b))\n  (Y y))\n(C (X c))", ["(C (X c))"], [(3, 8)]),
        # Broken inside: the rest of the line is lost.
        ("(A ()) (B (X b))\n(C (X c x))\n(D (X d))", ["(D (X d))"], [(1, 4), (2, 9)]),
        ("(A w (Y y) (Z z))\n(B (X b))", ["(B (X b))"], [(1, 6)]),
        # Text loses no tree, and is reported once.
        ("(A (X a)) some text (B (X b))\nmore", ["(A (X a))", "(B (X b))"], [(1, 11), (2, 1)]),
    ],
)
def test_a_bad_tree_loses_no_other(text, kept, where):
    assert tolerant(text) == (kept, where)


def test_bytes_that_are_not_text(tmp_path):
    path = tmp_path / "bad.ptb"
    path.write_bytes(b"(A (X a))\n(B (X \xc3\xa4\xff))\n(C (X c))\n")
    with pytest.raises(TreeReadError, match=r"bad\.ptb:2:8: not UTF-8"):
        list(read_trees(path))
    errors = []
    assert [tree.label for tree in read_trees(path, on_error=errors.append)] == ["A", "C"]
    assert len(errors) == 1


def test_paths_byte_order_marks_and_missing_files(tmp_path):
    path = tmp_path / "t.ptb"
    path.write_bytes(b"\xef\xbb\xbf(NN a)\n")
    assert list(read_trees(str(path))) == list(read_trees(path)) == [Tree("NN", word="a")]
    with pytest.raises(FileNotFoundError):
        list(read_trees(tmp_path / "none.ptb"))
    with pytest.raises(TypeError):
        list(read_trees(io.BytesIO(b"(NN a)")))


def test_reading_is_lazy():
    lines = (f"(S (NN w{i}))\n" for i in itertools.count())
    first = list(itertools.islice(read_trees(lines, name="endless"), 3))
    assert [tree.words() for tree in first] == [["w0"], ["w1"], ["w2"]]


def test_read_errors_pickle():
    with pytest.raises(TreeReadError) as caught:
        read(")", name="f.ptb")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and (again.line, again.column) == (1, 1)


def test_half_of_a_surrogate_pair_is_no_escape() -> None:
    """It is no character: spaCy could not store the word."""
    (tree,) = read_trees(io.StringIO("(S (NN -U+D800-) (NN a-U+DFFF-b-U+0020-c))"))
    assert tree.words() == ["-U+D800-", "a-U+DFFF-b c"]
    assert next(read_trees(io.StringIO(str(tree)))) == tree


WRITTEN = [
    Tree.from_string("( (S (NP-SBJ-1 (-NONE- *)) (VP=2 (VBZ is) (-LRB- -LRB-) (NN [))))"),
    Tree.from_string("(NN é)"),
    Tree("NP", [Tree("NN", word="New York\n(NY)")]),
]


@pytest.mark.parametrize("pretty", [False, True])
def test_what_is_written_is_read_back(tmp_path, pretty):
    path = tmp_path / "t.ptb"
    assert write_trees(iter(WRITTEN * 50), path, pretty=pretty) == 150
    assert list(read_trees(path)) == WRITTEN * 50

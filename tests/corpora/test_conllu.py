from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_structparse.corpora.conllu import read_conllu
from spacy_structparse.cycles import find_cycle
from spacy_structparse.errors import ReadError


def row(identifier, form="w", head="_", deprel="_", misc="_", **columns):
    upos, xpos = columns.get("upos", "X"), columns.get("xpos", "_")
    lemma, feats = columns.get("lemma", "_"), columns.get("feats", "_")
    fields = [identifier, form, lemma, upos, xpos, feats, head, deprel, "_", misc]
    return "\t".join(map(str, fields))


def read(tmp_path: Path, *lines: str):
    path = tmp_path / "sample.conllu"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return list(read_conllu(path))


def test_reads_columns_comments_and_spacing(tmp_path):
    (sentence,) = read(
        tmp_path,
        "# newdoc id = d",
        "# newpar",
        "# sent_id = s1",
        "# text = Dogs bark.",
        row(1, "Dogs", 2, "nsubj", xpos="NNS", lemma="dog", feats="Number=Plur"),
        row(2, "bark", 0, "root", "SpaceAfter=No|Gloss=x"),
        row(3, ".", 2, "punct"),
        "",
    )
    assert (sentence.sent_id, sentence.text) == ("s1", "Dogs bark.")
    assert sentence.starts_text
    assert sentence.words == ["Dogs", "bark", "."]
    assert sentence.heads == [1, 1, 1]
    assert sentence.deprels == ["nsubj", "root", "punct"]
    assert sentence.xpos == ["NNS", "", ""]
    assert sentence.lemmas == ["dog", "", ""]
    assert sentence.feats == ["Number=Plur", "", ""]
    assert sentence.space_after == [True, False, True]
    assert sentence.surface_text() == "Dogs bark."
    assert sentence.format_problem is None and sentence.heads_problem is None


def test_multiword_tokens_and_empty_nodes_are_no_words(tmp_path):
    (sentence,) = read(
        tmp_path,
        "1-2\tdon't" + "\t_" * 8,
        row(1, "do", 3, "aux"),
        row(2, "n't", 3, "advmod"),
        row(3, "go", 0, "root"),
        row("3.1", "gone"),
        row("4", "au", 3, "obl"),
        "5-6\tdu" + "\t_" * 7 + "\tSpaceAfter=No",
        row(5, "de", 7, "case"),
        row(6, "le", 7, "det"),
        row(7, "x", 3, "obl"),
    )
    assert sentence.format_problem is None and sentence.heads_problem is None
    assert sentence.words == ["do", "n't", "go", "au", "de", "le", "x"]
    assert sentence.n_empty_nodes == 1
    # do+n't spell their token and touch; de+le do not spell "du" and stay apart.
    assert sentence.space_after == [False, True, True, True, True, False, True]
    assert sentence.surface_text() == "don't go au dux"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([row(1, head=2), row(2, head=1)], "line 1: word 1 is on a cycle of heads"),
        ([row(1, head=0), row(2, head=0)], "line 2: 2 roots (the first on line 1)"),
        ([row(1, head=0), row(2, head=9)], "line 2: the head 9 is outside the sentence's 2 words"),
        ([row(1, head=0), row(2, head=2)], "line 2: word 2 is its own head"),
        ([row(1, head=1), row(2, head=2)], "line 1: every HEAD is the word's own ID"),
        ([row(1, head="x")], "line 1: the head 'x' is not a number"),
        ([row(1, head=2), row(2, head=3), row(3, head=2)], "line 2: word 2 is on a cycle of heads"),
        ([row(1, head="²")], "line 1: the head '²' is not a number"),
        ([row(1, head="-1")], "line 1: the head '-1' is not a number"),
        ([row(1, head="9" * 5000)], f"line 1: the head '{'9' * 40}…' is not a number"),
    ],
)
def test_heads_that_are_no_tree_are_named_with_their_line(tmp_path, rows, reason):
    (sentence,) = read(tmp_path, *rows)
    assert sentence.heads_problem == reason
    assert sentence.format_problem is None


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (["1 dogs bark"], "line 1: 1 columns where 10 are needed; columns are separated by tabs"),
        ([row(1), row(3)], "line 2: word 3 where word 2 was expected"),
        ([row(1), row(2), row(1)], "line 3: word 1 where word 3 was expected: is the empty line"),
        ([row("a")], "line 1: the id 'a' is neither a number, nor a range"),
        ([row("1.a"), row(1)], "line 1: the id '1.a' is neither"),
        ([row(1, form="")], "line 1: the form (column 2) is empty"),
        (["1-2\tab" + "\t_" * 8, row(1)], "line 1: the range 1-2 overlaps"),
        ([row("0.1", "gone")], "line 1: no words"),
        # Digits that `int` does not take, and more of them than it takes.
        ([row(1), row("².1")], "line 2: the id '².1' is neither"),
        ([row(1), row("1-²")], "line 2: the id '1-²' is neither"),
        ([row(1), row("1" * 5000)], f"line 2: the id '{'1' * 40}…' is neither"),
    ],
)
def test_malformed_sentences_are_named_and_the_next_is_read(tmp_path, rows, reason):
    bad, good = read(tmp_path, *rows, "", row(1, "fine", 0, "root"))
    assert bad.format_problem.startswith(reason)
    assert good.words == ["fine"] and good.format_problem is None


def test_lines_are_counted_over_blank_lines_and_comments(tmp_path):
    _, bad = read(tmp_path, row(1, head=0), "", "", "# sent_id = b", "", row(1, head=7))
    assert (bad.line, bad.sent_id) == (4, "b")
    assert bad.heads_problem.startswith("line 6:")


def test_unknown_heads_are_no_problem(tmp_path):
    some, none = read(tmp_path, row(1, head=2), row(2), row(3, head=0), "", row(1), row(2))
    assert some.heads == [1, None, 2] and some.heads_problem is None
    assert none.heads == [None, None] and none.heads_problem is None


def test_only_comments_make_no_sentence(tmp_path):
    assert read(tmp_path, "# text = nothing", "", "# more") == []


def test_carriage_returns_and_byte_order_mark(tmp_path):
    path = tmp_path / "windows.conllu"
    path.write_bytes(b"\xef\xbb\xbf" + row(1, "a", 0).encode() + b"\r\n\r\n" + row(1).encode())
    assert [sentence.words for sentence in read_conllu(path)] == [["a"], ["w"]]


def test_bytes_that_are_not_utf8_name_file_and_line(tmp_path):
    path = tmp_path / "latin.conllu"
    path.write_bytes(row(1, "a", 0).encode() + b"\n" + row(2, "caf\xe9", 1).encode("latin-1"))
    with pytest.raises(ReadError, match=r"latin\.conllu, line 2: it is not UTF-8"):
        list(read_conllu(path))


@given(
    st.lists(st.one_of(st.none(), st.integers(0, 7)), min_size=8, max_size=8),
)
def test_find_cycle_agrees_with_following_every_word(heads):
    def is_cyclic(word):
        start, seen = word, 0
        while (head := heads[word]) is not None and head != word and seen <= len(heads):
            word, seen = head, seen + 1
            if word == start:
                return True
        return False

    found = find_cycle(heads)
    cyclic = [word for word in range(8) if is_cyclic(word)]
    assert (found in cyclic) if cyclic else found is None

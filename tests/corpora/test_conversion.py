from pathlib import Path

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_structparse.corpora.convert import convert_treebank
from spacy_structparse.corpora.options import ConversionOptions, TreebankPart
from spacy_structparse.errors import ReadError
from spacy_structparse.trees import get_tree, read_trees, remove_empty, unwrap

CONLLU = """\
# newdoc id = d1
# sent_id = s1
# text = "Dogs (mine) bark."
1	"	"	PUNCT	``	_	5	punct	_	SpaceAfter=No
2	Dogs	dog	NOUN	NNS	Number=Plur	5	nsubj	_	_
3	(mine)	mine	PRON	PRP	_	2	appos	_	_
4	do	do	AUX	VBP	_	5	aux	_	_
5	bark	bark	VERB	VB	_	0	root	_	SpaceAfter=No
6	.	.	PUNCT	.	_	5	punct	_	_

# sent_id = s2
# text = They don't.
1	They	they	PRON	PRP	_	2	nsubj	_	_
2-3	don't	_	_	_	_	_	_	_	SpaceAfter=No
2	do	do	VERB	VBP	_	0	root	_	_
3	n't	not	PART	RB	_	2	advmod	_	_
4	.	.	PUNCT	.	_	2	punct	_	_

# newdoc id = d2
# sent_id = s3
# text = Go
1	Go	go	VERB	VB	_	0	root	_	_

"""
TREES = """\
( (S (`` ``) (NP-SBJ-1 (NP (NNS Dogs)) (PRN (PRP -LRB-mine-RRB-))) (NP (-NONE- *T*-1))
     (VP (VBP do) (VP (VB bark) (NP-1 (-NONE- *)))) (. .)) )
(S (NP-SBJ=2 (PRP They)) (VP (VBP do) (RB n't)) (. .))
(ROOT (VP (VB Go)))
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def load(path: Path) -> list[Doc]:
    return list(DocBin().from_disk(path).get_docs(Vocab()))


def run(tmp_path, conllu=None, trees=None, **options):
    part = TreebankPart(
        write(tmp_path, "in.conllu", conllu) if conllu is not None else None,
        write(tmp_path, "in.ptb", trees) if trees is not None else None,
    )
    output = tmp_path / "out.spacy"
    report = convert_treebank([part], output, ConversionOptions(**options))
    return load(output), report


def test_dependencies_arrive_in_spacy_terms(tmp_path):
    docs, report = run(tmp_path, CONLLU.replace('"Dogs (mine) bark."', '"Dogs (mine) do bark.'))
    first, second, third = docs
    assert first.text == '"Dogs (mine) do bark. '
    assert [token.head.i for token in first] == [4, 4, 1, 4, 4, 4]
    assert [token.dep_ for token in first][3:5] == ["aux", "ROOT"]
    assert [token.tag_ for token in first][:2] == ["``", "NNS"]
    assert [token.pos_ for token in first][:2] == ["PUNCT", "NOUN"]
    assert str(first[1].morph) == "Number=Plur" and first[1].lemma_ == "dog"
    assert [token.is_sent_start for token in first] == [True] + [False] * 5
    assert second.text.strip() == "They don't."
    assert report.counts["sentences_written"] == len(docs) == 3
    assert report.problems == []
    assert not first.has_unknown_spaces and not third.spans


def test_layers_are_joined(tmp_path):
    docs, report = run(tmp_path, CONLLU, TREES)
    assert [str(get_tree(doc[:])) for doc in docs] == [
        '(S (`` ") (NP (NP (NNS Dogs)) (PRN (PRP -LRB-mine-RRB-)))'
        " (VP (VBP do) (VP (VB bark))) (. .))",
        "(S (NP (PRP They)) (VP (VBP do) (RB n't)) (. .))",
        "(VP (VB Go))",
    ]
    assert report.counts["trees"] == 3
    assert report.counts["words_respelled"] == report.counts["sentences_respelled"] == 1
    # The comment of the first sentence leaves out "do".
    assert [(p.kind, p.consequence, p.line, p.sent_id) for p in report.problems] == [
        ("text", "kept", 1, "s1")
    ]


def test_several_sentences_to_a_doc_stop_where_a_document_ends(tmp_path):
    docs, report = run(tmp_path, CONLLU, TREES, n_sents=5)
    assert [len(list(doc.sents)) for doc in docs] == [2, 1]
    assert [token.head.i for token in docs[0]][6:] == [7, 7, 7, 7]
    assert [sent.start for sent in docs[0].sents] == [0, 6]
    assert len(get_tree(docs[0]).children) == 2
    assert report.counts["docs"] == 2


def test_paragraphs_are_docs_of_their_own_whatever_is_left_out(tmp_path):
    row = "1\tYes\tyes\tINTJ\tUH\t_\t{}\troot\t_\t_\n\n"
    good, bad = row.format(0), row.format(7)
    docs, _ = run(tmp_path, f"{good}{good}# newpar\n{good}", n_sents=5)
    assert [len(doc) for doc in docs] == [2, 1]
    docs, _ = run(tmp_path, f"{good}# newpar\n{bad}{good}", n_sents=5)
    assert [len(doc) for doc in docs] == [1, 1]
    # A sentence that is not chosen is not looked into.
    text = f"# sent_id = a1\n{good}# newpar\n# sent_id = b2\n{bad}# sent_id = a3\n{good}"
    docs, report = run(tmp_path, text, n_sents=5, only="a")
    assert [len(doc) for doc in docs] == [1, 1] and not report.problems
    counts = [report.counts[f"sentences_{name}"] for name in ("read", "skipped", "not_chosen")]
    assert counts == [3, 0, 1]
    with pytest.raises(ReadError, match=r"The first problem: .*b2"):
        run(tmp_path, text, only="b")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"spans_key": "multiword"}, "the span group of multiword tokens"),
        ({"only": "x"}, "No sent_id begins with what 'x' matches"),
        ({"only": "("}, "no regular expression"),
    ],
)
def test_options_that_cannot_be(tmp_path, options, message):
    with pytest.raises(ReadError, match=message):
        run(tmp_path, CONLLU, **options)


def without_xpos(conllu):
    lines = (line.split("\t") for line in conllu.split("\n"))
    return "\n".join("\t".join([*row[:4], "_", *row[5:]] if row[1:] else row) for row in lines)


def test_without_xpos_tags_are_the_trees_where_there_are_trees(tmp_path):
    docs, report = run(tmp_path, without_xpos(CONLLU), TREES)
    assert [token.tag_ for token in docs[1]] == ["PRP", "VBP", "RB", "."]
    assert report.counts["tokens_with_tree_tag"] == report.counts["tokens"]
    assert not report.counts["tags_that_differ"]


def test_one_output_has_one_tagset(tmp_path):
    parts = [
        TreebankPart(write(tmp_path, "with.conllu", CONLLU)),
        TreebankPart(write(tmp_path, "without.conllu", without_xpos(CONLLU))),
    ]
    for chosen, tag, n_upos in ((parts, "", 0), (parts[1:], "PRON", 11)):
        report = convert_treebank(chosen, tmp_path / "out.spacy", ConversionOptions())
        assert load(tmp_path / "out.spacy")[-2][0].tag_ == tag
        assert report.counts["tokens_with_upos_as_tag"] == n_upos
    one_tag_by_mistake = (30 * without_xpos(CONLLU)).replace("VERB\t_", "VERB\tVB", 1)
    docs, _ = run(tmp_path, one_tag_by_mistake)
    assert {token.tag_ == token.pos_ for doc in docs for token in doc} == {True}


def test_trees_alone_give_words_tags_and_sentence_starts(tmp_path):
    docs, report = run(tmp_path, trees=TREES + "(S (-NONE- *))\n", n_sents=2)
    assert [[token.text for token in doc] for doc in docs] == [
        ["``", "Dogs", "(mine)", "do", "bark", ".", "They", "do", "n't", "."],
        ["Go"],
    ]
    assert [sent.start for sent in docs[0].sents] == [0, 6]
    assert docs[0][1].tag_ == "NNS" and docs[0].has_unknown_spaces
    assert not docs[0].has_annotation("DEP")
    assert [problem.line for problem in report.problems] == [5]
    docs, _ = run(tmp_path, trees=TREES, straight_quotes=True)
    assert docs[0][0].text == '"'


def test_broken_tree_is_listed_and_the_others_kept(tmp_path):
    docs, report = run(tmp_path, trees="(S (A a))\n(S (B b)\n(S (C c))\n")
    assert [doc.text.strip() for doc in docs] == ["a", "c"]
    (problem,) = report.problems
    assert (problem.kind, problem.line, problem.consequence) == ("tree", 2, "skipped")
    assert report.counts["sentences_read"] == 3 and report.counts["sentences_skipped"] == 1


def test_a_broken_tree_beside_dependencies_is_listed_in_its_place(tmp_path):
    trees = TREES.replace("(. .))\n(ROOT", "(. .)\n(ROOT")
    docs, report = run(tmp_path, CONLLU, trees)
    assert [get_tree(doc[:]) is not None for doc in docs] == [True, False, True]
    assert all(doc.has_annotation("DEP") for doc in docs)
    assert (report.counts["sentences_read"], report.counts["trees_left_out"]) == (3, 1)
    (problem,) = (problem for problem in report.problems if problem.kind == "no tree")
    assert problem.sent_id == "s2" and "in.ptb:3:1: this tree is not closed" in problem.reason
    docs, report = run(tmp_path, CONLLU, trees, mismatch="skip")
    assert len(docs) == 2 and report.counts["sentences_skipped"] == 1
    # Where a fault leaves another number of trees, nothing is guessed.
    with pytest.raises(ReadError, match=r"1 are broken, the first at .*in\.ptb:5"):
        run(tmp_path, CONLLU, TREES + "(S (A open)")


def test_sentence_whose_layers_disagree_is_listed(tmp_path):
    trees = TREES.replace("(RB n't)", "(RB n't) (RB so)").replace("(VB Go)", "(VB Stop)")
    docs, report = run(tmp_path, CONLLU, trees, n_sents=3)
    assert report.counts["trees"] == 1 and report.counts["trees_left_out"] == 2
    listed = {problem.sent_id: problem for problem in report.problems if problem.kind != "text"}
    assert "5 tokens in the tree, 4 in the CoNLL-U" in listed["s2"].reason
    assert "in.ptb:3" in listed["s2"].reason and listed["s2"].line == 11
    assert "'Stop' in the tree is 'Go' in the CoNLL-U" in listed["s3"].reason
    assert {problem.consequence for problem in listed.values()} == {"tree left out"}
    assert [len(get_tree(doc).children) if get_tree(doc) else 0 for doc in docs] == [1, 0]
    assert all(doc.has_annotation("DEP", require_complete=True) for doc in docs)
    docs, report = run(tmp_path, CONLLU, trees, mismatch="skip")
    assert len(docs) == 1 and report.counts["sentences_skipped"] == 2


@pytest.mark.parametrize("spelling", ["Dogs\u200a", "\xa0Dogs"])
def test_space_characters_in_a_trees_word_are_listed(tmp_path, spelling):
    docs, report = run(tmp_path, CONLLU, TREES.replace("Dogs", spelling))
    assert report.counts["trees"] == 3 and docs[0][1].text == "Dogs"
    assert [problem.kind for problem in report.problems] == ["text", "space"]


@pytest.mark.parametrize("space", ["", "\xa0", "\u2003\t"])
def test_different_numbers_of_sentences_cannot_be_joined(tmp_path, space):
    """Whatever space a blank line has, and whatever stands before the first sentence."""
    conllu = "\ufeff# a comment\n\n" + CONLLU.replace("\n\n", f"\n{space}\n")
    docs, report = run(tmp_path, conllu, TREES)
    assert report.counts["trees"] == len(docs) == 3
    with pytest.raises(ReadError, match=r"3 sentences and .*in\.ptb 4 trees"):
        run(tmp_path, conllu, TREES + "(X (Y y))\n")
    with pytest.raises(ReadError, match=r"3 sentences and .*in\.ptb 2 trees"):
        run(tmp_path, conllu, TREES.replace("(ROOT (VP (VB Go)))", ""))


def test_shifted_files_are_an_error(tmp_path):
    rows = [f"1\tw{i}\t_\tX\t_\t_\t0\troot\t_\t_\n" for i in range(20)]
    trees = [f"(S (X w{(i + 1) % 20}))" for i in range(20)]
    with pytest.raises(ReadError, match="same sentences in the same order"):
        run(tmp_path, "\n".join(rows), "\n".join(trees))


def test_files_of_damaged_sentences_are_an_error(tmp_path):
    """Each column was the number of the word, and only the comments were right."""
    row = "\t".join
    right = ["# text = a", row("1 a _ X _ _ 0 root _ _".split()), ""]
    damaged = ["# text = Two words", row("1" * 10), row("2" * 10), ""]
    mostly = "\n".join(12 * damaged + 2 * right)
    with pytest.raises(ReadError, match=r"12 of 14 sentences.* HEAD: .*in\.conllu:1"):
        run(tmp_path, mostly)
    with pytest.raises(ReadError, match=r"12 of 14 sentences have other words than .*'1'"):
        run(tmp_path, mostly, bad_heads="words")
    report = run(tmp_path, "\n".join(2 * damaged + right), bad_heads="words")[1]
    assert [problem.kind for problem in report.problems] == ["heads", "other words"] * 2
    shifted = "\n".join(12 * ["# text = of another", *right[1:]])
    with pytest.raises(ReadError, match="other words"):
        run(tmp_path, shifted.replace("\ta\t", "\tword\t"))
    without_text = [row(f"{i} _ _ X _ _ {i - 1} dep _ _".split()) for i in (1, 2)]
    with pytest.raises(ReadError, match=r"10 of 12 sentences.* FORM .*in\.conllu:1"):
        run(tmp_path, "\n".join(10 * [*without_text, ""] + 2 * right))


BAD_HEADS = """\
# sent_id = cyclic
1	a	_	X	_	_	2	x	_	_
2	b	_	X	_	_	1	x	_	_

# sent_id = fine
1	c	_	X	_	_	0	root	_	_
2	d	_	X	_	_	1	x	_	_

# sent_id = short
1	e	_	X

"""


def test_bad_sentences_are_skipped_and_listed(tmp_path):
    docs, report = run(tmp_path, BAD_HEADS)
    assert [doc[0].text for doc in docs] == ["c"]
    assert [(p.sent_id, p.kind, p.line) for p in report.problems] == [
        ("cyclic", "heads", 1),
        ("short", "format", 9),
    ]
    counts = report.counts
    assert (counts["sentences_read"], counts["sentences_skipped"]) == (3, 2)


def test_words_of_bad_heads_can_be_kept(tmp_path):
    docs, report = run(tmp_path, BAD_HEADS, bad_heads="words", n_sents=2)
    assert [[token.text for token in doc] for doc in docs] == [["a", "b"], ["c", "d"]]
    assert not docs[0].has_annotation("DEP") and docs[0][0].is_sent_start
    assert docs[1].has_annotation("DEP", require_complete=True)
    assert report.problems[0].consequence == "dependencies left out"


def test_half_annotated_sentences_keep_their_boundaries(tmp_path):
    text = """\
1	a	_	X	_	_	_	_	_	_
2	b	_	X	_	_	0	root	_	_
3	c	_	X	_	_	_	nsubj	_	_
4	d	_	X	_	_	3	obj	_	_

1	e	_	X	_	_	0	root	_	_

1	f	_	X	_	_	2	x	_	_
2	g	_	X	_	_	_	_	_	_

"""
    docs, _ = run(tmp_path, text, n_sents=3)
    assert [[sent.text for sent in doc.sents] for doc in docs] == [["a b c d", "e"], ["f g"]]
    assert [token.has_head() for token in docs[0]] == [False, True, False, True, True]
    assert docs[0][3].head.i == 2 and docs[0][3].dep_ == "obj"
    assert [token.has_head() for token in docs[1]] == [True, False]


def test_values_spacy_cannot_hold_are_left_empty_and_counted(tmp_path):
    docs, report = run(tmp_path, "1\ta\t_\tNN\tNN\tsg|nom\t0\troot\t_\t_\n")
    assert docs[0][0].pos_ == "" and str(docs[0][0].morph) == "" and docs[0][0].tag_ == "NN"
    assert report.counts["tokens_with_foreign_upos"] == 1
    assert report.counts["tokens_with_foreign_feats"] == 1


@pytest.mark.slow
def test_craft_dev_keeps_every_tree_and_lists_odd_ones(tmp_path, treebanks):
    craft = treebanks / "craft"
    part = TreebankPart(craft / "dev.conllu", craft / "dev.ptb")
    output = tmp_path / "dev.spacy"
    report = convert_treebank([part], output, ConversionOptions(labels="full"))
    assert report.counts["sentences_written"] == report.counts["trees"] == 2780
    assert [(problem.kind, problem.sent_id) for problem in report.problems] == [
        ("space", "19355"),
        ("space", "19369"),
    ]
    originals = (unwrap(remove_empty(tree)) for tree in read_trees(craft / "dev.ptb"))
    for doc, original in zip(load(output), originals, strict=True):
        assert len(list(doc.sents)) == 1
        assert get_tree(doc[:]).spans() == original.spans()
        assert [token.tag_ for token in doc] == original.tags()


HISTORICAL = """\
( (METADATA (AUTHOR Anon) (YEAR 1150))
  (IP-MAT (CODE <P_1>) (NP-SBJ *con*) (VBDI fór-fara) (CP-REL (WNP-1 0) (C 0)
    (IP-SUB (NP-OB1 *T*-1) (NUM 0) (N Dala-bær-dala-bær))) (, ,-,) (. ---))
  (ID 1150.FIRSTGRAMMAR,.1))
"""


def test_a_historical_corpus_has_its_words_alone(tmp_path: Path) -> None:
    ((doc,), _) = run(tmp_path, trees=HISTORICAL)
    assert [token.text for token in doc] == ["fór-fara", "0", "Dala-bær-dala-bær", ",-,", "---"]
    ((doc,), _) = run(tmp_path, trees=HISTORICAL, split_lemmas=True)
    assert [token.text for token in doc] == ["fór", "0", "Dala-bær", ",", "-"]
    assert [token.lemma_ for token in doc] == ["fara", "", "dala-bær", ",", "-"]
    assert str(get_tree(doc)).endswith("(N Dala-bær))) (, ,) (. -)))")


def test_mark_up_alone_is_no_sentence(tmp_path: Path) -> None:
    mark_up = "( (CODE <P_2>) (ID 1150,.2))\n( (METADATA (AUTHOR Anon)))\n"
    docs, report = run(tmp_path, trees=f"{mark_up}{HISTORICAL}")
    assert len(docs) == report.counts["sentences_read"] == 1 and not report.problems


def test_a_word_between_asterisks_stays_where_the_dependencies_have_it(tmp_path: Path) -> None:
    conllu = "1\tGo\t_\tX\t_\t_\t0\troot\t_\t_\n2\t*sigh*\t_\tX\t_\t_\t1\tdep\t_\t_\n"
    ((doc,), report) = run(tmp_path, conllu, "(S (VB Go) (UH *sigh*))")
    assert str(get_tree(doc)) == "(TOP (S (VB Go) (UH *sigh*)))" and not report.problems

"""`spacy structparse parse --complete`: what came in is kept, and the rest is predicted."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab

from spacy_structparse.corpora.conllu import read_conllu
from spacy_structparse.corpora.docs import TreebankSentence
from spacy_structparse.trees import read_trees
from tests.helpers.commands import said
from tests.helpers.paths import SAVED
from tests.helpers.saved_pipelines import saved

pytestmark = pytest.mark.usefixtures("plain_english")
WORDS = "the cook stirs a thick soup".split()
ARCS, TREES = SAVED / "spa_bot_biaffine", SAVED / "trees_in_order_datt"
GROUP = "constituency_constraints"


def parse(*args: object, fails: bool = False) -> str:
    return said("parse", *args, status=int(fails))


def block(
    name: str, heads: dict[int, int], labels: dict[int, str], words: list[str] = WORDS
) -> str:
    """A sentence of CoNLL-U of which some heads and labels are known, by the number of the word."""
    rows = [
        f"{i}\t{word}\t_\tX\t_\t_\t{heads.get(i, '_')}\t{labels.get(i, '_')}\t_\tA={i}"
        for i, word in enumerate(words, 1)
    ]
    return "\n".join([f"# sent_id = {name}", f"# text = {' '.join(words)}", *rows, "", ""])


def in_file(path: Path, *blocks: str) -> Path:
    path.write_text("".join(blocks))
    return path


def read(path: Path) -> dict[str, TreebankSentence]:
    return {one.sent_id: one for one in read_conllu(path)}


def spacy_file(path: Path, *docs: Doc) -> Path:
    DocBin(docs=docs, store_user_data=True).to_disk(path)
    return path


def docs_of(path: Path) -> list[Doc]:
    return list(DocBin().from_disk(path).get_docs(spacy.blank("en").vocab))


HALF = block("half", {2: 1, 6: 2}, {5: "nsubj", 6: "dobj"})
FREE = block("free", {}, {})


def test_columns_of_conllu_are_kept_and_the_others_predicted(both: Path, tmp_path: Path) -> None:
    source, output = in_file(tmp_path / "in.conllu", HALF, FREE), tmp_path / "out.conllu"
    said = parse(both, source, "--complete", "-o", output)
    assert "2 sentences of 2 documents" in said and "skipped" not in said
    nlp = spacy.load(both)
    known = Doc(nlp.vocab, WORDS)
    known[1]._.known_head, known[5]._.known_head = known[0], known[1]
    known[4]._.known_dep, known[5]._.known_dep = "nsubj", "dobj"
    found = read(output)
    for name, doc in (("half", nlp(known)), ("free", nlp(Doc(nlp.vocab, WORDS)))):
        assert found[name].heads == [token.head.i for token in doc]
        assert found[name].deprels == [token.dep_.replace("ROOT", "root") for token in doc]
        assert "6\tsoup\t_\t_\t_\t_" in found[name].lines[-1]
        assert found[name].lines[-1].endswith("\tA=6")
    assert (found["half"].heads[1], found["half"].heads[5]) == (0, 1)
    assert found["half"].deprels[4:] == ["nsubj", "dobj"]
    # Without the option the input's arcs count for nothing.
    parse(both, source, "-o", output)
    assert read(output)["half"].heads == found["free"].heads
    # A second time nothing is left to predict, and --keep is for the other columns.
    parse(both, source, "--complete", "--keep", "upos", "-o", output)
    again = tmp_path / "again.conllu"
    parse(both, output, "--complete", "--keep", "upos", "-o", again)
    assert again.read_text() == output.read_text()
    assert "\tX\t" in again.read_text()


CONFLICTS = [
    (block("cycle", {1: 2, 2: 1}, {}), "word 1 is on a cycle of heads"),
    (block("roots", {1: 0, 2: 0}, {}), "2 roots"),
    (block("outside", {1: 9}, {}), "the head 9 is outside"),
    (block("label", {}, {2: "unheard-of"}), "'unheard-of', which is no label of the parser"),
    (block("root", {2: 3}, {2: "root"}), "'cook' (token 1) has the label 'root' and the head"),
]


@pytest.mark.parametrize("processes", [1, 2])
def test_sentences_that_conflict_are_left_out_and_named(
    both: Path, tmp_path: Path, processes: int
) -> None:
    blocks = [HALF, *(one for one, _ in CONFLICTS), FREE]
    source, output = in_file(tmp_path / "in.conllu", *blocks), tmp_path / "out.conllu"
    said = parse(both, source, "--complete", "-o", output, "-p", processes, "-b", 2)
    line = 1 + HALF.count("\n")
    for one, reason in CONFLICTS:
        name = one.split("\n")[0].removeprefix("# sent_id = ")
        assert f"in.conllu:{line} ({name}): skipped: " in said
        assert reason in said
        line += one.count("\n")
    assert "5 of 7 documents are left out" in said
    assert "2 sentences of 2 documents" in said
    alone = tmp_path / "alone.conllu"
    parse(both, in_file(source, HALF, FREE), "--complete", "-o", alone)
    assert output.read_text() == alone.read_text()


def test_an_error_if_nothing_can_be_completed(both: Path, tmp_path: Path) -> None:
    """All conflicts are counted, and the first of them listed, as where some are completed."""
    wrong = [block(f"s{n}", {1: 2, 2: 1}, {}) for n in range(13)]  # cycles, found by the reader
    wrong += [block(f"s{n}", {}, {2: "unheard-of"}) for n in range(13, 25)]  # found by the parser
    source, output = in_file(tmp_path / "in.conllu", *wrong), tmp_path / "out.conllu"
    said = parse(both, source, "--complete", "-o", output, fails=True)
    assert "25 of 25 documents are left out, since no parse keeps their annotation" in said
    assert said.count("skipped: ") == 20 and "5 more" in said
    assert "in.conllu:1 (s0): skipped" in said and "(s13): skipped" in said
    assert not output.exists()


def half_annotated(vocab: Vocab) -> Doc:
    return Doc(
        vocab,
        words=WORDS,
        heads=[None, 0, None, None, None, 1],
        deps=[None, "nsubj", None, None, None, "dobj"],
    )


def constrained(vocab: Vocab) -> Doc:
    """Two sentences, with one thing known of each."""
    doc = Doc(vocab, words=WORDS, sent_starts=[True, False, False, True, False, False])
    doc[1]._.known_head = doc[0]
    doc.spans[GROUP] = [Span(doc, 4, 6, label="PP")]
    return doc


def test_arcs_and_constraints_of_spacy_files(both: Path, tmp_path: Path) -> None:
    vocab, output = spacy.blank("en").vocab, tmp_path / "out.spacy"
    source = spacy_file(tmp_path / "in.spacy", half_annotated(vocab), constrained(vocab))
    parse(both, source, "--complete", "-f", "spacy", "-o", output)
    half, two = docs_of(output)
    assert [(half[i].head.i, half[i].dep_) for i in (1, 5)] == [(0, "nsubj"), (1, "dobj")]
    assert [sentence.start for sentence in two.sents] == [0, 3]
    assert two[1].head.i == 0
    span = two[4:6]
    assert span._.constituency_tree is not None and span._.constituency_tree.label == "PP"
    # The parses have what was known, which stays in the input alone.
    for doc in (half, two):
        assert GROUP not in doc.spans
        assert not any(t._.known_head or t._.known_dep for t in doc)
        assert [key for key in doc.user_data if isinstance(key, str)] == []


def test_a_layer_that_no_parser_predicts_stays_as_it_is(tmp_path: Path) -> None:
    vocab, output = spacy.blank("en").vocab, tmp_path / "out.spacy"
    source = spacy_file(tmp_path / "in.spacy", half_annotated(vocab))
    parse(TREES, source, "--complete", "-f", "spacy", "-o", output)
    [doc] = docs_of(output)
    assert [(doc[i].head.i, doc[i].dep_) for i in (1, 5)] == [(0, "nsubj"), (1, "dobj")]


@pytest.mark.parametrize("labels", [{5: "nsubj", 6: "dobj"}, {}], ids=["labels", "heads"])
def test_conllu_that_was_converted_keeps_all_of_its_columns(
    both: Path, tmp_path: Path, labels: dict[int, str]
) -> None:
    """A label without a head too, and no label of a head without one."""
    source = in_file(tmp_path / "in.conllu", block("half", {2: 1, 6: 2}, labels))
    converted, outputs = tmp_path / "in.spacy", [tmp_path / "a.conllu", tmp_path / "b.conllu"]
    said("convert", source, converted)
    for one, output in zip((source, converted), outputs, strict=True):
        parse(both, one, "--complete", "-o", output)
    assert outputs[0].read_text() == outputs[1].read_text()


def test_documents_of_spacy_files_that_conflict(both: Path, tmp_path: Path) -> None:
    vocab = spacy.blank("en").vocab
    twice = half_annotated(vocab)
    twice[5]._.known_head = twice[4]
    crossing = Doc(vocab, words=WORDS)
    crossing.spans[GROUP] = [Span(crossing, 0, 3, label="NP"), Span(crossing, 2, 5)]
    source = spacy_file(tmp_path / "in.spacy", twice, crossing, Doc(vocab, words=WORDS))
    said = parse(both, source, "--complete", "-f", "ptb", "-o", tmp_path / "out.ptb")
    assert (
        "in.spacy (document 1): skipped: the head of 'soup' (token 5) is 'cook' (token 1), and "
        "its known head is 'thick' (token 4)" in said
    )
    assert "in.spacy (document 2): skipped: [seq2seq_constituency]" in said
    assert "cross, so that no tree has both" in said
    assert "2 of 3 documents are left out" in said
    # Constraints count without the option too; then a conflict is an error.
    said = parse(both, source, "-f", "ptb", "-o", tmp_path / "again.ptb", fails=True)
    assert "cross, so that no tree has both" in said and "With --complete" in said
    assert not (tmp_path / "again.ptb").exists()


def test_brackets_are_kept_and_others_added(both: Path, tmp_path: Path) -> None:
    """A flat tree says nothing of what is inside; a bracket without a label may get any."""
    source = in_file(
        tmp_path / "in.ptb",
        "(TOP (X the) (X cook) (X stirs) (X a) (PP (X thick) (X soup)))\n"
        "(TOP (X the) (VP (X cook) (X stirs) (X a)) (X thick) (X soup))\n"
        "(TOP (X the) (X cook) ( (X stirs) (X a)) (X thick) (X soup))\n"
        "(TOP (X the) (NONSENSE (X cook) (X stirs)))\n",
    )
    output = tmp_path / "out.ptb"
    said = parse(both, source, "--complete", "-f", "ptb", "-o", output)
    assert "in.ptb:4: skipped: " in said and "'NONSENSE' over 'cook stirs'" in said
    first, second, third = (
        {(label, start, end) for label, start, end in tree.spans()} for tree in read_trees(output)
    )
    assert ("PP", 4, 6) in first
    assert ("VP", 1, 4) in second
    assert {(start, end) for _, start, end in third} >= {(0, 6), (2, 4)}


def test_documents_of_parquet_files_that_conflict(both: Path, tmp_path: Path) -> None:
    """Heads that are no tree are not dropped in silence."""
    tree, cycle = [1, 2, 2, 5, 5, 2], [1, 0, 2, 5, 5, 2]
    labels = ["det", "nsubj", "ROOT", "det", "amod", "dobj"]
    table = {
        "document": ["a", "a", "b"],
        "sentence": [0, 1, 0],
        "text": [" ".join(WORDS)] * 3,
        "words": [WORDS] * 3,
        "heads": [tree, cycle, tree],
        "deps": [labels] * 3,
    }
    source, output = tmp_path / "in.parquet", tmp_path / "out.conllu"
    pq.write_table(pa.table(table), source)
    said = parse(both, source, "--complete", "-o", output)
    assert "in.parquet (row 0, from 0): skipped: the heads of row 1 are no tree" in said
    assert "1 of 2 documents are left out" in said
    (one,) = read_conllu(output)
    assert one.heads == tree


def test_each_of_the_best_parses_keeps_it(both: Path, tmp_path: Path) -> None:
    source, output = in_file(tmp_path / "in.conllu", HALF), tmp_path / "out.conllu"
    parse(both, source, "--complete", "-k", 3, "-o", output)
    found = list(read_conllu(output))
    assert len(found) == 3
    for one in found:
        assert (one.heads[1], one.heads[5], one.deprels[5]) == (0, 1, "dobj")


def test_what_cannot_be_completed_is_refused(both: Path, tmp_path: Path) -> None:
    source = in_file(tmp_path / "in.conllu", HALF)
    text, trees = (
        in_file(tmp_path / "in.txt", "Words.\n"),
        in_file(tmp_path / "in.ptb", "(S (X a))"),
    )
    said = parse("-", source, "--complete", "--gold", fails=True)
    assert "--gold predicts nothing: leave out one" in said
    said = parse(both, text, "--complete", fails=True)
    assert "--complete needs annotation" in said
    said = parse(ARCS, trees, "--complete", fails=True)
    assert "needs seq2seq_constituency with" in said and "pipeline has none" in said
    assert "needs spa_dep or stack_lstm_dep" in parse(TREES, source, "--complete", fails=True)
    free = SAVED / "trees_top_down_none"
    said = parse(free, trees, "--complete", fails=True)
    assert "constrained = true; the pipeline has seq2seq_constituency" in said
    other = saved(tmp_path / "other", "en", "test_no_constraints")
    out = parse(other, source, "--complete", fails=True)
    assert "needs spa_dep or stack_lstm_dep; the pipeline has test_no_constraints" in out
    assert "--complete keeps heads and labels" in parse(both, source, "--keep", "head", fails=True)


@Language.component("test_no_constraints", assigns=["token.head", "token.dep"])
def no_constraints(doc: Doc) -> Doc:
    return doc


@Language.component("test_always_fails")
def always_fails(doc: Doc) -> Doc:
    raise ValueError("it always fails")


def test_other_errors_than_of_constraints_end_the_command(tmp_path: Path) -> None:
    nlp = spacy.load(ARCS)
    nlp.add_pipe("test_always_fails")
    nlp.to_disk(tmp_path / "model")
    source = in_file(tmp_path / "in.conllu", HALF)
    output = tmp_path / "out.conllu"
    said = parse(tmp_path / "model", source, "--complete", "-o", output, fails=True)
    assert "it always fails" in said and not output.exists()

"""CoNLL-U through Docs: with the gold annotation the lines come out as they went in."""

from collections import Counter
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_structparse.corpora.conllu_columns import REPLACED, SOURCE
from spacy_structparse.corpora.conllu_writer import LOST, doc_to_conllu
from spacy_structparse.corpora.convert import convert_treebank
from spacy_structparse.corpora.docbins import read_docs
from spacy_structparse.corpora.options import ConversionOptions, TreebankPart
from spacy_structparse.corpora.reader import create_corpus_reader
from tests.helpers.conllu_rules import broken_rules
from tests.helpers.paths import ENHANCED, SAMPLE

ODD = """\
#no space
# sent_id = a=b
# text = w x  y
# given_columns = LEMMA
1\tw\t_\tNOTUD\tX\tfoo\t2\tdep\t_\tA=1|SpaceAfter=No
# between words
2\tx y\tx\\y\tX\t_\tB=2|A=1\t0\troot\t0:root\t_
2.1\t_\t_\t_\t_\t_\t_\t_\t1:dep\t_
3\t_\t_\tX\t_\t_\t_\t_\t2:dep|2.1:x\tK=v

1\tw\t_\tX\t_\t_\t1\tdep\t_\t_

1\tw\t_\tX\t_\t_\t0\tROOT\t_\tSpaceAfter=No
2\tv\t_\tX\t_\t_\t0\troot\t_\t_

"""


def converted(path: Path, folder: Path, **options) -> Path:
    output = folder / "out.spacy"
    part = TreebankPart(conllu=path)
    convert_treebank([part], output, ConversionOptions(**options))
    return output


def written(docs, **settings) -> str:
    return "".join(doc_to_conllu(doc, **settings) for doc in docs)


@pytest.mark.parametrize("n_sents", [1, 4])
@pytest.mark.parametrize("path", [ENHANCED, SAMPLE / "train.conllu"], ids=["enhanced", "sample"])
def test_gold_annotation_is_what_came_in(path, n_sents, tmp_path):
    docs = read_docs(converted(path, tmp_path, n_sents=n_sents), Vocab())
    text = path.read_text(encoding="utf-8")
    assert written(docs, gold=True) == text
    assert broken_rules(text) == []


def test_whatever_spacy_cannot_hold_comes_back(tmp_path):
    path = tmp_path / "odd.conllu"
    path.write_text(ODD, encoding="utf-8", newline="")
    for n_sents in (1, 3):
        output = converted(path, tmp_path, bad_heads="words", n_sents=n_sents)
        assert written(read_docs(output, Vocab()), gold=True) == ODD


@pytest.mark.slow
def test_the_real_treebanks(treebanks, tmp_path):
    for name in ("ewt", "gum"):
        path = treebanks / name / "dev.conllu"
        docs = read_docs(converted(path, tmp_path, n_sents=3), Vocab())
        assert written(docs, gold=True).encode() == path.read_bytes()


def test_it_outlives_cutting_copying_and_bytes(tmp_path):
    output = converted(ENHANCED, tmp_path, n_sents=5)
    nlp = spacy.blank("fr")
    text = ENHANCED.read_text(encoding="utf-8")
    examples = create_corpus_reader(output, gold_preproc=True)(nlp)
    pieces = [example.reference for example in examples]
    assert len(pieces) == 21
    assert written(pieces, gold=True) == text
    assert written((doc.copy() for doc in pieces), gold=True) == text
    read = [Doc(Vocab()).from_bytes(doc.to_bytes()) for doc in pieces]
    assert written(read, gold=True) == text
    again = DocBin(docs=read, store_user_data=True).to_bytes()
    assert written(DocBin().from_bytes(again).get_docs(Vocab()), gold=True) == text


def test_predictions_stand_beside_what_came_in(tmp_path):
    *_, doc = list(read_docs(converted(ENHANCED, tmp_path), Vocab()))[:4]
    for token in doc:
        token.dep_ = "new" if token.dep_ != "ROOT" else "ROOT"
    given = {"LEMMA": [token.lemma_ for token in doc]}
    text = doc_to_conllu(doc, "9", columns=("HEAD", "DEPREL"), given=given)
    lines = text.splitlines()
    assert lines[:4] == [
        "# newpar id = petit-jour-p2",
        "# sent_id = fr-4",
        "# text = Paul boit du thé et Marie du café.",
        "# given_columns = LEMMA DEPS",
    ]
    assert lines[4] == "1\tPaul\tPaul\t_\t_\t_\t2\tnew\t2:nsubj\t_"
    assert lines[6] == "3-4\tdu" + "\t_" * 8
    assert "7.1\tboit\tboire\tVERB\t_\t_\t_\t_\t2:conj:et\tCopyOf=2" in lines
    assert lines[-3] == "10\tcafé\tcafé\t_\t_\t_\t7\tnew\t7.1:obj\tSpaceAfter=No"
    assert broken_rules(text) == []


def test_missing_ids_and_texts_are_added_but_to_gold(tmp_path):
    path = tmp_path / "bare.conllu"
    bare = "1-2\tdu" + "\t_" * 8 + "\n1\tde" + "\t_" * 8 + "\n2\tle" + "\t_" * 8 + "\n\n"
    path.write_text(bare, encoding="utf-8")
    (doc,) = read_docs(converted(path, tmp_path), Vocab())
    assert doc_to_conllu(doc, "7") == "# sent_id = 7-1\n# text = du\n" + bare
    assert doc_to_conllu(doc, "7", gold=True) == bare


def test_what_comes_back_as_it_was_is_not_called_changed(tmp_path):
    path = tmp_path / "spaced.conllu"
    text = "1\tw\tw\tX\tV W\t_\t0\troot\t_\t_\n\n"
    path.write_text(text, encoding="utf-8")
    (doc,) = read_docs(converted(path, tmp_path), Vocab())
    assert doc.user_data[SOURCE]
    notes = Counter()
    assert doc_to_conllu(doc, gold=True, notes=notes) == text
    assert not notes
    assert "V_W" in doc_to_conllu(doc, notes=notes)
    assert notes[REPLACED] == 1


def test_lines_that_no_longer_fit_are_left_out_and_counted(tmp_path):
    (doc, *_) = read_docs(converted(ENHANCED, tmp_path, n_sents=2), Vocab())
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[-2:])
    notes = Counter()
    first, second = doc_to_conllu(doc, "1", gold=True, notes=notes).split("\n\n")[:2]
    assert notes[LOST] == 1
    assert ENHANCED.read_text(encoding="utf-8").startswith(first + "\n\n")
    assert second.startswith("# sent_id = 1-2\n# text = Les enfants jouent aux cartes")
    assert second.splitlines()[-1].startswith("12\tsoir.\t")


@pytest.mark.parametrize("kept", [3, "x", {0: 7}, {0: "1\tx"}, {0: "\t\n"}, {"0": ""}, [None]])
def test_foreign_user_data_does_no_harm(kept):
    doc = spacy.blank("en")("One two")
    plain = doc_to_conllu(doc, "1")
    doc.user_data[SOURCE] = kept
    assert doc_to_conllu(doc, "1") == plain


@pytest.mark.parametrize("odd", ["\t", "\n", "\r\n", "\x0b", "\x85", "\u2028", "\t\n\t"])
def test_tabs_and_line_breaks_do_not_break_lines(odd):
    words = ["a", f"b{odd}c", "d"]
    doc = Doc(
        Vocab(),
        words=words,
        lemmas=words,
        tags=["x", f"T{odd}U", "V W"],
        heads=[1, 1, 1],
        deps=["r", "ROOT", f"n{odd}m"],
    )
    notes = Counter()
    text = doc_to_conllu(doc, "1", notes=notes)
    assert text.splitlines()[2:] == [
        "1\ta\ta\t_\tx\t_\t2\tr\t_\t_",
        "2\tb c\tb c\t_\tT_U\t_\t0\troot\t_\t_",
        "3\td\td\t_\tV_W\t_\t2\tn_m\t_\t_",
        "",
    ]
    assert notes[REPLACED] == 5
    assert broken_rules(text) == []


def test_a_word_that_hangs_on_whitespace_hangs_on_its_head():
    doc = Doc(Vocab(), words=["a", " ", "b"], heads=[0, 0, 1], deps=["ROOT", "dep", "x"])
    assert doc_to_conllu(doc).splitlines()[-2] == "2\tb\t_\t_\t_\t_\t1\tx\t_\t_"


def test_a_part_without_lines_of_its_own_has_none(tmp_path):
    """Sentences that were not read as CoNLL-U beside one that was."""
    (doc, *_) = read_docs(converted(ENHANCED, tmp_path), Vocab())
    plain = Doc(doc.vocab, words=["a\nb", "c"], sent_starts=[True, False])
    both = Doc.from_docs([plain, doc], exclude=["user_data"])
    both.user_data[SOURCE] = {len(plain): doc.user_data[SOURCE][0]}
    DocBin(docs=[both], store_user_data=True).to_disk(tmp_path / "two.spacy")
    first, second = (
        example.reference
        for example in create_corpus_reader(tmp_path / "two.spacy", gold_preproc=True)(
            spacy.blank("fr")
        )
    )
    assert SOURCE not in first.user_data
    assert doc_to_conllu(second, gold=True) == doc_to_conllu(doc, gold=True)
    # Values that are not one for each token are left out, with a count or without.
    assert doc_to_conllu(first, given={"LEMMA": ["x"]}) == doc_to_conllu(first)

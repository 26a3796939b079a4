"""`spacy structparse search`."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_structparse.corpora.conllu import read_conllu
from spacy_structparse.corpora.docbins import read_docs
from spacy_structparse.corpora.document_ids import DOCUMENT
from tests.helpers.commands import run, said
from tests.helpers.paths import SAMPLE

TREES = """\
(S (NP (PRP She)) (VP (VBD saw) (NP (NP (DT the) (NN dog)) (PP (IN of) (NP (NN Rome))))) (. .))
(S (NP (DT The) (NN dog)) (VP (VBD ran)) (. .))
(S (VP (VB Go) (PRT (RP on))) (. !))
"""


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    path = tmp_path / "trees.ptb"
    path.write_text(TREES)
    return path


def found(*arguments: Any) -> str:
    return run("search", *arguments).stdout


def test_measures_of_a_text_are_sums_of_those_of_its_documents(
    treebank: Path, tmp_path: Path
) -> None:
    run("convert", treebank, tmp_path / "trees.spacy")
    docs = list(read_docs(tmp_path / "trees.spacy", Vocab()))
    for doc, name in zip(docs, "aab", strict=True):
        doc.user_data[DOCUMENT] = name
    path = tmp_path / "texts.spacy"
    DocBin(docs=docs, store_user_data=True).to_disk(path)
    each, texts = (
        list(csv.DictReader(run("measures", path, "--per", per).stdout.splitlines()))
        for per in ("document", "text")
    )
    assert [row["document_id"] for row in texts] == ["a", "b"]
    counts = [int(row["W"]) for row in each]
    assert [int(row["W"]) for row in texts] == [counts[0] + counts[1], counts[2]]


def test_lines_of_text(treebank: Path) -> None:
    result = run("search", "NP < DT=article !> NP", treebank)
    assert result.stdout == f"{treebank}:2: [The dog] ran .  (article=The)\n"
    assert "1 matches in 1 sentences of 3 documents" in result.stderr
    assert found("NP > VP", treebank) == f"{treebank}:1: She saw [the dog of Rome] .\n"


def test_subtrees(treebank: Path) -> None:
    assert found("NP <: NN", treebank, "-f", "ptb") == "(NP (NN Rome))\n"
    assert found("NN > NP >: NP", treebank, "-f", "ptb") == "(NN Rome)\n"
    assert found("ROOT <<, VB", treebank, "-f", "ptb") == (
        "(ROOT (S (VP (VB Go) (PRT (RP on))) (. !)))\n"
    )
    assert found("Rome|on", treebank, "-f", "ptb") == "(NN Rome)\n(RP on)\n"


def test_tables(treebank: Path, tmp_path: Path) -> None:
    output = tmp_path / "matches.csv"
    found("NP=np ?< DT=d > S", treebank, "-f", "csv", "-o", output)
    with output.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["document"], row["match"], row["np"], row["d"]) for row in rows] == [
        ("1", "She", "She", ""),
        ("2", "The dog", "The dog", "The"),
    ]
    assert (rows[1]["left"], rows[1]["right"]) == ("", "ran .")
    assert (rows[1]["start"], rows[1]["end"], rows[1]["label"]) == ("0", "2", "NP")
    lines = found("NP=np < PP=pp", treebank, "-f", "jsonl").splitlines()
    [record] = map(json.loads, lines)
    assert record["sentence"]["text"] == "She saw the dog of Rome ."
    assert record["match"] == {"start": 2, "end": 6, "label": "NP", "text": "the dog of Rome"}
    assert record["nodes"]["pp"]["text"] == "of Rome"


def test_counts(treebank: Path, tmp_path: Path) -> None:
    def rows(stats: str, pattern: str) -> list[str]:
        output = tmp_path / "counts.tsv"
        found(pattern, treebank, "--stats", stats, "-o", output)
        return output.read_text().splitlines()

    assert rows("label", "NP|VP|PP") == ["NP\t5", "VP\t3", "PP\t1"]
    # Of "the dog of Rome", "the dog" and "The dog" the head is "dog".
    assert rows("lemma", "NP") == ["dog\t3", "rome\t1", "she\t1"]
    assert rows("document", "NP") == [f"{treebank}:1\t4", f"{treebank}:2\t1"]
    assert rows("text", "NP") == [f"{treebank}\t5"]
    assert "PP" in found("NP|VP|PP", treebank, "--stats", "label")


def test_a_sample_is_that_of_its_seed_in_order(treebank: Path) -> None:
    everything = found("__", treebank).splitlines()
    samples = [found("__", treebank, "-n", 5, "--seed", seed).splitlines() for seed in (0, 0, 1)]
    assert samples[0] == samples[1] != samples[2]
    for sample in samples:
        places = [everything.index(line) for line in sample]
        assert len(sample) == 5 and places == sorted(places)
    assert found("__", treebank, "-n", 1000).splitlines() == everything


def test_dependencies(tmp_path: Path) -> None:
    treebank = SAMPLE / "dev.conllu"
    verb = {"RIGHT_ID": "verb", "RIGHT_ATTRS": {"TAG": {"REGEX": "^VB"}}}
    right = {"DEP": "nsubj", "TAG": "PRP"}
    subject = {"LEFT_ID": "verb", "REL_OP": ">", "RIGHT_ID": "subject", "RIGHT_ATTRS": right}
    one, several = tmp_path / "one.json", tmp_path / "several.json"
    srsly.write_json(one, [verb, subject])
    srsly.write_json(several, [[verb, subject], [verb]])
    lines = found(one, treebank, "--dep").splitlines()
    assert lines and all("(verb=" in line and "subject=" in line for line in lines)
    assert len(found(several, treebank, "--dep").splitlines()) > len(lines)
    run("search", one, treebank, "--dep", "-f", "ptb", status=1)
    records = map(json.loads, found(one, treebank, "--dep", "-f", "jsonl").splitlines())
    assert all(record["match"]["label"].startswith("VB") for record in records)
    for wrong in ({}, [], [{"LEFT_ID": "a"}], [[{"RIGHT_ID": "a"}]]):
        srsly.write_json(one, wrong)
        assert "one.json" in said("search", one, treebank, "--dep", status=1)


def test_whitespace_tokens_match_dependencies(tmp_path: Path) -> None:
    vocab = spacy.blank("en").vocab
    words, deps = ["Dogs", "\n", "bark", "\n"], ["nsubj", "dep", "ROOT", "ROOT"]
    doc = Doc(vocab, words=words, tags=["NNS", "_SP", "VBP", "_SP"], heads=[2, 0, 2, 3], deps=deps)
    path, patterns = tmp_path / "docs.spacy", tmp_path / "patterns.json"
    DocBin(docs=[doc]).to_disk(path)
    srsly.write_json(patterns, [{"RIGHT_ID": "word", "RIGHT_ATTRS": {}}])
    # CoNLL-U has no line for such a token, nor for a sentence of nothing else.
    sentences = found(patterns, path, "--dep", "-f", "conllu")
    comments = [line for line in sentences.splitlines() if line.startswith("# match")]
    assert comments == ["# match = 1-1 NNS", "# match = _ _SP", "# match = 2-2 VBP"]
    (tmp_path / "found.conllu").write_text(sentences)
    read = list(read_conllu(tmp_path / "found.conllu"))
    assert [sentence.words for sentence in read] == [["Dogs", "bark"]]
    table = tmp_path / "lemmas.tsv"
    found(patterns, path, "--dep", "--stats", "lemma", "-o", table)
    assert table.read_text() == "_\t2\nbark\t1\ndogs\t1\n"


def test_bad_input(treebank: Path, tmp_path: Path) -> None:
    result = run("search", "NP < (", treebank, status=1)
    assert "column 7" in result.output
    assert result.stderr.splitlines()[-2:] == ["  NP < (", "        ^"]
    cut_off = run("search", "NP", "-", "-i", "spacy", status=1, text="cut off")
    assert "the standard input is not a whole .spacy file" in " ".join(cut_off.output.split())
    for arguments, message in (
        (("NP", treebank, "--dep"), "there is no file NP: with --dep the pattern is a JSON file"),
        (("NP", treebank, "--stats", "label", "-f", "csv"), "leave out --format"),
        (("NP=label", treebank, "-f", "csv"), "name the node otherwise"),
    ):
        assert message in said("search", *arguments, status=1)
    bare = tmp_path / "bare.spacy"
    nlp = spacy.blank("en")
    DocBin(docs=[nlp("No trees.")]).to_disk(bare)
    assert "1 of 1 documents have no trees" in said("search", "NP", bare, status=1)
    assert "1 of 4 documents have no trees" in said("search", "NP > VP", bare, treebank)


def test_recursive_expressions_are_refused(treebank: Path) -> None:
    for expression in ("(?R)?a", "(a(?1)?)", "(?<x>a(?&x)?)", "(?P<x>a(?P>x)?)"):
        message = run("search", f"/{expression}/", treebank, status=1).stderr
        assert expression in message and "recursi" in message
    for expression in (r"\(?R", "[(?R)]", "a(?:b)", "(a)(?(1)b)", "[](?R)]"):
        found(f"/{expression}/", treebank)

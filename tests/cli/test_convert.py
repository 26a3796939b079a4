import json
import os
import runpy
import sys

import pytest
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from tests.helpers.commands import run, said

ROWS = "1\ta\t_\tX\tx\t_\t0\troot\t_\t_\n\n1\tb\t_\tX\tx\t_\t5\troot\t_\t_\n\n"


@pytest.fixture
def conllu(tmp_path):
    path = tmp_path / "in.conllu"
    path.write_text(ROWS, encoding="utf-8")
    return path


def test_the_package_is_a_command_too(conllu, tmp_path, monkeypatch):
    output = tmp_path / "out.spacy"
    monkeypatch.setattr(sys, "argv", ["spacy_structparse", "convert", str(conllu), str(output)])
    with pytest.raises(SystemExit) as done:
        runpy.run_module("spacy_structparse", run_name="__main__", alter_sys=True)
    assert not done.value.code
    assert output.exists()


def test_problems_are_listed_and_written_to_the_report(conllu, tmp_path):
    out = said("convert", conllu, tmp_path / "out.spacy", "--report", tmp_path / "report.json")
    assert "skipped: line 3: the head 5" in out
    (report,) = json.loads((tmp_path / "report.json").read_text()).values()
    assert report["counts"]["sentences_read"] == 2
    assert [problem["line"] for problem in report["problems"]] == [3]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_report_names_a_file_whose_name_is_not_utf_8(conllu, tmp_path):
    path = tmp_path / os.fsdecode(b"caf\xe9.conllu")
    conllu.rename(path)
    run("convert", path, tmp_path / "out", "--report", tmp_path / "report.json")
    (report,) = json.loads((tmp_path / "report.json").read_text()).values()
    assert report["counts"]["sentences_read"] == 2


def test_failure_writes_no_file_and_sets_the_exit_code(tmp_path):
    path = tmp_path / "in.conllu"
    path.write_text("1\tbroken\n", encoding="utf-8")
    output = tmp_path / "out.spacy"
    assert "No sentence could be converted" in said("convert", path, output, status=1)
    assert not output.exists()
    run("convert", tmp_path / "none", tmp_path / "out", status=1)


def test_folder_to_folder(conllu, tmp_path):
    options = "--quiet", "--bad-heads", "words"
    assert not run("convert", tmp_path, tmp_path / "out", *options).stdout
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["in.spacy"]


def test_a_stand_in_for_xpos_is_said(conllu, tmp_path):
    conllu.write_text(ROWS.replace("\tx\t", "\t_\t"), encoding="utf-8")
    out = said("convert", conllu, tmp_path / "out.spacy")
    assert "1 tokens with their UPOS as tag_" in out


@pytest.mark.parametrize("layers", [["in.ptb"], ["in.ptb", "in.conllu"]])
def test_phrases_of_relative_words(tmp_path, monkeypatch, layers):
    """A tree has one label for them where it is asked for, with dependencies and without."""
    monkeypatch.chdir(tmp_path)
    words = [("dogs", "NNS", 0), ("that", "WDT", 3), ("bark", "VBP", 1)]
    tree = "(NP (NP (NNS dogs)) (SBAR (NP-SBJ (WDT that)) (S (VP (VBP bark)))))"
    (tmp_path / "in.ptb").write_text(f"( {tree})\n")
    lines = (
        f"{i}\t{word}\t_\tX\t{tag}\t_\t{head}\tdep\t_\t_"
        for i, (word, tag, head) in enumerate(words, 1)
    )
    (tmp_path / "in.conllu").write_text("\n".join(lines) + "\n\n")
    for options, labels in {
        (): ["NP", "NP", "SBAR", "NP", "S", "VP"],
        ("--wh-phrases",): ["NP", "NP", "SBAR", "WHNP", "S", "VP"],
        ("--wh-phrases", "--labels", "functions"): ["NP", "NP", "SBAR", "WHNP-SBJ", "S", "VP"],
    }.items():
        run("convert", *layers, "out.spacy", *options)
        (doc,) = DocBin().from_disk("out.spacy").get_docs(Vocab())
        assert [span.label_ for span in doc.spans["constituency"]][1:] == labels[1:]

"""`spacy structparse parse`: text to CoNLL-U."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc

from spacy_structparse.corpora.conllu import read_conllu
from spacy_structparse.corpora.conllu_writer import doc_to_conllu
from spacy_structparse.pipeline.sentences import SeveralSentencesWarning

TEXT = "The baker sells bread. Who saw it?\n\nA dog barks.\n"


def test_columns() -> None:
    doc = Doc(
        spacy.blank("en").vocab,
        words=["He", "left", " ", ".", "Gone"],
        spaces=[True, False, False, False, False],
        tags=["PRP", "VBD", "_SP", ".", ""],
        lemmas=["he", "leave", " ", ".", ""],
        heads=[1, 1, 1, 1, 4],
        deps=["nsubj", "ROOT", "dep", "punct", "ROOT"],
    )
    assert doc_to_conllu(doc, "7") == (
        "# sent_id = 7-1\n# text = He left .\n"
        "1\tHe\the\t_\tPRP\t_\t2\tnsubj\t_\t_\n"
        "2\tleft\tleave\t_\tVBD\t_\t0\troot\t_\t_\n"
        "3\t.\t.\t_\t.\t_\t2\tpunct\t_\tSpaceAfter=No\n\n"
        "# sent_id = 7-2\n# text = Gone\n"
        "1\tGone\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    )


def test_file_to_file(command: Any, model: Path, tmp_path: Path) -> None:
    source, output = tmp_path / "in.txt", tmp_path / "out" / "parsed.conllu"
    source.write_text(TEXT)
    command("structparse", "parse", model, source, "--output", output)
    sentences = list(read_conllu(output))
    assert [sentence.text for sentence in sentences] == [
        "The baker sells bread.",
        "Who saw it?",
        "A dog barks.",
    ]
    assert all(sentence.heads_problem is None for sentence in sentences)
    assert [path.name for path in output.parent.iterdir()] == ["parsed.conllu"]
    command("structparse", "parse", model, source, "--output", output, "--one-sentence")
    assert len(list(read_conllu(output))) == 2


def test_one_sentence_is_no_reason_to_warn(
    command: Any, model: Path, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    source, output = tmp_path / "in.txt", tmp_path / "parsed.conllu"
    source.write_text(TEXT)
    command("structparse", "parse", model, source, "--output", output, "--one-sentence")
    assert not [one for one in recwarn if one.category is SeveralSentencesWarning]


def test_missing_input_leaves_no_output(command: Any, model: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.conllu"
    command("structparse", "parse", model, tmp_path / "no.txt", "-o", output, fails=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("option", "remedy"), [("--resume", "parse-corpus"), ("--show=2", "terminal")]
)
def test_removed_options_name_what_to_use(command: Any, option: str, remedy: str) -> None:
    said = command("structparse", "parse", "-", "-", option, fails=True)
    assert remedy in said and option.partition("=")[0] in said

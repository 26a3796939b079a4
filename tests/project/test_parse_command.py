"""`spacy structparse parse`: text to CoNLL-U."""

from pathlib import Path
from typing import Any

import pytest

from spacy_structparse.corpora.conllu import read_conllu
from spacy_structparse.pipeline.sentences import SeveralSentencesWarning

TEXT = "The baker sells bread. Who saw it?\n\nA dog barks.\n"


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


@pytest.mark.parametrize(
    ("option", "remedy"), [("--resume", "parse-corpus"), ("--show=2", "terminal")]
)
def test_removed_options_name_what_to_use(command: Any, option: str, remedy: str) -> None:
    said = command("structparse", "parse", "-", "-", option, fails=True)
    assert remedy in said and option.partition("=")[0] in said

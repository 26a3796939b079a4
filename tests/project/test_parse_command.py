"""`spacy structparse parse`: text to CoNLL-U."""

from pathlib import Path
from typing import Any

import pytest

from spacy_structparse.corpora.conllu import read_conllu
from spacy_structparse.pipeline.sentences import SeveralSentencesWarning

TEXT = "The baker sells bread. Who saw it?\n\nA dog barks.\n"


def test_file_to_file(
    command: Any, model: Path, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
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
    recwarn.clear()
    command("structparse", "parse", model, source, "--output", output, "--one-sentence")
    assert not [one for one in recwarn if one.category is SeveralSentencesWarning]
    assert len(list(read_conllu(output))) == 2

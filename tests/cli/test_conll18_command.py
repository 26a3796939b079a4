import gzip
import json

import pytest
from typer.testing import CliRunner

from spacy_structparse.cli import app
from tests.helpers.paths import CONLL18

GOLD, SYSTEM = CONLL18 / "french-gold.conllu", CONLL18 / "french-system.conllu"


def invoke(*arguments):
    return CliRunner().invoke(app, ["conll18", *map(str, arguments)])


def test_table_and_json(tmp_path):
    output = tmp_path / "new" / "scores.json"
    result = invoke(GOLD, SYSTEM, "--output", output)
    assert result.exit_code == 0
    assert result.stdout == (CONLL18 / "french-expected.txt").read_text(encoding="utf-8")
    figures = json.loads(output.read_text(encoding="utf-8"))
    las = figures["scores"]["LAS"]
    assert (las["gold"], las["system"], las["correct"], las["aligned"]) == (13, 12, 6, 10)
    assert las["f1"] == pytest.approx(12 / 25)
    assert figures["scores"]["Words"]["aligned_accuracy"] is None


def test_files_that_gzip_has_compressed(tmp_path):
    packed = tmp_path / "system.conllu.gz"
    packed.write_bytes(gzip.compress(SYSTEM.read_bytes()))
    assert invoke(GOLD, packed).stdout == invoke(GOLD, SYSTEM).stdout
    packed.write_bytes(b"1")
    result = invoke(GOLD, packed)
    assert result.exit_code == 1
    assert "gzip has not compressed it" in " ".join(result.output.split())


def test_file_and_line_of_an_error(tmp_path):
    bad, output = tmp_path / "bad.conllu", tmp_path / "scores.json"
    bad.write_text(GOLD.read_text(encoding="utf-8").replace("\t2\tnsubj", "\t99\tnsubj"))
    result = invoke(GOLD, bad, "--output", output)
    assert result.exit_code == 1
    assert f"{bad}:2: the head '99' is outside the sentence's 9 words" in " ".join(
        result.output.split()
    )
    assert not output.exists()

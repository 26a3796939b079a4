"""`spacy structparse parse --confidence`: what it writes, and what stays as it is without it."""

import json
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc

from spacy_structparse.corpora.conllu import read_conllu
from spacy_structparse.pipeline.confidence import enable_confidence
from tests.helpers.commands import run, said
from tests.helpers.fake_parsers import saved

pytestmark = pytest.mark.usefixtures("plain_english")
TEXTS = ["the cook stirs a thick soup.", "soup stirs the (thick) cook."]
FORMATS = ("json", "conllu", "terminal")
OF_WORDS = ("head_confidence", "dep_confidence")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("source") / "in.txt"
    path.write_text("".join(f"{text}\n" for text in TEXTS))
    return path


@pytest.fixture(scope="module")
def plain(both: Path, source: Path) -> dict[str, str]:
    """What the pipeline gives without the option, in each format."""
    return {style: parse(both, source, "-f", style) for style in FORMATS}


@pytest.fixture(scope="module")
def docs(both: Path) -> list[Doc]:
    """The same parses, with confidence."""
    nlp = spacy.load(both)
    enable_confidence(nlp)
    return list(nlp.pipe(TEXTS))


def parse(*args: object) -> str:
    return run("parse", *args).stdout


def records(out: str) -> list[dict[str, Any]]:
    """The only sentence of each document."""
    return [json.loads(line)["sentences"][0] for line in out.splitlines()]


def test_json(both: Path, source: Path, plain: dict[str, str], docs: list[Doc]) -> None:
    found = records(parse(both, source, "-f", "json", "--confidence"))
    for record, before, doc in zip(found, records(plain["json"]), docs, strict=True):
        for name in OF_WORDS:
            shares = record.pop(name)
            assert all(0 <= share <= 1 for share in shares)
            assert shares == pytest.approx([token._.get(name) for token in doc], abs=6e-5)
        assert 0 < record["parse_confidence"] < 1
        assert record.pop("parse_confidence") == pytest.approx(doc._.parse_confidence, abs=6e-5)
        of_brackets = [span.pop("confidence") for span in record["spans"]]
        spans = list(doc.spans["constituency"])
        assert of_brackets == pytest.approx([span._.confidence for span in spans], abs=6e-5)
        assert all(0 <= share <= 1 for share in of_brackets)
        # Nothing else is written.
        assert record == before


def test_conllu(
    both: Path, source: Path, plain: dict[str, str], docs: list[Doc], tmp_path: Path
) -> None:
    sure, unsure = tmp_path / "sure.conllu", tmp_path / "unsure.conllu"
    parse(both, source, "--confidence", "-o", sure)
    unsure.write_text(plain["conllu"])
    for sentence, before, doc in zip(read_conllu(sure), read_conllu(unsure), docs, strict=True):
        assert (sentence.heads, sentence.deprels) == (before.heads, before.deprels)
        assert sentence.space_after == before.space_after
        assert f"# parse_confidence = {doc._.parse_confidence:.4f}" in sentence.lines
        words = [line.split("\t") for line in sentence.lines if not line.startswith("#")]
        for columns, token in zip(words, doc, strict=True):
            head, dep = (f"{token._.get(name):.4f}" for name in OF_WORDS)
            assert columns[9] == f"HeadConfidence={head}|DepConfidence={dep}"
    # The confidence of an earlier parse is no other parse's.
    assert parse(both, sure) == parse(both, unsure)
    assert parse(both, sure, "--confidence").count("HeadConfidence=") == sum(map(len, docs))
    # What is not parsed is as it was read.
    assert parse("-", sure, "--gold") == sure.read_text()
    (tmp_path / "misc.conllu").write_text(
        "1\tsoup\t_\t_\t_\t_\t0\troot\t_\tGloss=a|SpaceAfter=No\n\n"
    )
    assert "\tGloss=a|SpaceAfter=No|HeadConfidence=" in parse(
        both, tmp_path / "misc.conllu", "--confidence"
    )


def test_drawings(
    both: Path, source: Path, plain: dict[str, str], docs: list[Doc], tmp_path: Path
) -> None:
    shown = parse(both, source, "-f", "terminal", "--confidence")
    assert "%" not in plain["terminal"]
    percents = [f"{int(100 * token._.dep_confidence)}%" for token in docs[0]]
    table = shown.splitlines()[2 : 3 + len(docs[0])]
    assert [line.split()[-1] for line in table] == ["conf.", *percents]
    first = docs[0].spans["constituency"][0]
    label = f"{first.label_} {int(100 * first._.confidence)}%"
    assert label in shown
    parse(both, source, "-f", "svg", "--confidence", "-o", tmp_path / "page.html")
    assert label in (tmp_path / "page.html").read_text()


def test_what_cannot_be_given_is_said(both: Path, source: Path, tmp_path: Path) -> None:
    unsure = saved(tmp_path / "unsure", "fake_heads", "fake_trees")
    out = said("parse", unsure, source, "--confidence", status=1)
    assert "no parser that computes confidence" in out and "fake_heads, fake_trees" in out
    for options, reason in (
        (["-f", "ptb"], "--format ptb"),
        (["-f", "latex"], "--format latex"),
        (["--k-best", 2], "--k-best do not go together"),
    ):
        assert reason in said("parse", both, source, "--confidence", *options, status=1)

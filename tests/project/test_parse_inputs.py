"""`spacy structparse parse`: kinds of inputs, and CoNLL-U output that keeps what came in."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.cli._util import app
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from typer.testing import CliRunner

from tests.helpers import fake_parsers  # noqa: F401  (registers the factories)
from tests.helpers.conllu_rules import broken_rules
from tests.helpers.paths import ENHANCED
from tests.helpers.saved_pipelines import saved

GOLD = ENHANCED.read_text(encoding="utf-8")
TREE = "( (IP (NP (PRO He)) (VBD left) (CODE <P_1>) (. .)) (ID BOOK,1.2))\n"


@Language.component("test_lemmas", assigns=["token.lemma"])
def lemmas(doc: Doc) -> Doc:
    """Like spaCy's components, it does not overwrite what is there."""
    for token in doc:
        token.lemma_ = token.lemma_ or token.text.upper()
    return doc


@Language.component("test_join_first")
def join_first(doc: Doc) -> Doc:
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[-2:])
    return doc


@pytest.fixture(scope="module")
def heads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("heads"), "fr", "fake_heads")


@pytest.fixture(scope="module")
def heads_and_lemmas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("lemmas"), "fr", "fake_heads", "test_lemmas")


def parse(*args: object, stdin: bytes | None = None, fails: bool = False) -> str:
    """What the command writes to the standard output; its messages if it fails."""
    command = ["structparse", "parse", *map(str, args)]
    result = CliRunner().invoke(app, command, input=stdin)
    assert (result.exit_code != 0) == fails, result.output
    return " ".join(result.output.split()) if fails else result.stdout


def rows(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.splitlines() if line and line[0] != "#"]


def is_word(row: list[str]) -> bool:
    return row[0].isdigit()


def test_a_treebank_keeps_all_but_what_is_predicted(heads: Path) -> None:
    text = parse(heads, ENHANCED)
    assert broken_rules(text) == []
    comments = [line for line in text.splitlines() if line.startswith("#")]
    # All of the sentences have enhanced dependencies, which nothing has predicted.
    assert comments.count("# given_columns = DEPS") == 21
    gold_comments = [line for line in GOLD.splitlines() if line.startswith("#")]
    assert [line for line in comments if not line.startswith("# given")] == gold_comments
    for row, gold in zip(rows(text), rows(GOLD), strict=True):
        if is_word(gold):
            head = ["0", "root"] if gold[0] == "1" else ["1", "dep"]
            assert row == [*gold[:2], *["_"] * 4, *head, *gold[8:]]
        else:
            assert row == gold


def test_kept_columns_are_marked_and_predictions_stand(heads: Path, heads_and_lemmas: Path) -> None:
    text = parse(heads, ENHANCED, "--keep", "lemma,feats")
    assert text.count("# given_columns = LEMMA FEATS DEPS\n") > 15
    words = [row for row in rows(text) if is_word(row)]
    gold = [row for row in rows(GOLD) if is_word(row)]
    assert [row[2:6] for row in words] == [[row[2], "_", "_", row[5]] for row in gold]
    # The gold lemmas are taken away before a component sees them, which would not overwrite them.
    words = [row for row in rows(parse(heads_and_lemmas, ENHANCED)) if is_word(row)]
    assert [row[2] for row in words] == [row[1].upper() for row in gold]
    text = parse(heads_and_lemmas, ENHANCED, "--keep", "lemma")
    assert "# given_columns = LEMMA DEPS\n" in text
    assert [row[2] for row in rows(text) if is_word(row)] == [row[2] for row in gold]


def test_through_spacy_files_and_processes(heads: Path, tmp_path: Path, command: Any) -> None:
    parsed = tmp_path / "parsed.spacy"
    expected = parse(heads, ENHANCED, "--keep", "xpos,upos")
    command("structparse", "parse", heads, ENHANCED, "-f", "spacy", "-o", parsed)
    # The annotation of the file is what was predicted, and what came in.
    for row, gold in zip(rows(parse("-", parsed, "--gold")), rows(GOLD), strict=True):
        head = ["0", "root"] if gold[0] == "1" else ["1", "dep"]
        assert row == ([*gold[:6], *head, *gold[8:]] if is_word(gold) else gold)
    assert parse(heads, parsed, "--keep", "xpos,upos") == expected
    # Processes that are forked know the components of this test.
    if sys.platform == "linux":
        assert parse(heads, ENHANCED, "--keep", "xpos,upos", "-p", "2") == expected


def test_the_kind_can_be_named(heads: Path, tmp_path: Path) -> None:
    odd = tmp_path / "treebank.data"
    odd.write_text(GOLD, encoding="utf-8")
    expected = parse(heads, ENHANCED)
    assert parse(heads, odd, "--input-format", "conllu") == expected
    assert parse(heads, "-", "-i", "conllu", stdin=GOLD.encode()) == expected
    (tmp_path / "in" / "deep").mkdir(parents=True)
    odd.rename(tmp_path / "in" / "deep" / "a.conllu")
    assert parse(heads, tmp_path / "in", "-i", "conllu") == expected
    said = parse(heads, tmp_path / "in", "-i", "psd", fails=True)
    assert "has no psd files" in said


@pytest.mark.parametrize("name", ["a.xml", "a", "a.conllu.zip"])
def test_unknown_kinds_are_refused_with_the_kinds(heads: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("x")
    said = parse(heads, tmp_path / name, fails=True)
    assert "--input-format" in said
    for kind in ("conllu (.conllu)", "conll (.conll, .conllx)", "psd (.psd)", "jsonl (.jsonl)"):
        assert kind in said


def test_bad_sentences_are_skipped_and_listed(heads: Path, tmp_path: Path) -> None:
    source = tmp_path / "bad.conllu"
    good = "# sent_id = g\n# text = w\n1\tw\t_\tX\t_\t_\t9\troot\t_\t_\n\n"
    source.write_text(f"1\tx\n\n{good}")
    result = CliRunner().invoke(app, ["structparse", "parse", str(heads), str(source)])
    # A head that is none does not matter: it is predicted.
    assert result.stdout == good.replace("\tX\t_\t_\t9", "\t_\t_\t_\t0")
    assert "bad.conllu:1: skipped: line 1: 2 columns" in " ".join(result.stderr.split())
    assert parse("-", source, "--gold") == good
    parse(heads, source, "-f", "spacy", "-o", tmp_path / "parsed.spacy")
    assert parse("-", tmp_path / "parsed.spacy", "--gold") == good.replace("\t9\t", "\t0\t")
    source.write_text("Prose is no treebank.\n")
    said = parse(heads, source, fails=True)
    assert "No sentence of" in said and "could be read as CoNLL-U" in said
    assert "the standard input:1" in parse(heads, "-", "-i", "ptb", stdin=b"(S (X", fails=True)


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"text": 1}', '{"t": "x"}', '{"text": "\\ud800"}', "[" * 100_000]
)
def test_bad_json_lines_name_the_line(heads: Path, tmp_path: Path, line: str) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(f'{{"text": "x"}}\n{line}\n{{"text": "y"}}\n')
    result = CliRunner().invoke(app, ["structparse", "parse", str(heads), str(source)])
    assert [row[1] for row in rows(result.stdout)] == ["x", "y"]
    assert "in.jsonl:2: skipped" in " ".join(result.stderr.split())
    source.write_text(f"{line}\n")
    assert "in.jsonl: line 1:" in parse(heads, source, fails=True)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--keep", "heads"), "lemma, upos, xpos, feats"),
        (("--keep", "lemma", "-f", "json"), "--format conllu, not json"),
        (("--keep", "lemma", "--gold"), "leave out --keep"),
    ],
)
def test_what_cannot_be_kept(heads: Path, args: tuple[str, ...], says: str) -> None:
    assert says in parse(heads, ENHANCED, *args, fails=True)


def test_changed_tokens_and_odd_characters_are_warned_of(tmp_path: Path) -> None:
    model = saved(tmp_path / "joins", "fr", "fake_heads", "test_join_first")
    command = ["structparse", "parse", str(model), str(ENHANCED), "--keep", "lemma"]
    result = CliRunner().invoke(app, command)
    assert broken_rules(result.stdout) == []
    assert "sentences lost their comments and columns" in " ".join(result.stderr.split())
    nlp = spacy.blank("fr")
    doc = Doc(nlp.vocab, words=["a\tb", "c\nd"], sent_starts=[True, False])
    DocBin(docs=[doc]).to_disk(tmp_path / "odd.spacy")
    result = CliRunner().invoke(app, [*command[:3], str(tmp_path / "odd.spacy")])
    assert [row[1] for row in rows(result.stdout)] == ["a b c d"]
    assert "1 values had tabs, line breaks or spaces" in " ".join(result.stderr.split())


def test_json_says_which_tags_were_given(heads: Path) -> None:
    first = json.loads(parse(heads, ENHANCED, "-f", "json").splitlines()[0])
    assert first["given"] == ["tags", "pos"]
    assert first["sentences"][0]["pos"][:2] == ["DET", "NOUN"]


@pytest.mark.skipif(sys.platform != "linux", reason="process substitution")
def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    with subprocess.Popen(["cat", ENHANCED], stdout=subprocess.PIPE) as cat:
        assert cat.stdout is not None
        pipe = f"/dev/fd/{cat.stdout.fileno()}"  # as bash writes `<(cat …)`
        assert parse("-", pipe, "-i", "conllu", "--gold").encode() == ENHANCED.read_bytes()


@pytest.mark.parametrize("style", ["conllu", "json"])
def test_half_of_an_emoji_in_a_value_is_kept(heads: Path, tmp_path: Path, style: str) -> None:
    """As JSON writes it: it is no letter that UTF-8 could encode."""
    path = tmp_path / "cut.jsonl"
    path.write_text('{"text": "A line", "title": "\\ud83d und \u00e4"}\n', encoding="utf8")
    assert '"title": "\\ud83d und \u00e4"' in parse(heads, path, "-f", style)

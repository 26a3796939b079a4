"""A constituency parser whose trees are in another span group."""

from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin, SpanGroup
from spacy.training import Example
from typer.testing import CliRunner

from spacy_structparse.cli import app
from spacy_structparse.scoring.constituency import score_constituency
from spacy_structparse.trees import SPANS_KEY, get_brackets, get_tree, sentence_trees
from tests.helpers.small_parser import bare, examples_of, train
from tests.helpers.small_trees import NAME, brackets_of, small_trees

KEY = "mine"


def moved(doc: Doc, key: str = KEY) -> Doc:
    """The doc with its trees in the group of this key alone."""
    doc = doc.copy()
    doc.spans[key] = SpanGroup(doc, name=key, spans=list(doc.spans[SPANS_KEY]))
    if key != SPANS_KEY:
        del doc.spans[SPANS_KEY]
    return doc


@pytest.fixture(scope="module")
def few(twenty_trees: list[Doc]) -> list[Doc]:
    return [moved(doc) for doc in twenty_trees[:3]]


@pytest.fixture(scope="module")
def parser(few: list[Doc]) -> Language:
    """It knows the three sentences by heart."""
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe(NAME, config={**small_trees(), "spans_key": KEY})
    nlp.initialize(lambda: examples_of(nlp, few))
    train(nlp, examples_of(nlp, few), 60)
    return nlp


def parse(nlp: Language, doc: Doc) -> Doc:
    return nlp(bare(nlp.vocab, doc))


def test_trees_are_learned_and_written_under_the_key(parser: Language, few: list[Doc]) -> None:
    for gold in few:
        doc = parse(parser, gold)
        assert list(doc.spans) == [KEY]
        assert get_brackets(doc, KEY) == get_brackets(gold, KEY)
        assert str(get_tree(doc[:], KEY)) == str(sentence_trees(doc, KEY)[0])
        assert get_tree(doc) is None and doc._.constituency_tree is None


def test_another_group_stays(parser: Language, twenty_trees: list[Doc]) -> None:
    doc = twenty_trees[0].copy()
    before = brackets_of(doc)
    parser(doc)
    assert set(doc.spans) == {SPANS_KEY, KEY} and brackets_of(doc) == before


def test_the_scorer_reads_the_key_of_the_parser(parser: Language, few: list[Doc]) -> None:
    scores = parser.evaluate(examples_of(parser, few))
    assert scores["const_f"] >= 0.99
    pairs = [Example(parse(parser, doc), doc) for doc in few]
    assert score_constituency(pairs)["const_f"] is None
    assert score_constituency(pairs, spans_key=KEY)["const_f"] == scores["const_f"]


def test_the_key_is_part_of_the_config(parser: Language, few: list[Doc], tmp_path: Path) -> None:
    parser.to_disk(tmp_path / "parser")
    assert KEY in parse(spacy.load(tmp_path / "parser"), few[0]).spans
    other = spacy.load(tmp_path / "parser", config={f"components.{NAME}.spans_key": "x"})
    assert list(parse(other, few[0]).spans) == ["x"]


def test_training_data_without_the_group(twenty_trees: list[Doc]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe(NAME, config={**small_trees(), "spans_key": KEY})
    message = rf'\[{NAME}\].*doc\.spans\["mine"\].*--spans-key mine.*they have constituency'
    with pytest.raises(ValueError, match=message):
        nlp.initialize(lambda: examples_of(nlp, twenty_trees[:2]))


def test_commands_read_and_write_the_key(parser: Language, few: list[Doc], tmp_path: Path) -> None:
    parser.to_disk(tmp_path / "parser")
    lines = [str(sentence_trees(doc, KEY)[0]) for doc in few]
    (tmp_path / "trees.ptb").write_text("\n".join(lines), encoding="utf8")

    def run(*arguments: object) -> str:
        result = CliRunner().invoke(app, [str(one) for one in arguments])
        assert result.exit_code == 0, result.output
        return result.stdout

    data = tmp_path / "data.spacy"
    run("convert", tmp_path / "trees.ptb", data, "--spans-key", KEY)
    [*docs] = DocBin().from_disk(data).get_docs(parser.vocab)
    assert all(list(doc.spans) == [KEY] for doc in docs)
    printed = run("parse", tmp_path / "parser", data, "--format", "ptb")
    assert printed.count("(TOP (") == len(few) and "NP" in printed
    assert f"trees {len(few)}" in " ".join(
        run("debug", data, "--config", tmp_path / "parser").split()
    )

"""A parse that the reader chose in place of the pipeline's, and the page with it."""

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import spacy

from spacy_structparse.tools.app.alternatives import find_alternatives
from spacy_structparse.tools.app.choices import (
    Choice,
    is_shown,
    kind_of,
    told,
    with_choices,
)
from spacy_structparse.tools.app.downloads import files_of_text
from spacy_structparse.tools.app.drawings import DEPENDENCIES, TREE, confidence_drawings
from spacy_structparse.tools.app.finding import find
from spacy_structparse.tools.app.parsing import Parse, Parser
from tests.helpers.both_parsers import both_parsers
from tests.helpers.paths import SAVED

TEXT = "The cook stirs the soup . Old dogs sleep ."
ARCS, TREES = SAVED / "spa_bot_biaffine", SAVED / "trees_bottom_up_datt"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline of both kinds of parsers."""
    nlp = both_parsers(ARCS, TREES)
    folder = tmp_path_factory.mktemp("both") / "model"
    nlp.to_disk(folder)
    return folder


@pytest.fixture(scope="module")
def parser(model: Path) -> Parser:
    return Parser(spacy.load(model))


@pytest.fixture(scope="module")
def parse(parser: Parser) -> Parse:
    return parser.parse(TEXT)


def files(parse: Parse) -> dict[str, str]:
    return {file.name: file.data.decode() for file in files_of_text(parse)}


def another(parser: Parser, parse: Parse, name: str, number: int) -> Choice:
    """A parse of a sentence that is not the pipeline's."""
    found = find_alternatives(parser, parse, name)[number]
    return next(
        Choice(rank, one)
        for rank, one in enumerate(found, 1)
        if rank > 1 and not is_shown(parse.sentences[number], one)
    )


def test_a_chosen_parse_is_that_of_its_sentence_alone(parser: Parser, parse: Parse) -> None:
    before = files(parse)
    arcs = another(parser, parse, "spa_dep", 0)
    tree = another(parser, parse, "seq2seq_constituency", 1)
    assert (kind_of(arcs.parse), kind_of(tree.parse)) == (DEPENDENCIES, TREE)
    shown = with_choices(parse, {(0, DEPENDENCIES): arcs, (1, TREE): tree})
    after = files(shown)
    assert is_shown(shown.sentences[0], arcs.parse) and is_shown(shown.sentences[1], tree.parse)
    trees, new_trees = (one["parse.ptb"].splitlines() for one in (before, after))
    assert new_trees[0] == trees[0]
    assert new_trees[1] == f"(TOP {tree.parse.tree})"
    blocks, new_blocks = (one["parse.conllu"].split("\n\n") for one in (before, after))
    assert new_blocks[0] != blocks[0] and new_blocks[1] == blocks[1]
    sentences = json.loads(after["parse.json"])["sentences"]
    assert sentences[0]["heads"] == list(arcs.parse.heads)
    # The pipeline's parse, which other readers see, is what it was.
    assert files(parse) == before
    assert with_choices(parse, {}) is parse


def test_a_chosen_parse_has_no_confidence(parser: Parser, parse: Parse) -> None:
    key = parse.gives.spans_key
    drawn = [confidence_drawings(one, key) for one in parse.sentences]
    shown = with_choices(parse, {(0, DEPENDENCIES): another(parser, parse, "spa_dep", 0)})
    (_, arcs), (_, tree) = confidence_drawings(shown.sentences[0], key)
    assert "%</text>" in drawn[0][0][1] and "%</text>" not in arcs
    assert tree == drawn[0][1][1]
    assert confidence_drawings(shown.sentences[1], key) == drawn[1]


def test_search_finds_what_was_chosen(parser: Parser, parse: Parse) -> None:
    tree = another(parser, parse, "seq2seq_constituency", 1)
    shown = with_choices(parse, {(1, TREE): tree})
    labels = [{node.label for node in one.sentences[1].tree or ()} for one in (parse, shown)]
    counts = {
        label: [find(one, label).n for one in (parse, shown)] for label in labels[0] | labels[1]
    }
    assert any(ours != theirs for ours, theirs in counts.values())


def test_what_is_said_of_choices(parser: Parser, parse: Parse) -> None:
    arcs = another(parser, parse, "spa_dep", 0)
    tree = another(parser, parse, "seq2seq_constituency", 0)
    assert told({}, 0) == ""
    both = {(0, TREE): tree, (0, DEPENDENCIES): arcs}
    assert told(both, 0) == (
        f"You chose another parse of this sentence: dependencies number {arcs.rank} and tree "
        f"number {tree.rank}."
    )
    assert told(both, 1) == "You chose another parse of sentence 1."


# --- the page, by Streamlit's own test runner ---------------------------------------------------


def script(model: str) -> None:
    from spacy_structparse.tools.app.page import show_page

    show_page([model], 1000)


@pytest.fixture
def page(model: Path) -> Any:
    if find_spec("streamlit") is None:
        pytest.skip("needs streamlit: python -m pip install -e '.[app]'")
    from streamlit.testing.v1 import AppTest

    page = AppTest.from_function(script, default_timeout=120, kwargs={"model": str(model)})
    page.run()
    parse_text(page, TEXT)
    return page


def parse_text(page: Any, text: str) -> None:
    page.text_area[0].set_value(text)
    press(page, "Parse")


def press(page: Any, label: str) -> None:
    [button] = [one for one in page.button if one.label == label]
    button.click().run()
    assert not page.exception


def look_at(page: Any, view: str) -> None:
    page.segmented_control[0].set_value(view).run()
    assert not page.exception


def select(page: Any, label: str, value: object) -> None:
    [box] = [one for one in page.selectbox if one.label.startswith(label)]
    box.set_value(value).run()
    assert not page.exception


def pictures(page: Any) -> list[str]:
    return [one for html in page.html for one in re.findall(r"base64,([^\"]*)", html.body)]


def buttons(page: Any) -> set[str]:
    return {one.label for one in page.button}


USE, BACK = "Use this parse", "Back to the pipeline's parse"


def choose_second_tree(page: Any) -> None:
    look_at(page, "Other parses")
    select(page, "Component", "seq2seq_constituency")
    select(page, "Parse (of the", 1)
    press(page, USE)


def test_a_chosen_parse_is_shown_and_the_reader_can_go_back(page: Any) -> None:
    look_at(page, "Parse")
    arcs, tree = pictures(page)
    look_at(page, "Other parses")
    select(page, "Component", "seq2seq_constituency")
    assert USE not in buttons(page) and BACK not in buttons(page)
    select(page, "Parse (of the", 1)
    press(page, USE)
    assert USE not in buttons(page)
    assert "Parse, Search and Downloads show this parse." in [one.value for one in page.caption]
    for view in ("Parse", "Search", "Downloads"):
        look_at(page, view)
        assert [one.value for one in page.info] == [
            "You chose another parse of this sentence: tree number 2."
        ]
        assert BACK in buttons(page)
    look_at(page, "Parse")
    assert pictures(page)[0] == arcs and pictures(page)[1] != tree
    # Another sentence has its own parse, and says that this one has not.
    select(page, "Sentence (of 2)", 1)
    assert [one.value for one in page.info] == ["You chose another parse of sentence 1."]
    assert BACK not in buttons(page)
    select(page, "Sentence (of 2)", 0)
    press(page, BACK)
    assert pictures(page) == [arcs, tree]
    assert not page.info and BACK not in buttons(page)


def test_the_list_goes_back_too(page: Any) -> None:
    choose_second_tree(page)
    press(page, BACK)
    assert BACK not in buttons(page)
    look_at(page, "Parse")
    assert not page.info


def test_downloads_have_the_chosen_parse(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[str, bytes] = {}

    def offer(title: str, data: bytes, name: str, *args: object, **settings: object) -> None:
        found[name] = data

    monkeypatch.setattr("streamlit.download_button", offer)
    look_at(page, "Downloads")
    before = dict(found)
    choose_second_tree(page)
    look_at(page, "Downloads")
    for name, data in before.items():
        changed = name in ("parse.ptb", "parse.json", "tree-1.svg")
        assert (found[name] != data) == changed, name
    assert {"parse.conllu", "arcs-1.svg", "tree-1.svg"} < set(before)


def test_another_text_forgets_it(page: Any) -> None:
    choose_second_tree(page)
    look_at(page, "Parse")
    assert page.info
    parse_text(page, "Old dogs sleep .")
    assert not page.info
    parse_text(page, TEXT)
    assert not page.info

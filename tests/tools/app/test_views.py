"""The views of the page, by Streamlit's own test runner."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

pytest.importorskip("streamlit", reason="needs streamlit: python -m pip install -e '.[app]'")

from spacy_structparse.tools.app import page as app_page
from tests.helpers.both_parsers import both_parsers
from tests.helpers.paths import ROOT, SAVED

TEXT = "The cook stirs the soup . Old dogs sleep ."


TREES = str(SAVED / "trees_in_order_probabilistic")


def script(model: str, other: str) -> None:
    from spacy_structparse.tools.app.page import show_page

    show_page([model, other], 1000)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline of both kinds of parsers."""
    nlp = both_parsers(SAVED / "spa_bot_biaffine", SAVED / "trees_bottom_up_datt")
    folder = tmp_path_factory.mktemp("both") / "model"
    nlp.to_disk(folder)
    return folder


@pytest.fixture
def page(model: Path) -> Any:
    from streamlit.testing.v1 import AppTest

    page = AppTest.from_function(
        script, default_timeout=120, kwargs={"model": str(model), "other": TREES}
    )
    page.run()
    page.text_area[0].set_value(TEXT)
    [button] = [one for one in page.button if one.label == "Parse"]
    button.click().run()
    assert not page.exception
    return page


def look_at(page: Any, view: str) -> None:
    page.segmented_control[0].set_value(view).run()
    assert not page.exception


def select(page: Any, label: str, value: object) -> None:
    [box] = [one for one in page.selectbox if one.label.startswith(label)]
    box.set_value(value).run()
    assert not page.exception


def pictures(page: Any) -> list[str]:
    return [json.loads(one.proto.json)["html"] for one in page.get("bidi_component")]


def test_other_parses_of_both_parsers(page: Any) -> None:
    assert len(pictures(page)) == 2
    look_at(page, "Other parses")
    drawn = set()
    for component in ("seq2seq_constituency", "spa_dep"):
        select(page, "Component", component)
        for place in (0, 1):
            select(page, "Parse (of the", place)
            drawn |= set(pictures(page))
    assert len(drawn) == 4


def test_without_the_tool_of_search_there_is_no_view_of_it(
    page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Search" in page.segmented_control[0].options
    monkeypatch.setattr(app_page, "HAS_SEARCH", False)
    page.run()
    assert "Search" not in page.segmented_control[0].options


def html_of(page: Any) -> str:
    return " ".join([*(one.body for one in page.html), *pictures(page)])


def test_two_pipelines_side_by_side_and_confidence(page: Any) -> None:
    before = pictures(page)
    page.toggle[0].set_value(True).run()
    assert not set(pictures(page)) & set(before)
    select(page, "Compare with", TREES)
    select(page, "Sentence", 1)
    assert "In only one of the two: " in page.caption[0].value
    assert len(pictures(page)) == 3  # arcs and a tree, and the other's tree


def test_attention_search_and_corrections(page: Any) -> None:
    look_at(page, "Attention")
    assert "deterministic attention" in html_of(page) and "label-" in html_of(page)
    look_at(page, "Search")
    for pattern, shown in (("S << NP=found", "found = "), ("S << (NP", "column 9")):
        page.text_input[0].set_value(pattern).run()
        assert shown in html_of(page) + " ".join(one.value for one in page.code)
    look_at(page, "Correct")
    before = pictures(page)
    [tree] = [one for one in page.text_area if one.label == "Brackets"]
    tree.set_value(tree.value.replace("(", "(X", 1)).run()
    assert not page.exception and len(pictures(page)) == 2
    assert [a == b for a, b in zip(before, pictures(page), strict=True)] == [True, False]
    tree.set_value("(X y)").run()
    assert page.error and len(pictures(page)) == 1


def test_a_shared_address_has_text_and_pipeline_and_examples_replace_the_text(model: Path) -> None:
    from streamlit.testing.v1 import AppTest

    page = AppTest.from_function(
        script, default_timeout=120, kwargs={"model": str(model), "other": TREES}
    )
    page.query_params["text"], page.query_params["pipeline"] = "Dogs bark .", TREES
    page.run()
    [drawn] = pictures(page)
    assert "Dogs bark ." in drawn
    example = next(one for one in page.selectbox if one.label == "Example")
    example.set_value(example.options[0]).run()
    assert not page.exception and page.text_area[0].value == example.options[0]
    assert drawn not in pictures(page)


def test_html_is_text_and_a_long_text_is_refused(page: Any) -> None:
    for text in ("<script>attack()</script> ![a](b) barks", "word " * 300):
        page.text_area[0].set_value(text)
        [button] = [one for one in page.button if one.label == "Parse"]
        button.click().run()
        assert not page.exception and "<script" not in html_of(page)
    assert page.error[0].value == "Nothing was parsed" and "1,000" in page.code[0].value


@pytest.mark.slow
def test_the_page_is_served() -> None:
    command = [sys.executable, "-m", "spacy_structparse", "app", TREES, "--no-browser"]
    command += ["--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            said = (re.search(r"http://127\.0\.0\.1:\d+", line) for line in server.stdout)
            address = next(filter(None, said))[0]
            with urlopen(f"{address}/_stcore/health", timeout=60) as answer:
                assert answer.read() == b"ok"
        finally:
            server.kill()  # it has nothing to finish

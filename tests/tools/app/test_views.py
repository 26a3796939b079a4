"""The views of the page, by Streamlit's own test runner."""

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("streamlit", reason="needs streamlit: python -m pip install -e '.[app]'")

from spacy_structparse.tools.app import page as app_page
from tests.helpers.both_parsers import both_parsers
from tests.helpers.paths import SAVED

TEXT = "The cook stirs the soup . Old dogs sleep ."


def script(model: str) -> None:
    from spacy_structparse.tools.app.page import show_page

    show_page([model], 1000)


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

    page = AppTest.from_function(script, default_timeout=120, kwargs={"model": str(model)})
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
    return [one for html in page.html for one in re.findall(r"base64,([^\"]*)", html.body)]


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

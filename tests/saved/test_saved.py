"""Pipelines that earlier code saved load, and parse as they did then (see ``make.py``)."""

import json
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language

from tests.helpers.saved_outputs import difference, numbers_of, parses_of

DATA = Path(__file__).resolve().parent / "data"
PIPELINES = sorted(path.name for path in DATA.iterdir() if path.is_dir())


@pytest.fixture(scope="module", params=PIPELINES)
def saved(request: pytest.FixtureRequest) -> tuple[Language, dict[str, Any]]:
    """A saved pipeline, loaded, and what it gave when it was saved."""
    folder = DATA / request.param
    return spacy.load(folder), json.loads((folder / "expected.json").read_text(encoding="utf-8"))


def test_parses_are_those_of_then(saved: tuple[Language, dict[str, Any]]) -> None:
    nlp, expected = saved
    assert difference(parses_of(nlp, expected["docs"]), expected["parses"]) is None


def test_losses_and_probabilities_are_those_of_then(
    saved: tuple[Language, dict[str, Any]],
) -> None:
    nlp, expected = saved
    found = numbers_of(nlp, expected["docs"])
    assert difference(found, {name: expected[name] for name in found}) is None


def test_bytes_keep_the_parses(saved: tuple[Language, dict[str, Any]]) -> None:
    nlp, expected = saved
    loaded = spacy.util.load_model_from_config(nlp.config).from_bytes(nlp.to_bytes())
    assert difference(parses_of(loaded, expected["docs"]), expected["parses"]) is None

"""Pipelines that several tests of commands parse with."""

from pathlib import Path

import pytest

from tests.helpers.both_parsers import both_parsers
from tests.helpers.fake_parsers import saved
from tests.helpers.paths import SAVED


@pytest.fixture(scope="session")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Trained parsers of both kinds."""
    nlp = both_parsers(SAVED / "spa_bot_biaffine", SAVED / "trees_in_order_datt")
    folder = tmp_path_factory.mktemp("both") / "model"
    nlp.to_disk(folder)
    return folder


@pytest.fixture(scope="session")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Parsers by rule of both kinds."""
    return saved(tmp_path_factory.mktemp("fake") / "model", "fake_heads", "fake_trees")

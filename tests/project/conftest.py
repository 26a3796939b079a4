"""A small corpus and a pipeline trained on it for two updates, made once."""

from collections.abc import Callable
from pathlib import Path

import pytest
import spacy.cli  # noqa: F401  (puts spaCy's own commands on the app)
from spacy.cli._util import app
from spacy.cli.train import train
from typer.testing import CliRunner

import spacy_structparse.cli  # noqa: F401  (and ours)
from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.once import made_once
from tests.helpers.paths import PARALLEL, ROOT

Command = Callable[..., str]


@pytest.fixture(scope="session")
def command() -> Command:
    """Runs `spacy …` in this process and gives its output; the test fails if it does."""

    def run(*args: str | Path, fails: bool = False) -> str:
        result = CliRunner().invoke(app, [str(arg) for arg in args])
        assert (result.exit_code != 0) == fails, (result.output, result.exception)
        return result.output

    return run


@pytest.fixture(scope="session")
def corpus_paths(corpus: Path) -> dict[str, str]:
    """Where the corpus is, as config overrides."""
    dev = str(corpus / "dev.spacy")
    return {"paths.train": dev, "paths.dev": dev}


@pytest.fixture(scope="session")
def parallel_paths(shared_folder: Path, command: Command) -> dict[str, str]:
    """Where the sample of parallel text is, converted, as config overrides."""

    def make(folder: Path) -> None:
        for part in ("train", "dev"):
            pair = [PARALLEL / f"{part}.{language}" for language in ("de", "en")]
            command("structparse", "parallel", *pair, folder / f"{part}.spacy", "--lang", "de")

    folder = made_once(shared_folder / "parallel", make)
    return {f"paths.{part}": str(folder / f"{part}.spacy") for part in ("train", "dev")}


@pytest.fixture(scope="session")
def trained_by(
    shared_folder: Path, corpus_paths: dict[str, str], parallel_paths: dict[str, str]
) -> Callable[[str], Path]:
    """Trains a pipeline for two updates by a shipped config, once for all tests that ask for it."""

    def trained(name: str) -> Path:
        paths = parallel_paths if "translation" in name else corpus_paths
        config, overrides = ROOT / "configs" / f"{name}.cfg", {**FEW_STEPS, **paths}
        folder = made_once(
            shared_folder / f"trained-{name}", lambda made: train(config, made, overrides=overrides)
        )
        return folder / "model-last"

    return trained


@pytest.fixture(scope="session")
def model(trained_by: Callable[[str], Path]) -> Path:
    """A pipeline trained for two updates by the default config."""
    return trained_by("stack_lstm_dep")

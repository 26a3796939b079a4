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
from tests.helpers.paths import PARALLEL, ROOT, SAMPLE

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
def corpus(tmp_path_factory: pytest.TempPathFactory, command: Command) -> Path:
    """The sample treebank, converted."""
    folder = tmp_path_factory.mktemp("corpus")
    command("structparse", "convert", SAMPLE, folder, "--quiet")
    return folder


@pytest.fixture(scope="session")
def corpus_paths(corpus: Path) -> dict[str, str]:
    """Where the corpus is, as config overrides."""
    dev = str(corpus / "dev.spacy")
    return {"paths.train": dev, "paths.dev": dev}


@pytest.fixture(scope="session")
def parallel_paths(tmp_path_factory: pytest.TempPathFactory, command: Command) -> dict[str, str]:
    """Where the sample of parallel text is, converted, as config overrides."""
    folder = tmp_path_factory.mktemp("parallel")
    for part in ("train", "dev"):
        pair = [PARALLEL / f"{part}.{language}" for language in ("de", "en")]
        command("structparse", "parallel", *pair, folder / f"{part}.spacy", "--lang", "de")
    return {f"paths.{part}": str(folder / f"{part}.spacy") for part in ("train", "dev")}


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory, corpus_paths: dict[str, str]) -> Path:
    """A pipeline trained for two updates by the default config."""
    folder = tmp_path_factory.mktemp("model")
    train(ROOT / "configs" / "stack_lstm_dep.cfg", folder, overrides={**FEW_STEPS, **corpus_paths})
    return folder / "model-last"

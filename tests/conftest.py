"""Fixtures shared by all tests."""

import gc
import os
import stat
import zipfile

# A worker of pytest-xdist has a processor for itself. The setting is read on import.
os.environ["OMP_NUM_THREADS"] = "1"

from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from pathlib import Path

import catalogue
import pytest
import spacy.cli  # noqa: F401  (puts spaCy's own commands on the app)
import torch
from hypothesis import settings
from spacy.cli._util import app as spacy_app
from spacy.cli.train import train
from spacy.lang.en import English
from typer.testing import CliRunner

from spacy_structparse.cli import app
from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.once import made_once
from tests.helpers.paths import FRENCH, PARALLEL, PIPELINES, ROOT, SAMPLE

torch.set_num_threads(1)
# No test fails because the machine is slow.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
# Whenever a Doc is packed or unpacked, entry points are looked up. In a dict they are soon found.
catalogue.AVAILABLE_ENTRY_POINTS = {
    group: list(entry_points(group=group)) for group in entry_points().groups
}


ATTACKS = Path(__file__).parent / "attacks"
# Whole treebanks are read, and the pipelines in `assets/pipelines/` are loaded.
SLOW_FIXTURES = {"treebanks", "installed_pipelines"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == ATTACKS or SLOW_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    # What has been imported stays: the collector of garbage need not look at it again and again.
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def disk_is_not_waited_for() -> Iterator[None]:
    """Files are not brought to the disk: no test cuts the power. What is synced when is tested."""
    synchronize = os.fsync

    def fsync(descriptor: int) -> None:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            synchronize(descriptor)  # an error, where it cannot be synced

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        yield


@pytest.fixture(scope="session")
def treebanks() -> Path:
    """The folder of real treebanks (craft, ewt, gum); the test is skipped where it is absent."""
    path = Path(os.environ.get("STRUCTPARSE_TREEBANKS", ROOT.parent / "shared" / "treebanks"))
    if not (path / "craft").is_dir():
        pytest.skip(f"no treebanks at {path}: set STRUCTPARSE_TREEBANKS to their folder")
    return path


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of this run of pytest share, for `made_once`."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


def converted(treebank: Path, folder: Path) -> Path:
    """A treebank, converted once for all workers."""

    def make(folder: Path) -> None:
        result = CliRunner().invoke(app, ["convert", str(treebank), str(folder), "--quiet"])
        assert result.exit_code == 0, result.output

    return made_once(folder, make)


@pytest.fixture(scope="session")
def corpus(shared_folder: Path) -> Path:
    """The sample treebank, converted: `train.spacy`, `dev.spacy` and `test.spacy`."""
    return converted(SAMPLE, shared_folder / "corpus")


@pytest.fixture(scope="session")
def french(shared_folder: Path) -> Path:
    """The French sample, converted: `train.spacy` and `test.spacy`."""
    return converted(FRENCH, shared_folder / "french")


@pytest.fixture(scope="session")
def installed_pipelines(shared_folder: Path) -> Path:
    """A folder where the wheels of `assets/pipelines/` are unpacked, to be put on `sys.path`."""

    def unpack(folder: Path) -> None:
        for wheel in PIPELINES.glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)

    return made_once(shared_folder / "pipelines", unpack)


@pytest.fixture(scope="module")
def installed(installed_pipelines: Path) -> Iterator[None]:
    """These pipelines can be loaded by their names, in processes that are started too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(installed_pipelines)
        patch.setenv("PYTHONPATH", str(installed_pipelines))
        yield


@pytest.fixture(scope="module")
def plain_english() -> Iterator[None]:
    """English without the 1,300 words that its tokenizer splits, such as "don't".

    Adding them takes most of the time in which `spacy.blank("en")` makes a pipeline.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(English.Defaults, "tokenizer_exceptions", {})
        yield


Command = Callable[..., str]


@pytest.fixture(scope="session")
def command() -> Command:
    """Runs `spacy …` in this process and gives its output; the test fails if it does."""

    def run(*args: str | Path, fails: bool = False) -> str:
        result = CliRunner().invoke(spacy_app, [str(arg) for arg in args])
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

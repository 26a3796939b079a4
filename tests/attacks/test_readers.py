"""Who loads a pipeline while another process saves there gets one save, whole."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.pipeline import Sentencizer

from spacy_structparse.cli.loading import load_pipeline
from spacy_structparse.errors import WeightsError
from spacy_structparse.training.atomic_to_disk import load_whole, save_atomically

FIRST, SECOND = 1, 2


def pipeline(number: int, component: str = "sentencizer") -> Language:
    """A pipeline with its number in the files of config, meta and component."""
    nlp = spacy.blank("xx", config={"training": {"seed": number}})
    nlp.add_pipe("sentencizer", name=component, config={"punct_chars": [str(number)]})
    nlp.meta["version"] = f"{number}.0.0"
    return nlp


def numbers_of(nlp: Language) -> set[int]:
    (mark,) = nlp.get_pipe(nlp.pipe_names[0]).punct_chars  # type: ignore[attr-defined]
    return {nlp.config["training"]["seed"], int(nlp.meta["version"][0]), int(mark)}


def save_before_reading(monkeypatch: pytest.MonkeyPatch, save: Callable[[], object]) -> None:
    """Something saves when all but the component has been read."""
    read = Sentencizer.from_disk

    def from_disk(self: Sentencizer, *args: Any, **kwargs: Any) -> Sentencizer:
        save()
        return read(self, *args, **kwargs)

    monkeypatch.setattr(Sentencizer, "from_disk", from_disk)


@pytest.mark.parametrize("load", [load_whole, lambda path: load_pipeline(str(path))])
@pytest.mark.parametrize("component", ["sentencizer", "another"])
def test_replaced_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, load: Any, component: str
) -> None:
    """The files that are read next are there, or, with other components, are not."""
    save_atomically(pipeline(FIRST), tmp_path / "model")
    second = [pipeline(SECOND, component)]
    save_before_reading(
        monkeypatch, lambda: second and save_atomically(second.pop(), tmp_path / "model")
    )
    nlp = load(tmp_path / "model")
    assert numbers_of(nlp) == {SECOND}
    assert nlp.pipe_names == [component]


def test_replaced_without_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nlp = pipeline(FIRST)
    save_atomically(nlp, tmp_path / "model")
    save_before_reading(monkeypatch, lambda: save_atomically(nlp, tmp_path / "model"))
    with pytest.raises(OSError, match="model was replaced while it was read"):
        load_whole(tmp_path / "model")
    with pytest.raises(WeightsError, match="model was replaced while it was read"):
        load_pipeline(str(tmp_path / "model"))

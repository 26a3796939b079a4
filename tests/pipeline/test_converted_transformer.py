"""Pipelines of spacy-transformers: they load as before, and are converted."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from tests.helpers.pickles import holds_pickle
from tests.helpers.small_parser import NAME, add_parser, arcs, examples_of
from tests.helpers.tiny_bert import LISTENER, save_tiny_bert

pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")

TEXTS = ["The dog barks", "It sleeps"]


@pytest.fixture
def stock(tmp_path: Path) -> Language:
    """A pipeline whose transformer has spacy-transformers' own architecture."""
    folder = tmp_path / "bert"
    folder.mkdir()
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config={"model": {"name": save_tiny_bert(folder, ["the"])}})
    add_parser(nlp, "spa_dep", tok2vec=LISTENER)
    gold = Doc(nlp.vocab, words=["It", "barks"], heads=[1, 1], deps=["nsubj", "ROOT"])
    nlp.initialize(lambda: examples_of(nlp, [gold]))
    return nlp


def pickles(folder: Path) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if holds_pickle(path.read_bytes())]


def outputs(nlp: Language) -> list[Any]:
    return [(arcs(doc), doc._.trf_data) for doc in nlp.pipe(TEXTS)]


@pytest.mark.parametrize("replaced", [False, True])
def test_converted(stock: Language, tmp_path: Path, replaced: bool) -> None:
    from spacy_structparse.pipeline.transformer import convert_transformers

    if replaced:
        stock.replace_listeners("transformer", NAME, ["model.tok2vec"])
    expected = [arcs(doc) for doc in stock.pipe(TEXTS)]
    stock.to_disk(tmp_path / "stock")
    assert pickles(tmp_path / "stock")
    nlp = spacy.load(tmp_path / "stock")
    assert [arcs(doc) for doc in nlp.pipe(TEXTS)] == expected
    converted = convert_transformers(nlp, half="none")
    assert [arcs(doc) for doc in converted.pipe(TEXTS)] == expected
    converted.to_disk(tmp_path / "converted")
    assert not pickles(tmp_path / "converted")
    loaded = spacy.load(tmp_path / "converted")
    assert [arcs(doc) for doc in loaded.pipe(TEXTS)] == expected
    model = loaded.get_pipe_config("transformer")["model"]
    assert model["@architectures"] == "spacy-structparse.TransformerModel.v1"
    with pytest.raises(ValueError, match="has no transformer of spacy-transformers' arch"):
        convert_transformers(loaded)


def test_the_pickle_of_another_architecture_is_refused(stock: Language, tmp_path: Path) -> None:
    stock.to_disk(tmp_path / "stock")
    change = {
        "components.transformer.model.@architectures": "spacy-structparse.TransformerModel.v1"
    }
    with pytest.raises(ValueError, match=r"as a pickle.*convert_transformers"):
        spacy.load(tmp_path / "stock", config=change)

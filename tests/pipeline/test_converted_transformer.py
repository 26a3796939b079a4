"""Pipelines of spacy-transformers load as before; the architecture of this package refuses their
pickle."""

from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc

from tests.helpers.small_parser import add_parser, arcs, examples_of
from tests.helpers.tiny_bert import LISTENER, save_tiny_bert

pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")


def test_a_pickle_is_loaded_by_its_own_architecture_alone(tmp_path: Path) -> None:
    folder = tmp_path / "bert"
    folder.mkdir()
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config={"model": {"name": save_tiny_bert(folder, ["the"])}})
    add_parser(nlp, "spa_dep", tok2vec=LISTENER)
    gold = Doc(nlp.vocab, words=["It", "barks"], heads=[1, 1], deps=["nsubj", "ROOT"])
    nlp.initialize(lambda: examples_of(nlp, [gold]))
    nlp.to_disk(tmp_path / "stock")
    assert arcs(spacy.load(tmp_path / "stock")("It barks")) == arcs(nlp("It barks"))
    change = {
        "components.transformer.model.@architectures": "spacy-structparse.TransformerModel.v1"
    }
    with pytest.raises(ValueError, match=r"as a pickle.*TransformerModel\.v3"):
        spacy.load(tmp_path / "stock", config=change)

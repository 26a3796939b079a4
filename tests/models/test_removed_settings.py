"""Settings of earlier releases in the config of a pipeline."""

from typing import Any

import pytest
import spacy

EMBEDDING = {"@architectures": "spacy.HashEmbedCNN.v2", "width": 8, "depth": 1, "embed_size": 20}
EMBEDDING |= {"window_size": 1, "maxout_pieces": 2, "subword_features": False}
TOK2VEC = {"tok2vec": {**EMBEDDING, "pretrained_vectors": None}}
TRANSFORMER = {"name": "bert", "get_spans": {"@span_getters": "spacy-transformers.sent_spans.v1"}}
MEMORY = {"max_cells": 10_000_000, "mixed_precision": False}
REMOVED: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("phrasal_lm", "PhrasalLM", TOK2VEC, MEMORY),
    (
        "seq2seq_constituency",
        "Seq2Seq",
        TOK2VEC,
        {**MEMORY, "max_run": 10, "max_depth": 100},
    ),
    ("seq2seq_translation", "Translation", TOK2VEC, MEMORY),
    ("spa_dep", "SPA", TOK2VEC, MEMORY),
    ("stack_lstm_dep", "StackLSTM", TOK2VEC, {"mixed_precision": False}),
    ("tagger", "Tagger", TOK2VEC, {"nO": None, "normalize": False}),
    ("tok2vec", "Tok2VecBiLSTM", {"embed": TOK2VEC["tok2vec"]}, {"mixed_precision": False}),
    ("tok2vec", "Tok2VecBiSRU", {"embed": TOK2VEC["tok2vec"]}, {"mixed_precision": False}),
    ("transformer", "TransformerModel", TRANSFORMER, {"cache_mb": 0, "layers": "last"}),
]


@pytest.mark.parametrize(
    ("factory", "architecture", "given", "removed"), REMOVED, ids=[row[1] for row in REMOVED]
)
def test_the_default_loads_and_another_value_is_refused(
    factory: str, architecture: str, given: dict[str, Any], removed: dict[str, Any]
) -> None:
    if factory == "transformer":
        pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")
    model = {"@architectures": f"spacy-structparse.{architecture}.v1", **given}
    nlp = spacy.blank("en")
    nlp.add_pipe(factory, config={"model": {**model, **removed}})
    for name in removed:
        with pytest.raises(ValueError, match=f"{name} = 7: 0.2.0 has no such setting"):
            nlp.add_pipe(factory, "other", config={"model": {**model, name: 7}})

"""Settings of earlier releases in the config of a pipeline."""

from typing import Any

import pytest
import spacy
from spacy.util import registry

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
        {**MEMORY, "max_run": 10, "max_depth": 100, "label_smoothing": 0.0},
    ),
    (
        "seq2seq_translation",
        "Translation",
        TOK2VEC,
        {**MEMORY, "encoder_depth": 1, "decoder_depth": 1},
    ),
    ("spa_dep", "SPA", TOK2VEC, MEMORY),
    ("stack_lstm_dep", "StackLSTM", TOK2VEC, {"mixed_precision": False, "label_smoothing": 0.0}),
    ("tagger", "Tagger", TOK2VEC, {"nO": None, "normalize": False}),
    ("tok2vec", "Tok2VecBiLSTM", {"embed": TOK2VEC["tok2vec"]}, {"mixed_precision": False}),
    ("tok2vec", "TokenEmbedding", {}, {"word_attr": "ORTH"}),
    (
        "transformer",
        "TransformerModel",
        TRANSFORMER,
        {
            **{"cache_mb": 0, "layers": "last", "half": "none", "mixed_precision": False},
            "grad_scaler_config": {},
        },
    ),
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
        with pytest.raises(ValueError, match=f"{name} = 7"):
            nlp.add_pipe(factory, "other", config={"model": {**model, name: 7}})


@pytest.mark.parametrize(
    ("component", "removed"),
    [
        ("backoff_lemmatizer", {"backoff": "orth"}),
        ("lemma_table", {"min_freq": 1}),
        ("phrasal_lm", {"context_sentences": 0, "word_attr": "ORTH"}),
        ("spa_dep", {"min_label_freq": 1, "unique_labels": []}),
        ("stack_lstm_dep", {"min_label_freq": 1, "unique_labels": []}),
    ],
)
def test_of_components(component: str, removed: dict[str, Any]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe(component, config=removed)
    for name in removed:
        with pytest.raises(ValueError, match=f"{name} = 'other'"):
            nlp.add_pipe(component, "another", config={name: "other"})


@pytest.mark.parametrize(
    ("group", "name", "removed"),
    [
        ("optimizers", "Adam", {"beta1": 0.9, "eps": 1e-8, "L2_is_weight_decay": True}),
        (
            "optimizers",
            "AdaDelta",
            {"learn_rate": 1.0, "L2": 0.0, "grad_clip": 0.0, "use_averages": False, "rho": 0.95},
        ),
        ("callbacks", "rates_by_component", {"callback": None}),
        ("callbacks", "atomic_to_disk", {"callback": None}),
        ("callbacks", "continue_from", {"components": None}),
        ("readers", "ParallelCorpus", {"target_lang": None, "max_length": 0, "limit": 0}),
    ],
)
def test_of_training(group: str, name: str, removed: dict[str, Any]) -> None:
    section = {f"@{group}": f"spacy-structparse.{name}.v1"}
    section |= {"path": "model"} if name == "continue_from" else {}
    section |= {"source": "a", "target": "b"} if name == "ParallelCorpus" else {}
    registry.resolve({"it": {**section, **removed}})
    for setting in removed:
        with pytest.raises(ValueError, match=f"{setting} = 7"):
            registry.resolve({"it": {**section, setting: 7}})

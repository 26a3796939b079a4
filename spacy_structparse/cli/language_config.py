"""The config of a pipeline for a treebank, and the updates that a time allows, for `train`."""

import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from confection import Config
from spacy.language import Language
from spacy.schemas import ConfigSchemaTraining
from spacy.tokens import Doc
from spacy.training.loop import (
    create_evaluation_callback,
    create_train_batches,
    train_while_improving,
)
from spacy.util import (
    get_lang_class,
    load_config_from_str,
    registry,
    resolve_dot_names,
    set_dot_to_object,
)
from spacy.vocab import Vocab

from ..corpora.docbins import read_docs
from ..trees.span_group import SPANS_KEY
from .compose_config import read_config

# What Docs must have for a component to be trained.
NEEDS = {
    "tagger": "TAG",
    "morphologizer": "POS",
    "lemma_table": "LEMMA",
    "trainable_lemmatizer": "LEMMA",
    "spa_dep": "DEP",
    "seq2seq_constituency": SPANS_KEY,
}
SCORES_OF = {
    "tagger": "tag_",
    "morphologizer": "morph_",
    "trainable_lemmatizer": "lemma_",
    "spa_dep": "dep_",
    "seq2seq_constituency": "const_",
}
"""How the names of a component's scores begin."""
ANY_LANGUAGE = "xx"
MULTILINGUAL, ON_THE_HUB = "multilingual", "intfloat/multilingual-e5-small"
FETCHED = Path("assets/encoders/multilingual")
"""Where `spacy project run encoder-multilingual` puts this transformer."""
UNTIMED, TIMED = 3, 12
SCORES = 8
"""How often a training is scored on the development part."""


def language_config(train: Path, lang: str, seed: int, encoder: str) -> Config:
    """Make the config of a pipeline with a component for each annotation of a treebank.

    Args:
        train: The training part, a `.spacy` file.
        lang: The code of a language; one that spaCy does not know is "xx" in the config.
        seed: The seed of the training.
        encoder: A transformer: a folder, a name of the Hugging Face hub, or `MULTILINGUAL`. "none":
            the pipeline learns its embedding from the treebank alone.

    Raises:
        ValueError: The treebank has neither dependencies nor trees.
    """
    name = "language" if encoder == "none" else "language_trf"
    config = load_config_from_str(read_config(name, None), interpolate=False)
    if encoder == MULTILINGUAL:
        encoder = str(FETCHED.resolve()) if FETCHED.exists() else ON_THE_HUB
    if encoder != "none":
        config["paths"]["transformer"] = encoder
    config["nlp"]["lang"] = lang if _is_known(lang) else ANY_LANGUAGE
    config["system"]["seed"] = seed
    docs = list(read_docs(train, Vocab()))
    missing = [name for name, needed in NEEDS.items() if not any(_has(doc, needed) for doc in docs)]
    if {"spa_dep", "seq2seq_constituency"} <= set(missing):
        raise ValueError(f"{train} has neither dependencies nor trees: there is nothing to parse")
    for name in missing:
        config["nlp"]["pipeline"].remove(name)
        del config["components"][name]
    weights = config["training"]["score_weights"]
    unscored = tuple(SCORES_OF[name] for name in missing if name in SCORES_OF)
    weights |= {score: None for score in weights if score.startswith(unscored)}
    config["nlp"]["tokenizer"] = tokenizer_config(docs)
    return config


def tokenizer_config(docs: Sequence[Doc]) -> dict[str, Any]:
    """Choose the tokenizer for the Docs of a treebank: a wider one if there are few spaces."""
    known = [doc for doc in docs if not doc.has_unknown_spaces]
    if not known:
        return {"@tokenizers": "spacy.Tokenizer.v1"}
    spaces = sum(bool(token.whitespace_) for doc in known for token in doc)
    has_spaces = spaces > sum(map(len, known)) / 2
    return {"@tokenizers": "spacy-structparse.segmenter.v1", "width": 64 if has_spaces else 128}


def _has(doc: Doc, annotation: str) -> bool:
    return annotation in doc.spans if annotation == SPANS_KEY else doc.has_annotation(annotation)


def _is_known(lang: str) -> bool:
    try:
        get_lang_class(lang)
    except ImportError:
        return False
    return True


def updates_in(nlp: Language, seconds: float) -> int:
    """Measure how many updates of a pipeline a time allows, with scores on the development part.

    The pipeline is left as it was.

    Args:
        nlp: A pipeline that is initialized.
        seconds: The time for the training.
    """
    config = nlp.config.interpolate()
    training: dict[str, Any] = registry.resolve(config["training"], schema=ConfigSchemaTraining)
    corpora = [training["train_corpus"], training["dev_corpus"]]
    train_corpus, dev_corpus = resolve_dot_names(config, corpora)
    weights = nlp.to_bytes()
    start = time.perf_counter()
    create_evaluation_callback(nlp, dev_corpus, training["score_weights"])()
    scoring = (time.perf_counter() - start) * SCORES
    updates = train_while_improving(
        nlp,
        training["optimizer"],
        create_train_batches(nlp, train_corpus, training["batcher"], max_epochs=0),
        lambda: (0.0, {}),
        dropout=training["dropout"],
        accumulate_gradient=1,
        patience=0,
        max_steps=0,
        eval_frequency=UNTIMED + TIMED + 1,
        exclude=training["frozen_components"],
        annotating_components=training["annotating_components"],
        before_update=None,
    )
    for _ in islice(updates, UNTIMED):
        pass
    start = time.perf_counter()
    for _ in islice(updates, TIMED):
        pass
    per_update = (time.perf_counter() - start) / TIMED
    nlp.from_bytes(weights)
    return max(int((seconds - scoring) / per_update), SCORES)


def set_updates(config: Config, updates: int) -> None:
    """Let a training end after some updates, with a learning rate that falls to zero by then."""
    for name, value in {
        "training.max_steps": updates,
        "training.patience": 0,
        "training.eval_frequency": max(updates // SCORES, 1),
        "training.optimizer.learn_rate.total_steps": updates,
        "training.optimizer.learn_rate.warmup_steps": min(100, updates // 10),
    }.items():
        set_dot_to_object(config, name, value)

"""The config of a pipeline for a treebank, and the updates that a time allows, for `train`."""

import time
from collections.abc import Sequence
from inspect import signature
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import spacy
from confection import Config
from spacy.language import Language
from spacy.schemas import ConfigSchemaTraining
from spacy.tokens import Doc
from spacy.training.initialize import init_nlp
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
from ..files import folder_written_whole
from ..trees.span_group import SPANS_KEY
from .compose_config import language_of_spacy, read_config
from .messages import msg

# What Docs must have for a component to be trained, by its factory.
NEEDS = {
    "tagger": "TAG",
    "morphologizer": "POS",
    "lemma_table": "LEMMA",
    "trainable_lemmatizer": "LEMMA",
    "backoff_lemmatizer": "LEMMA",
    "spa_dep": "DEP",
    "stack_lstm_dep": "DEP",
    "seq2seq_constituency": SPANS_KEY,
}
SCORES_OF = {
    "tagger": "tag_",
    "morphologizer": "morph_",
    "trainable_lemmatizer": "lemma_",
    "backoff_lemmatizer": "lemma_",
    "spa_dep": "dep_",
    "stack_lstm_dep": "dep_",
    "seq2seq_constituency": "const_",
}
"""How the names of the scores of a factory's component begin."""
OF_SPACY = {"@tokenizers": "spacy.Tokenizer.v1"}
MULTILINGUAL, ON_THE_HUB = "multilingual", "intfloat/multilingual-e5-small"
FETCHED = Path("assets/encoders/multilingual")
"""Where `spacy project run encoder-multilingual` puts this transformer."""
LAYERS = 6
"""How many of its twelve layers are read: the last ones, which learned to compare sentences, make
parsers worse, and with few layers there is time for more updates."""
UNTIMED, TIMED = 3, 12
FEW_EPOCHS = 16
"""Of fewer epochs LSTMs learn less than convolutions, which read several times as many in the same
time. Of many, convolutions learn a small treebank by heart."""
CONVOLUTIONS: dict[str, dict[str, Any]] = {
    "tok2vec": {"@architectures": "spacy-structparse.Tok2VecCNN.v1", "width": 256, "depth": 5},
    "spa_dep": {"encoder": "cnn", "encoder_width": 128, "encoder_depth": 1},
    "seq2seq_constituency": {"encoder": "cnn", "encoder_width": 128, "encoder_depth": 1},
}
"""The settings of the models, by component, that read with convolutions in place of LSTMs."""
SCORES, SHARE_OF_SCORES = 8, 0.25
"""How often a training is scored on the development part, and the share of its time that this
takes, both at most. One score there is always."""


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
        config["components"]["transformer"]["model"]["transformer_config"] = {
            "num_hidden_layers": LAYERS
        }
    if encoder != "none":
        config["paths"]["transformer"] = encoder
    config["nlp"]["lang"] = language_of_spacy(lang)
    _drop_unknown(config)
    config["system"]["seed"] = seed
    docs = list(read_docs(train, Vocab()))
    drop_unlearned(config, docs, train)
    config["nlp"]["tokenizer"] = tokenizer_config(docs)
    return config


def read_by_convolutions(config: Config) -> None:
    """Make a config of `language_config` without a transformer read with convolutions, which need
    a lower dropout and bear a higher learning rate."""
    for name, settings in CONVOLUTIONS.items():
        if name in config["components"]:
            config["components"][name]["model"].update(settings)
    config["training"]["dropout"] = 0.15
    config["training"]["optimizer"]["learn_rate"]["initial_rate"] = 0.003


def initialized(config: Config, learned: Path, use_gpu: int) -> Language:
    """Initialize the pipeline of a config with a tokenizer that may have been learned before.

    The tokenizer takes most of the time of an initialization, and a config can have to be changed
    after one.

    Args:
        config: The config.
        learned: The folder of a pipeline that has the tokenizer alone. If it is not there, the
            tokenizer learns, and is saved there.
        use_gpu: The GPU, or -1 for the CPU.
    """
    with_tokenizer = config.copy()
    before = config["initialize"].get("before_init")
    if learned.exists() and not before:
        copied = {"@callbacks": "spacy.copy_from_base_model.v1", "tokenizer": str(learned)}
        with_tokenizer["initialize"]["before_init"] = {**copied, "vocab": None}
    nlp = init_nlp(with_tokenizer, use_gpu=use_gpu)
    nlp.config["initialize"]["before_init"] = before
    if not learned.exists():
        alone = spacy.blank("xx")  # a language's own tokenizer may need what is not installed
        alone.tokenizer = nlp.tokenizer
        alone.config["nlp"]["tokenizer"] = nlp.config["nlp"]["tokenizer"]
        with folder_written_whole(learned) as folder:
            alone.to_disk(folder)
    return nlp


def _drop_unknown(config: Config) -> None:
    """Leave out settings that a language's own component lacks, as the Japanese morphologizer."""
    lang = config["nlp"]["lang"]
    get_lang_class(lang)  # which registers its components
    for component in config["components"].values():
        factory = f"{lang}.{component['factory']}"
        if factory in registry.factories:
            arguments = signature(registry.factories.get(factory)).parameters
            for name in component.keys() - arguments.keys() - {"factory"}:
                del component[name]


def drop_unlearned(config: Config, docs: Sequence[Doc], source: Path) -> list[str]:
    """Leave out the components of a config whose annotation a treebank does not have.

    Args:
        config: A training config, not interpolated, which is changed.
        docs: The training part.
        source: Its file, for the error.

    Returns:
        The names of the components.

    Raises:
        ValueError: No parser is left.
    """
    factories = {name: part.get("factory", "") for name, part in config["components"].items()}
    needs = {name: NEEDS[factory] for name, factory in factories.items() if factory in NEEDS}
    missing = [name for name, layer in needs.items() if not any(_has(doc, layer) for doc in docs)]
    parsers = {name for name, layer in needs.items() if layer in ("DEP", SPANS_KEY)}
    if parsers and parsers <= set(missing):
        listed = " or ".join(sorted(parsers))
        raise ValueError(f"{source} has no annotation that {listed} learns from: nothing to parse")
    for name in missing:
        config["nlp"]["pipeline"].remove(name)
        del config["components"][name]
    weights = config["training"]["score_weights"]
    unscored = tuple(SCORES_OF[factories[name]] for name in missing if factories[name] in SCORES_OF)
    weights |= {score: None for score in weights if score.startswith(unscored)}
    return missing


def tokenizer_config(docs: Sequence[Doc]) -> dict[str, Any]:
    """Choose the tokenizer for the Docs of a treebank: a wider one if there are few spaces."""
    known = [doc for doc in docs if not doc.has_unknown_spaces]
    if not known:
        return OF_SPACY
    spaces = sum(bool(token.whitespace_) for doc in known for token in doc)
    has_spaces = spaces > sum(map(len, known)) / 2
    return {"@tokenizers": "spacy-structparse.segmenter.v1", "width": 64 if has_spaces else 128}


def _has(doc: Doc, annotation: str) -> bool:
    return annotation in doc.spans if annotation == SPANS_KEY else doc.has_annotation(annotation)


def say_language(lang: str) -> None:
    """Say that spaCy does not have a language, if so."""
    if (name := language_of_spacy(lang)) != lang:
        msg.info(f"spaCy has no language '{lang}': '{name}', of any language, is used")


class Fit(NamedTuple):
    """Lengths of a training that a time allows.

    Attributes:
        updates: The updates of a training.
        epochs: The epochs that they are.
        scores: How often the development part is scored meanwhile.
    """

    updates: int
    epochs: float
    scores: int


def updates_in(nlp: Language, seconds: float) -> Fit:
    """Measure how many updates of a pipeline a time allows.

    The development part is scored in this time, too, but not for more than a part of it. The
    pipeline is left as it was.

    Args:
        nlp: A pipeline that is initialized.
        seconds: The time for the training and this measurement.
    """
    start = time.perf_counter()
    config = nlp.config.interpolate()
    training: dict[str, Any] = registry.resolve(config["training"], schema=ConfigSchemaTraining)
    corpora = [training["train_corpus"], training["dev_corpus"]]
    train_corpus, dev_corpus = resolve_dot_names(config, corpora)
    weights, examples = nlp.to_bytes(), list(train_corpus(nlp))
    before_scores = time.perf_counter()
    create_evaluation_callback(nlp, dev_corpus, training["score_weights"])()
    scoring = time.perf_counter() - before_scores
    endless = create_train_batches(nlp, lambda nlp: examples, training["batcher"], max_epochs=0)
    batches = list(islice(endless, UNTIMED + TIMED))
    seen = [example for _, batch in batches for example in batch]
    before_alignments = time.perf_counter()
    for example in seen:  # spaCy aligns the tokens of an example in its first update alone
        _ = example.alignment
    aligning = (time.perf_counter() - before_alignments) * len(examples) / len(seen)
    updates = train_while_improving(
        nlp,
        training["optimizer"],
        batches,
        lambda: (0.0, {}),
        dropout=training["dropout"],
        accumulate_gradient=1,
        patience=0,
        max_steps=0,
        eval_frequency=UNTIMED + TIMED + 1,
        exclude=training["frozen_components"],
        annotating_components=training["annotating_components"],
        before_update=training["before_update"],
    )
    for _ in islice(updates, UNTIMED):
        pass
    before_updates = time.perf_counter()
    words = [info["words"] for _, info, _ in islice(updates, TIMED)][-1] / (UNTIMED + TIMED)
    per_update = (time.perf_counter() - before_updates) / TIMED
    nlp.from_bytes(weights)
    left = max(seconds - aligning - (time.perf_counter() - start), 0.0)
    scores = min(max(int(SHARE_OF_SCORES * left / scoring), 1), SCORES)
    fitting = max(int((left - scores * scoring) / per_update), scores)
    epochs = fitting * words / sum(len(example.reference) for example in examples)
    return Fit(fitting, epochs, scores)


def set_updates(config: Config, updates: int, scores: int) -> None:
    """Let a training end after some updates, with a learning rate that falls to zero by then, and
    score it some times."""
    for name, value in {
        "training.max_steps": updates,
        "training.patience": 0,
        "training.eval_frequency": max(updates // scores, 1),
        "training.optimizer.learn_rate.total_steps": updates,
        "training.optimizer.learn_rate.warmup_steps": min(100, updates // 10),
    }.items():
        set_dot_to_object(config, name, value)

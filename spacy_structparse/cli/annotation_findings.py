"""Annotation that spaCy's components of a config learn from, and that training data lack."""

from collections.abc import Callable
from dataclasses import dataclass

from ..corpora.statistics import CorpusStatistics
from .debug_findings import Findings
from .parser_settings import GivenConfig


@dataclass(frozen=True)
class _Layer:
    """What a component learns from.

    Attributes:
        name: Its name in messages.
        attributes: Where a Doc has it.
        missing: The number of words without it.
        is_counted_elsewhere: Words without it are warned of for every config.
    """

    name: str
    attributes: str
    missing: Callable[[CorpusStatistics], int]
    is_counted_elsewhere: bool = False


_LEMMAS = _Layer("lemmas", "token.lemma", lambda corpus: corpus.words_without_lemma)
# spaCy's E143 at the initialization, where no word has the layer, names none of this.
_LAYERS = {
    "tagger": _Layer(
        "tags", "token.tag", lambda corpus: corpus.words_without_tag, is_counted_elsewhere=True
    ),
    "morphologizer": _Layer(
        "parts of speech and morphological features",
        "token.pos, token.morph",
        lambda corpus: corpus.words_without_morphology,
    ),
    "trainable_lemmatizer": _LEMMAS,
    "backoff_lemmatizer": _LEMMAS,
}


def judge_components(given: GivenConfig, train: CorpusStatistics, findings: Findings) -> None:
    """Add what the components of a config lack."""
    path, config = given.path, given.content
    pipeline, components = config.get("nlp", {}).get("pipeline", []), config.get("components", {})
    if not pipeline:
        findings.errors.append(f"{path} has no components: name them in [nlp] pipeline")
    for name in pipeline:
        if name not in components:
            findings.errors.append(
                f"{path} has no section [components.{name}] for the {name} of [nlp] pipeline"
            )
    frozen = config.get("training", {}).get("frozen_components", [])
    for name in pipeline:
        # One with a source has learned already.
        layer = _LAYERS.get(components.get(name, {}).get("factory", ""))
        if layer is not None and name not in frozen and train.words:
            _judge_layer(name, layer, train, findings)


def _judge_layer(name: str, layer: _Layer, train: CorpusStatistics, findings: Findings) -> None:
    missing = layer.missing(train)
    if missing == train.words:
        findings.errors.append(
            f"train has no {layer.name} ({layer.attributes}), which {name} learns from: convert a "
            f"treebank that has them, or train without {name}"
        )
    elif missing and not layer.is_counted_elsewhere:
        findings.warnings.append(
            f"train: {missing} of {train.words} words have no {layer.name}, which {name} learns "
            "from"
        )

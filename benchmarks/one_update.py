"""Single updates of a pipeline, as `spacy train` makes them."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from spacy.language import Language
from spacy.schemas import ConfigSchemaTraining
from spacy.training import Example
from spacy.util import registry, resolve_dot_names


def training_and_corpus(
    nlp: Language,
) -> tuple[dict[str, Any], Callable[[Language], Iterable[Example]]]:
    """The resolved section ``[training]`` of a pipeline's config, and its training corpus."""
    config = nlp.config.interpolate()
    training = registry.resolve(config["training"], schema=ConfigSchemaTraining)
    (corpus,) = resolve_dot_names(config, [training["train_corpus"]])
    return training, corpus


def update_once(
    nlp: Language, batch: list[Example], training: Mapping[str, Any], step: int
) -> dict[str, float]:
    """Update a pipeline on one batch.

    Args:
        nlp: The pipeline.
        batch: The examples.
        training: The resolved section ``[training]`` of its config.
        step: The number of updates before this one.

    Returns:
        The losses by component.
    """
    if training["before_update"] is not None:
        training["before_update"](nlp, {"step": step, "epoch": 0})
    losses = nlp.update(
        batch,
        drop=training["dropout"],
        sgd=training["optimizer"],
        exclude=training["frozen_components"],
        annotates=training["annotating_components"],
    )
    training["optimizer"].step_schedules()
    return losses

"""One update of a pipeline, as `spacy train` makes it."""

from collections.abc import Mapping
from typing import Any

from spacy.language import Language
from spacy.training import Example


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
    return nlp.update(
        batch,
        drop=training["dropout"],
        sgd=training["optimizer"],
        exclude=training["frozen_components"],
        annotates=training["annotating_components"],
    )

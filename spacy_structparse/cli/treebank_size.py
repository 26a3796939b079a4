"""The settings of a training config that depend on the size of the treebank."""

import math
from typing import Any

from confection import Config

FULL_SIZE = 100_000
"""Words from which on the shipped configs suit a treebank as they are."""

BATCHES_PER_EPOCH = 12
EPOCHS = 30
EPOCHS_BETWEEN_SCORES = 5
MIN_WORDS = 100
MIN_RANGE = 8
DECAY_PER_EPOCH = 0.1  # Dyer et al. (2015), section 4
LEARN_RATE = "training.optimizer.learn_rate"


def settings_for_size(
    config: Config, words: int, docs: int, full_size: int = FULL_SIZE
) -> dict[str, Any]:
    """The settings of a config that change for the size of a treebank.

    A treebank of `full_size` words is trained on as the config says; one so small that a dozen
    batches hold it for 30 epochs. In between the numbers of updates grow with a power of the number
    of words, so that treebanks of nearly the same size have nearly the same training.

    No batch becomes larger, and no training longer. A setting without a number in the config stays
    as it is. A `decaying.v1` learning rate decays by the same share in an epoch of any treebank.

    Args:
        config: A training config.
        words: Number of tokens in the training part.
        docs: Number of Docs in it, for configs that count batches in Docs.
        full_size: Number of tokens from which on nothing is made smaller.

    Returns:
        The new values by dotted name, such as ``training.max_steps``.
    """
    batcher_name, batcher = find_batcher(config)
    in_words = counts_words(batcher)
    least, content = (MIN_WORDS, words) if in_words else (1, docs)
    batch, sizes = _batch_size(batcher)
    size = max(least, content // BATCHES_PER_EPOCH)
    size = size if batch is None else min(size, batch)
    changes: dict[str, Any] = {}
    if words < full_size:
        updates_per_epoch = min(BATCHES_PER_EPOCH, max(1, content // size))
        share = _share(content, size * updates_per_epoch, content * full_size / max(words, 1))
        changes = {f"{batcher_name}.{name}": size for name in sizes}
        for name, epochs in _lengths(config).items():
            changes[name] = _between(updates_per_epoch * epochs, _number(config, name) or 0, share)
        changes = {name: value for name, value in changes.items() if _lower(config, name, value)}
        changes |= _unknown_words(config)
    return changes | _decay(config, max(1.0, content / size))


def _lengths(config: Config) -> dict[str, int]:
    """The settings that count updates, with the epochs that they last on a small treebank."""
    lengths = {
        "training.max_steps": EPOCHS,
        "training.patience": EPOCHS,
        "training.eval_frequency": EPOCHS_BETWEEN_SCORES,
    }
    schedule = config.get("training", {}).get("optimizer", {}).get("learn_rate")
    if isinstance(schedule, dict) and schedule.get("@schedules") == "warmup_linear.v1":
        lengths[f"{LEARN_RATE}.warmup_steps"] = EPOCHS_BETWEEN_SCORES
        lengths[f"{LEARN_RATE}.total_steps"] = EPOCHS
    return lengths


def find_batcher(config: Config) -> tuple[str, dict[str, Any]]:
    """The section of the innermost batcher, whose batches another one may reorder, and its name."""
    name, batcher = "training.batcher", config.get("training", {}).get("batcher", {})
    while "batcher" in batcher:
        name, batcher = f"{name}.batcher", batcher["batcher"]
    return name, batcher


def counts_words(batcher: dict[str, Any]) -> bool:
    """Whether the size of a batcher's batches is a number of words, with or without padding, and
    not of Docs."""
    name = str(batcher.get("@batchers"))
    return "words" in name or "padded" in name


def _batch_size(batcher: dict[str, Any]) -> tuple[int | None, tuple[str, ...]]:
    """The largest batch, and the settings that hold the size."""
    batch = batcher.get("size")
    if isinstance(batch, dict):  # a schedule, such as compounding.v1
        return batch.get("stop"), ("size.start", "size.stop")
    return (batch if isinstance(batch, int) else None), ("size",)


def _share(content: float, least: float, full: float) -> float:
    """How far a treebank is from a small one, 0, to a full one, 1, by the logarithm of its size."""
    least = min(least, full / MIN_RANGE)
    return min(max(math.log(content / least) / math.log(full / least), 0.0), 1.0)


def _between(small: int, full: int, share: float) -> int:
    """The number of updates between those for a small treebank and those for a full one."""
    if full > 0:
        return round(small * max(full / small, 1.0) ** share)
    return round(small / (1.0 - share))  # without limit on a full one


def _number(config: Config, name: str) -> int | None:
    """A setting's number; None where it has none."""
    present: Any = config
    for part in name.split("."):
        present = present.get(part) if isinstance(present, dict) else None
    return present if isinstance(present, int) else None


def _lower(config: Config, name: str, value: int) -> bool:
    present = _number(config, name)
    unlimited = present == 0 and name in ("training.max_steps", "training.patience")
    return present is not None and (value < present or unlimited)


def _decay(config: Config, updates_per_epoch: float) -> dict[str, float]:
    """The decay per update, where it is not about right."""
    schedule = config.get("training", {}).get("optimizer", {}).get("learn_rate")
    if not isinstance(schedule, dict) or schedule.get("@schedules") != "decaying.v1":
        return {}
    decay = float(f"{DECAY_PER_EPOCH / updates_per_epoch:.2g}")
    if math.isclose(decay, schedule.get("decay", 0.0), rel_tol=0.1):
        return {}
    return {f"{LEARN_RATE}.decay": decay}


def _unknown_words(config: Config) -> dict[str, Any]:
    """The settings with which language models learn about an unknown word."""
    found: dict[str, Any] = {}
    for name, component in config.get("components", {}).items():
        if component.get("factory") == "phrasal_lm":
            embedding = component.get("model", {}).get("tok2vec", {})
            for section, settings in (("", component), ("model.tok2vec.", embedding)):
                if settings.get("min_freq") == 1:
                    found[f"components.{name}.{section}min_freq"] = 2
    return found

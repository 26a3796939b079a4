"""The settings of a training config that depend on the size of the treebank."""

import math
from pathlib import Path
from typing import Any

from confection import Config
from spacy.util import dict_to_dot, set_dot_to_object
from spacy.vocab import Vocab

from ..corpora.docbins import read_docs

# Words from which on the shipped configs suit a treebank as they are.
FULL_SIZE = 100_000

BATCHES_PER_EPOCH = 12
EPOCHS = 30
EPOCHS_BETWEEN_SCORES = 5
MIN_WORDS = 100
MIN_RANGE = 8
LEARN_RATE = "training.optimizer.learn_rate"
# The settings that count updates, with the epochs that they last on a small treebank.
LENGTHS = {
    "training.max_steps": EPOCHS,
    "training.patience": EPOCHS,
    "training.eval_frequency": EPOCHS_BETWEEN_SCORES,
    f"{LEARN_RATE}.warmup_steps": EPOCHS_BETWEEN_SCORES,
    f"{LEARN_RATE}.total_steps": EPOCHS,
}


def fit_config(config: Config, train: Path) -> tuple[int, dict[str, Any]]:
    """Change a config, in place, for the size of a treebank.

    Args:
        config: A training config, not interpolated.
        train: The training part: a `.spacy` file or a folder of them.

    Returns:
        The number of words in it, and the settings that were changed, see `settings_for_size`.
    """
    lengths = [len(doc) for doc in read_docs(train, Vocab(), spans=False)]
    changes = settings_for_size(config, sum(lengths), len(lengths))
    for name, value in changes.items():
        set_dot_to_object(config, name, value)
    return sum(lengths), changes


def settings_for_size(config: Config, words: int, docs: int) -> dict[str, Any]:
    """The settings of a config that change for the size of a treebank.

    A treebank of `FULL_SIZE` words is trained on as the config says; one so small that a dozen
    batches hold it for 30 epochs. In between the numbers of updates grow with a power of the number
    of words, so that treebanks of nearly the same size have nearly the same training.

    No batch becomes larger, and no training longer. A setting without a number in the config stays
    as it is.

    Args:
        config: A training config.
        words: Number of tokens in the training part.
        docs: Number of Docs in it, for configs that count batches in Docs.

    Returns:
        The new values by dotted name, such as ``training.max_steps``.
    """
    if words >= FULL_SIZE:
        return {}
    settings = dict_to_dot(config)
    batcher = "training.batcher"
    while f"{batcher}.batcher.@batchers" in settings:  # it reorders the batches of another
        batcher += ".batcher"
    in_docs = "sequence" in str(settings.get(f"{batcher}.@batchers"))
    least, content = (1, docs) if in_docs else (MIN_WORDS, words)
    # One size, or those of a schedule such as compounding.v1.
    sizes = [f"{batcher}.size{end}" for end in ("", ".start", ".stop")]
    size = max(least, content // BATCHES_PER_EPOCH)
    present = [settings[name] for name in sizes if isinstance(settings.get(name), int)]
    size = min([size, *present[-1:]])
    updates_per_epoch = min(BATCHES_PER_EPOCH, max(1, content // size))
    share = _share(content, size * updates_per_epoch, content * FULL_SIZE / max(words, 1))
    changes: dict[str, Any] = dict.fromkeys(sizes, size)
    for name, epochs in LENGTHS.items():
        full = settings.get(name)
        updates = updates_per_epoch * epochs
        changes[name] = _between(updates, full if isinstance(full, int) else 0, share)
    lower = {name: n for name, n in changes.items() if _is_lower(name, n, settings.get(name))}
    return lower | _unknown_words(config, settings)


def _share(content: float, least: float, full: float) -> float:
    """The size of a treebank between a small one, 0, and a full one, 1, on a logarithmic scale."""
    least = min(least, full / MIN_RANGE)
    return min(max(math.log(content / least) / math.log(full / least), 0.0), 1.0)


def _between(small: int, full: int, share: float) -> int:
    """The number of updates between those for a small treebank and those for a full one."""
    if full > 0:
        return round(small * max(full / small, 1.0) ** share)
    return round(small / (1.0 - share))  # without limit on a full one


def _is_lower(name: str, value: int, present: Any) -> bool:
    unlimited = present == 0 and name in ("training.max_steps", "training.patience")
    return isinstance(present, int) and (value < present or unlimited)


def _unknown_words(config: Config, settings: dict[str, Any]) -> dict[str, int]:
    """The settings with which language models learn about an unknown word."""
    names = [
        f"components.{name}.{section}min_freq"
        for name, component in config.get("components", {}).items()
        if component.get("factory") == "phrasal_lm"
        for section in ("", "model.tok2vec.")
    ]
    return {name: 2 for name in names if settings.get(name) == 1}

"""An estimate of the time that a training run takes: a few of its updates, timed."""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice, repeat
from pathlib import Path
from typing import Any

from confection import Config
from spacy.language import Language
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.util import registry

from ..training.one_update import training_and_corpus, update_once
from .treebank_size import counts_words, find_batcher

N_UPDATES = 5
MAX_SECONDS = 15.0
MAX_DOCS = 2_000
FROM_TRAIN = ("train", "dev", "tags")
OPTIONAL_PATHS = ("vectors", "init_tok2vec")


@dataclass(frozen=True)
class TrainingTime:
    """What a training run takes.

    Attributes:
        updates: The limit of the config, or 1,000 if it has none.
        limited: The config has a limit.
        words_per_update: Words of an average batch.
        words_per_second: Words of the timed batches, by the seconds that they took.
        timed: The number of timed updates.
    """

    updates: int
    limited: bool
    words_per_update: float
    words_per_second: float
    timed: int

    @property
    def seconds(self) -> float:
        """The time of the updates."""
        return self.updates * self.words_per_update / self.words_per_second

    def __str__(self) -> str:
        most = "at most " if self.limited else ""
        return (
            f"{most}{_duration(self.seconds)} for {self.updates:,} updates of "
            f"{self.words_per_update:,.0f} words, at {self.words_per_second:,.0f} words/s "
            f"({self.timed} updates timed on this machine). Loading the data and scoring the "
            "development part come on top"
        )


def estimate_training(config: Config, train: Path, lengths: list[int]) -> TrainingTime:
    """Time a few updates of a config on a treebank, made as `spacy train` makes them.

    The model is built on the first Docs alone, so its vocabulary is smaller than in training.

    Args:
        config: A training config, not interpolated.
        train: The training part.
        lengths: The number of words in each of its Docs.

    Raises:
        ValueError: The config lacks the path of a file, or has no batches of a known size.
        Exception: The treebank is not one that a component can be trained on, for example.
    """
    config = config.copy()
    paths = config.setdefault("paths", {})
    paths |= {name: str(train) for name in FROM_TRAIN if paths.get(name, "") is None}
    unset = [name for name, path in paths.items() if path is None and name not in OPTIONAL_PATHS]
    if unset:
        raise ValueError(f"[paths] {', '.join(unset)} is null in the config")
    _, batcher = find_batcher(config)
    # An average batch, in words: 1,000 updates stand for a training run without a limit.
    limit = config["training"]["max_steps"]
    updates = limit or 1_000
    sizes = list(islice(_sizes(batcher), updates))
    average = sum(sizes) / len(sizes)
    if not counts_words(batcher):
        average *= sum(lengths) / len(lengths)
    average = min(average, sum(lengths))
    _limit_corpus(config)
    n_words, seconds, timed = _time_updates(init_nlp(config), average)
    return TrainingTime(updates, bool(limit), average, n_words / seconds, timed)


def _limit_corpus(config: Config) -> None:
    """Have the model built on a part of the treebank, if its reader can be limited."""
    corpus: Any = config
    for part in config["training"].get("train_corpus", "corpora.train").split("."):
        corpus = corpus.get(part, {})
    if corpus.get("limit") == 0:
        corpus["limit"] = MAX_DOCS


def _sizes(batcher: dict[str, Any]) -> Iterator[float]:
    """The sizes of the batches."""
    written: dict[str, Any] = {"size": batcher.get("size")}
    size = registry.resolve(written)["size"]
    if size is None:
        raise ValueError("[training.batcher] has no size")
    return repeat(size) if isinstance(size, int) else iter(size)


def _time_updates(nlp: Language, words_per_update: float) -> tuple[int, float, int]:
    """The words, the seconds and the number of some updates."""
    settings, corpus = training_and_corpus(nlp)
    examples = list(corpus(nlp))
    random.Random(0).shuffle(examples)
    n_words = timed = 0
    seconds = 0.0
    for number, batch in enumerate(islice(_batches(examples, words_per_update), N_UPDATES + 1)):
        started = time.perf_counter()
        update_once(nlp, batch, settings, number)
        if number == 0:
            continue  # it also allocates memory
        seconds += time.perf_counter() - started
        n_words += sum(map(len, batch))
        timed = number
        if seconds > MAX_SECONDS:
            break
    return n_words, seconds, timed


def _batches(examples: list[Example], words: float) -> Iterator[list[Example]]:
    """Batches of at least so many words, over and over."""
    batch: list[Example] = []
    n_words = 0
    for example in cycle(examples):
        batch.append(example)
        n_words += len(example)
        if n_words >= words:
            yield batch
            batch, n_words = [], 0


def _duration(seconds: float) -> str:
    """A duration to two digits, in the unit that suits it."""
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{float(f'{seconds / length:.2g}'):g} {unit}"
    return f"{float(f'{seconds:.2g}'):g} seconds"

"""`spacy structparse fit-config`: a training config for a small treebank."""

from pathlib import Path
from typing import Annotated, Any

import typer
from confection import Config
from spacy import util
from spacy.vocab import Vocab
from wasabi import Printer

from ..corpora.docbins import DocBinError, read_docs
from ..files import write_atomically
from .app import app

SMALL = 50_000
BATCHES_PER_EPOCH = 12
MIN_WORDS = 100
EPOCHS = 30
EPOCHS_BETWEEN_SCORES = 5


@app.command("fit-config")
def fit_config_cli(
    config: Annotated[Path, typer.Argument(help="A training config", exists=True, dir_okay=False)],
    train: Annotated[Path, typer.Argument(help="The .spacy file to train on", exists=True)],
    output: Annotated[Path, typer.Argument(help="The config to write", dir_okay=False)],
    small: Annotated[
        int, typer.Option("--small", help="Treebanks of fewer words than this are small")
    ] = SMALL,
) -> None:
    """Write a config that suits the size of a treebank.

    The shipped configs suit treebanks of 100,000 words and more. For a treebank that is not small
    the config is written unchanged. For a small one, batches are smaller, and warm-up and training
    are shorter; a phrasal_lm takes words that occur once as the unknown word, since its vocabulary
    would otherwise hold all words.
    """
    msg = Printer()
    try:
        lengths = [len(doc) for doc in read_docs(train, Vocab(), spans=False)]
        settings = util.load_config(config)
    except (DocBinError, OSError, ValueError) as error:
        msg.fail("No config was written", str(error), exits=1)
    words = sum(lengths)
    changes = small_treebank_settings(settings, words, len(lengths)) if words < small else {}
    for name, value in changes.items():
        *sections, key = name.split(".")
        section = settings
        for part in sections:
            section = section[part]
        section[key] = value
    write_atomically(output, settings.to_str().encode("utf-8"))
    listed = ", ".join(f"{name} = {value}" for name, value in changes.items())
    msg.good(f"{output}: {config} for {words:,} words, {listed or 'unchanged'}")


def small_treebank_settings(config: Config, words: int, docs: int) -> dict[str, Any]:
    """The settings of a config that change for a small treebank. No batch becomes larger, and no
    training longer. A setting without a number in the config stays as it is.

    Args:
        config: A training config.
        words: Number of tokens in the training part, for configs that count batches in words.
        docs: Number of Docs in the training part, for the others.

    Returns:
        The new values by dotted name, such as ``training.max_steps``.
    """
    training = config.get("training", {})
    batcher = training.get("batcher", {})
    in_words = "words" in str(batcher.get("@batchers"))
    least, content = (MIN_WORDS, words) if in_words else (1, docs)
    size = max(least, content // BATCHES_PER_EPOCH)
    batch = batcher.get("size")
    wanted = {"training.batcher.size": size}
    if isinstance(batch, dict):  # a schedule, such as compounding.v1
        wanted = {f"training.batcher.size.{end}": size for end in ("start", "stop")}
        batch = batch.get("stop")
    if isinstance(batch, int):
        size = min(size, batch)
    steps_per_epoch = max(1, content // size)
    wanted |= {
        "training.max_steps": EPOCHS * steps_per_epoch,
        "training.patience": EPOCHS * steps_per_epoch,
        "training.eval_frequency": EPOCHS_BETWEEN_SCORES * steps_per_epoch,
    }
    schedule = training.get("optimizer", {}).get("learn_rate")
    if isinstance(schedule, dict) and schedule.get("@schedules") == "warmup_linear.v1":
        prefix = "training.optimizer.learn_rate"
        wanted[f"{prefix}.warmup_steps"] = EPOCHS_BETWEEN_SCORES * steps_per_epoch
        wanted[f"{prefix}.total_steps"] = EPOCHS * steps_per_epoch
    lower = {name: value for name, value in wanted.items() if _is_lower(config, name, value)}
    return lower | _unknown_words(config)


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


def _is_lower(config: Config, name: str, value: int) -> bool:
    present: Any = config
    for part in name.split("."):
        present = present.get(part) if isinstance(present, dict) else None
    unlimited = present == 0 and name in ("training.max_steps", "training.patience")
    return isinstance(present, int) and (value < present or unlimited)

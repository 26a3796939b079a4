"""A GPU beside a CPU: losses of the same updates, and the speed of training and parsing.

    python -m benchmarks.gpu corpus/ewt --name ewt \\
        --config configs/stack_lstm_dep.cfg --config configs/spa_dep_trf.cfg \\
        --override paths.transformer=assets/encoders/minilm \\
        --pipeline stack_lstm_dep=training/ewt/stack_lstm_dep/model-best

Losses: a config's pipeline is initialized on the CPU and saved. A process for each device loads it
and updates it on the same batches, with what is drawn at random switched off, in single precision.
Speed: words/s of these updates, and words/s of trained pipelines through ``nlp.pipe``. The CPU
computes with one thread.
"""

import statistics
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import spacy
import torch
import typer
from confection import Config
from spacy.cli._util import parse_config_overrides
from spacy.util import fix_random_seed, load_config, load_model_from_config

from .one_update import training_and_corpus, update_once
from .options import Corpus, GpuId, Name, Overrides, named_values
from .record import Figures, write_result
from .timing import WARM_UP, count_words, docs_of, in_new_process, seconds_to_pipe

WARM_UPDATES = 5
"""Updates before the clock of training starts: the first ones compile kernels."""
NOT_RANDOM: dict[str, Any] = {
    "dropout": 0.0, "unk_prob": 0.0, "exploration": 0.0, "augmenter": None,
    "bfloat16": False,
}  # fmt: skip
"""Values of settings, wherever they stand in a config: two devices draw other random numbers."""
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
"""Settings of a transformer such as BERT."""


def without_randomness(config: Config) -> Config:
    """A copy of a config whose updates are the same on every device, but for rounding."""
    return Config(_replace(config))


def _replace(section: dict[str, Any]) -> dict[str, Any]:
    replaced: dict[str, Any] = {}
    for name, value in section.items():
        if name == "transformer_config":
            replaced[name] = NO_DROPOUT
        elif isinstance(value, dict):
            replaced[name] = _replace(value)
        else:  # in a model, "dropout" is a word: the place of it
            replaced[name] = value if isinstance(value, str) else NOT_RANDOM.get(name, value)
    return replaced


def save_initialized(config: Path, settings: dict[str, Any], output: Path) -> None:
    """Initialize a config's pipeline on the CPU and save it."""
    fix_random_seed(0)
    loaded = without_randomness(load_config(config, settings, interpolate=True))
    nlp = load_model_from_config(loaded, auto_fill=True)
    _, corpus = training_and_corpus(nlp)
    examples = list(corpus(nlp))
    nlp.initialize(lambda: examples)
    nlp.to_disk(output)


def update_on(gpu_id: int, pipeline: Path, updates: int) -> dict[str, list[float]]:
    """Update a saved pipeline.

    Args:
        gpu_id: The GPU, or -1 for the CPU.
        pipeline: Folder of the pipeline.
        updates: How many updates.

    Returns:
        ``losses``, the sum of the components' losses, and ``seconds`` and ``words``, each for
        every update.
    """
    use_device(gpu_id)
    torch.backends.cudnn.allow_tf32 = False  # LSTMs would round their inputs to 10 bits
    fix_random_seed(0)
    nlp = spacy.load(pipeline)
    training, corpus = training_and_corpus(nlp)
    figures: dict[str, list[float]] = {"losses": [], "seconds": [], "words": []}
    for step, batch in enumerate(islice(training["batcher"](corpus(nlp)), updates)):
        start = time.perf_counter()
        losses = update_once(nlp, batch, training, step)
        if gpu_id >= 0:
            torch.cuda.synchronize(gpu_id)
        figures["seconds"].append(time.perf_counter() - start)
        figures["losses"].append(sum(float(loss) for loss in losses.values()))
        figures["words"].append(sum(len(example.predicted) for example in batch))
    return figures


def parse_on(gpu_id: int, pipeline: Path, split: Path, batch_size: int, runs: int) -> list[float]:
    """Seconds of each run over the docs of a split, without what loads and builds them."""
    use_device(gpu_id)
    nlp = spacy.load(pipeline)
    seconds = []
    for run in range(runs + 1):  # the first one warms up
        docs = docs_of(nlp, split, 0 if run else WARM_UP)
        seconds.append(seconds_to_pipe(nlp, docs, batch_size))
    return seconds[1:]


def use_device(gpu_id: int) -> None:
    """Compute on a GPU, or with one thread of the CPU, from now until the process ends."""
    torch.set_num_threads(1)
    if gpu_id >= 0:
        spacy.require_gpu(gpu_id)


def compared(cpu: dict[str, list[float]], gpu: dict[str, list[float]]) -> Figures:
    """Losses and training speed of two devices, and how far their losses are apart at most."""
    pairs = zip(cpu["losses"], gpu["losses"], strict=True)
    apart = max(abs(a - b) / max(abs(a), 1e-12) for a, b in pairs)
    return {
        "updates": len(cpu["losses"]),
        "largest_relative_difference": float(f"{apart:.2g}"),
        "cpu": {"losses": cpu["losses"], "words_per_second": _training_speed(cpu)},
        "gpu": {"losses": gpu["losses"], "words_per_second": _training_speed(gpu)},
    }


def _training_speed(figures: dict[str, list[float]]) -> int:
    words, seconds = figures["words"][WARM_UPDATES:], figures["seconds"][WARM_UPDATES:]
    return round(sum(words) / sum(seconds))


def main(
    corpus: Corpus,
    name: Name,
    config: Annotated[list[Path] | None, typer.Option(help="A config, repeatable")] = None,
    pipeline: Annotated[
        list[str] | None, typer.Option(help="NAME=TRAINED_PIPELINE, repeatable")
    ] = None,
    override: Overrides = None,
    gpu_id: GpuId = 0,
    updates: Annotated[int, typer.Option(min=WARM_UPDATES + 1, help="Updates compared")] = 20,
    sentences: Annotated[int, typer.Option(help="Training sentences, from the first on")] = 3000,
    batch_size: Annotated[int, typer.Option(help="Docs in a batch of parsing")] = 1024,
    runs: int = 3,
) -> None:
    """Compare the devices."""
    settings = {
        "paths.train": str(corpus / "train.spacy"),
        "paths.dev": str(corpus / "dev.spacy"),
        "corpora.train.limit": str(sentences),
        **named_values("--override", override),
    }
    figures: Figures = {"configs": {}, "pipelines": {}}
    for path in config or []:
        with tempfile.TemporaryDirectory() as folder:
            in_new_process(save_initialized, path, _of_config(path, settings), Path(folder))
            devices = [in_new_process(update_on, x, Path(folder), updates) for x in (-1, gpu_id)]
        figures["configs"][str(path)] = compared(*devices)
        print(path, figures["configs"][str(path)], flush=True)
    split = corpus / "test.spacy"
    words = count_words(split)
    for label, folder in named_values("--pipeline", pipeline).items():
        seconds = {
            device: in_new_process(parse_on, x, Path(folder), split, batch_size, runs)
            for device, x in (("cpu", -1), ("gpu", gpu_id))
        }
        figures["pipelines"][label] = {
            f"{device}_words_per_second": round(words / statistics.median(each))
            for device, each in seconds.items()
        }
        print(label, figures["pipelines"][label], flush=True)
    device = torch.cuda.get_device_name(gpu_id) if gpu_id >= 0 else None
    write_result(f"gpu-{name}", 0, {"gpu": device, "batch_size": batch_size, **figures})


def _of_config(config: Path, settings: dict[str, str]) -> dict[str, Any]:
    """The settings as values, without paths that the config lacks, which spaCy refuses."""
    paths = load_config(config)["paths"]
    return parse_config_overrides(
        [
            f"--{name}={value}"
            for name, value in settings.items()
            if not name.startswith("paths.") or name.removeprefix("paths.") in paths
        ]
    )


if __name__ == "__main__":
    typer.run(main)

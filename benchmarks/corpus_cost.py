"""What corpora cost with ``parse-corpus``: a model that is fitted to a run, and checked.

    python -m benchmarks.corpus_cost corpus/sentences.txt --name en-sm \\
        --pipeline en_sm=training/release/sm/model-best

The command itself is measured, from its start to its end, over random lines of the text:

- a run of one worker for each format, to which the model is fitted (``cost_model``);
- a run of one worker over four times as many words, other ones, which the model predicts;
- the same with two workers, from which their efficiency comes.

Then the model says what larger corpora cost on larger machines. It takes the further cores of those
to be as efficient as the second one here. Without a text nothing is measured: the costs of other
sizes, machines and prices are printed, from the result of that name.

    python -m benchmarks.corpus_cost --name en-sm --sentences 5000000 --cores 32 \\
        --price-per-core-hour 0.02
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from spacy.util import get_model_meta

from spacy_structparse.sharding.manifest import MANIFEST
from spacy_structparse.sharding.outputs import ShardFormat
from spacy_structparse.sharding.parser import RECORDS

from . import record
from .corpus_texts import lines_of_words, shuffled_lines, write_lines
from .cost_model import CostModel, MeasuredRun, error_percent, rounded
from .options import Name, named_values
from .pages.costs import cost_table
from .record import Figures, read_result, write_result

TIMES = 4
"""The larger run has so many times the words of the smaller one."""
N_SHARDS = 4
"""Shards of the smaller run."""
WORKERS = 2
PRICE = 0.04
"""US dollars for a core and an hour: an assumption."""
SIZES = (10**6, 10**8, 10**10)
"""Sentences of corpora."""
CORES = (16, 64)
"""Cores of machines."""
DIGITS = 5
"""Of figures: more than repeats in another run."""
FORMATS = (ShardFormat.parquet, ShardFormat.conllu)
"""What is measured. Times are those of the first."""


def measure(
    pipeline: str, text: Path, style: ShardFormat, workers: int, shard_bytes: int
) -> MeasuredRun:
    """Run the command over a text."""
    with TemporaryDirectory() as folder:
        output = Path(folder) / "parsed"
        command = [
            sys.executable, "-m", "spacy", "structparse", "parse-corpus", pipeline, str(text),
            str(output), "--format", style.value, "--n-process", str(workers),
            "--shard-mb", str(shard_bytes / 1e6),
        ]  # fmt: skip
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds = time.perf_counter() - start
        manifest = json.loads((output / MANIFEST).read_bytes())
        times = [path.stat().st_mtime for path in (output / RECORDS).glob("*.json")]
    return measured_run(manifest, times, workers, seconds)


def measured_run(
    manifest: Mapping[str, Any], times: Iterable[float], workers: int, seconds: float
) -> MeasuredRun:
    """A run, from what it leaves behind.

    Args:
        manifest: Its manifest.
        times: When the record of each shard was written, in seconds.
        workers: Its workers.
        seconds: The time of the whole command.
    """
    shards = [one["finished"] for one in manifest["shards"]]
    ends = sorted(times)
    between = 0.0
    if workers == 1 and len(ends) > 1:
        later = sum(one["seconds"] for one in shards[1:])
        between = max(0.0, (ends[-1] - ends[0] - later) / (len(ends) - 1))
    return MeasuredRun(
        workers=workers,
        seconds=seconds,
        shard_seconds=sum(one["seconds"] for one in shards),
        seconds_between=between,
        shards=len(shards),
        words=sum(one["words"] for one in shards),
        sentences=sum(one["sentences"] for one in shards),
        input_bytes=sum(one["bytes"] for one in manifest["run"]["inputs"]),
        output_bytes=sum(one["bytes"] for one in shards),
    )


def fit_and_check(pipeline: str, lines: Sequence[str], words: int) -> Figures:
    """The model of each format, and a run of four times the size, predicted and measured."""
    small, large = lines_of_words(lines, words, TIMES * words)
    with TemporaryDirectory() as folder:
        texts = Path(folder) / "small.txt", Path(folder) / "large.txt"
        for path, some in zip(texts, (small, large), strict=True):
            write_lines(path, some)
        shard_bytes = max(1, texts[0].stat().st_size // N_SHARDS)
        runs = {style: measure(pipeline, texts[0], style, 1, shard_bytes) for style in FORMATS}
        checks = [
            measure(pipeline, texts[1], FORMATS[0], workers, shard_bytes)
            for workers in (1, WORKERS)
        ]
    models = {style: CostModel.fit(run) for style, run in runs.items()}
    efficiency = models[FORMATS[0]].measured_efficiency(checks[1])
    models = {style: replace(model, efficiency=efficiency) for style, model in models.items()}
    return {
        "version": get_model_meta(pipeline)["version"],
        "fitted_to": {style.value: rounded(asdict(run), DIGITS) for style, run in runs.items()},
        "models": {style.value: rounded(asdict(model), DIGITS) for style, model in models.items()},
        "times": TIMES,
        "checks": [_checked(replace(models[FORMATS[0]], efficiency=1.0), run) for run in checks],
    }


def _checked(model: CostModel, run: MeasuredRun) -> Figures:
    predicted = model.seconds(run.words, run.shards, run.workers)
    error = error_percent(predicted, run.seconds)
    figures = {**asdict(run), "predicted_seconds": predicted, "error_percent": error}
    return rounded(figures, DIGITS)


def costs(
    models: Mapping[str, CostModel],
    sizes: Sequence[int],
    cores: Sequence[int],
    shard_bytes: float,
    price: float,
) -> list[Figures]:
    """What corpora of several sizes cost on several machines.

    The time is that of the first format; the bytes of the outputs are those of every format.
    """
    first = next(iter(models.values()))
    rows = []
    for size in sizes:
        outputs = {
            style: model.cost(size, 1, shard_bytes, price).figures()["output_bytes"]
            for style, model in models.items()
        }
        for n_cores in cores:
            row = first.cost(size, n_cores, shard_bytes, price).figures()
            rows.append({**row, "output_bytes": outputs})
    return rows


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(f"{number:,}" for number in numbers)


def main(
    name: Name,
    text: Annotated[
        Path | None, typer.Argument(help="Text file, a document a line; without it none is parsed")
    ] = None,
    pipelines: Annotated[
        list[str] | None, typer.Option("--pipeline", help="NAME=TRAINED_PIPELINE, repeatable")
    ] = None,
    words: Annotated[
        int, typer.Option(help=f"Words of the smaller run; the larger has {TIMES} times as many")
    ] = 80_000,
    sentences: Annotated[
        list[int] | None,
        typer.Option(help=f"Sentences of a corpus, repeatable  [default: {_listed(SIZES)}]"),
    ] = None,
    cores: Annotated[
        list[int] | None,
        typer.Option(
            help=f"Cores of a machine, a worker each, repeatable  [default: {_listed(CORES)}]"
        ),
    ] = None,
    shard_mb: Annotated[float, typer.Option(help="Megabytes of a shard", min=1e-6)] = 4.0,
    price: Annotated[
        float,
        typer.Option(
            "--price-per-core-hour",
            help="Price of a core for an hour. The default is an assumption, in US dollars",
            min=0,
        ),
    ] = PRICE,
) -> None:
    """Fit the model, check it, and say what corpora cost."""
    result = f"corpus_cost-{name}"
    paths = named_values("--pipeline", pipelines)
    if text is not None:
        if not paths:
            raise typer.BadParameter("a text is to be parsed: name a pipeline by --pipeline")
        lines = shuffled_lines(text)
        found = {label: fit_and_check(path, lines, words) for label, path in paths.items()}
    elif (record.RESULTS / f"{result}.json").exists():
        found = read_result(result).figures["pipelines"]
    else:
        raise typer.BadParameter(f"there is no result {result}: name a text to measure")
    figures: Figures = {
        "price_per_core_hour": price,
        "shard_bytes": shard_mb * 1e6,
        "pipelines": {},
    }
    for label, one in found.items():
        models = {style: CostModel(**model) for style, model in one["models"].items()}
        its_costs = costs(models, sentences or SIZES, cores or CORES, shard_mb * 1e6, price)
        figures["pipelines"][label] = {**one, "costs": its_costs}
    print(cost_table(figures))
    if text is not None:
        write_result(result, 0, figures)


if __name__ == "__main__":
    typer.run(main)

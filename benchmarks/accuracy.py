"""Train pipelines on one treebank under the same conditions, and score them on dev and test.

Each is trained by ``spacy train`` in a process of its own, on one thread, until its score on dev
has not improved for the config's patience or until ``--minutes`` are over. A finished training is
not repeated: delete its folder in ``--work`` to train again. A pipeline that is trained already is
named by its folder in place of a config, and only scored.

    python benchmarks/accuracy.py corpus/craft --name craft --work training/bench \\
        --pipeline spacy=benchmarks/spacy_parser.cfg --pipeline ours=configs/stack_lstm_dep.cfg
"""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import spacy
import srsly
import torch
import typer
from evaluation import TREES, evaluate
from record import write_results


def changed_settings(override: list[str] | None) -> dict[str, str]:
    """Settings given as ``--override KEY=VALUE``."""
    wrong = [item for item in override or [] if "=" not in item]
    if wrong:
        raise typer.BadParameter(f"--override: {wrong} should be KEY=VALUE")
    return dict(item.split("=", 1) for item in override or [])


def train(
    config: Path,
    corpus: Path,
    output: Path,
    seed: int,
    minutes: float | None,
    settings: Mapping[str, object],
) -> dict[str, Any]:
    """Train one pipeline; what is known of a finished training is kept in ``output/done.json``."""
    overrides = [str(part) for key, value in settings.items() for part in (f"--{key}", value)]
    done = output / "done.json"
    if done.exists():
        return srsly.read_json(done)
    output.mkdir(parents=True, exist_ok=True)
    command = [
        sys.executable, "-m", "spacy", "train", str(config), "--output", str(output),
        "--paths.train", str(corpus / "train.spacy"), "--paths.dev", str(corpus / "dev.spacy"),
        "--system.seed", str(seed), *overrides,
    ]  # fmt: skip
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    start = time.time()
    with (output / "train.log").open("w", encoding="utf8") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=subprocess.STDOUT, env={**os.environ, **threads}
        )
        try:
            code: int | None = process.wait(minutes * 60 if minutes else None)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            code = None
    if code:
        raise SystemExit(f"training {config} failed, see {output / 'train.log'}")
    result = {
        "config": str(config),
        "overrides": overrides,
        "train_minutes": round((time.time() - start) / 60, 1),
        "stopped": "time" if code is None else "patience or last update",
    }
    srsly.write_json(done, result)
    return result


def main(
    corpus: Annotated[Path, typer.Argument(help="Folder of train, dev and test .spacy files")],
    name: Annotated[str, typer.Option(help="Name of the result")],
    pipeline: Annotated[list[str], typer.Option(help="NAME=CONFIG or NAME=FOLDER, repeatable")],
    work: Annotated[Path, typer.Option(help="Where trained pipelines are kept")] = Path(
        "training/bench"
    ),
    minutes: Annotated[float | None, typer.Option(help="Stop every training after this")] = None,
    seed: int = 0,
    override: Annotated[list[str] | None, typer.Option(help="KEY=VALUE for every config")] = None,
    test: Annotated[bool, typer.Option(help="Score the test split too")] = False,
    gold_tags: Annotated[bool, typer.Option(help="Tags as annotated")] = False,
    beam: Annotated[int, typer.Option(help="Beam width of parsers of trees in evaluation")] = 1,
) -> None:
    """Train and compare."""
    torch.set_num_threads(1)
    settings = changed_settings(override)
    figures: dict[str, Any] = {}
    for item in pipeline:
        label, _, config = item.partition("=")
        if Path(config).is_dir():
            figures[label], trained = {"pipeline": config}, Path(config)
        else:
            output = work / name / label
            figures[label] = train(Path(config), corpus, output, seed, minutes, settings)
            trained = output / "model-best"
        nlp = spacy.load(trained)
        if TREES in nlp.pipe_names:
            nlp.get_pipe(TREES).beam_width = beam  # type: ignore[attr-defined]
            figures[label]["beam_width"] = beam
        for split in ("dev", "test") if test else ("dev",):
            figures[label][split] = evaluate(nlp, corpus / f"{split}.spacy", gold_tags)
        print(label, figures[label], flush=True)
    print(write_results(f"accuracy-{name}", seed, figures))


if __name__ == "__main__":
    typer.run(main)

"""Parsing and training speed of pipelines, in one process, on the same docs and one thread.

Parsing: words/s through ``nlp.pipe`` over prebuilt one-sentence docs with tags; the pipelines take
turns, and the median ratio to the first one is reported. Training: words/s of ``nlp.update`` with
the optimizer's step, over the first batches of the training part, evaluation left out. Memory: the
peak of a process that loads one pipeline and parses all docs.

    python benchmarks/speed.py corpus/craft --name craft --pipeline spacy=DIR --pipeline ours=DIR
"""

import json
import statistics
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import spacy
import torch
import typer
from record import write_results
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training.batchers import minibatch_by_words

from spacy_structparse.corpora.reader import create_corpus_reader

PARSERS = {"tok2vec", "parser", "stack_lstm_dep"}


def prebuilt(nlp: Language, path: Path) -> list[Doc]:
    """Docs with words and tags, nothing else."""
    docs = []
    for gold in DocBin().from_disk(path).get_docs(nlp.vocab):
        spaces = [bool(token.whitespace_) for token in gold]
        doc = Doc(nlp.vocab, words=[token.text for token in gold], spaces=spaces)
        for token, tagged in zip(doc, gold, strict=True):
            token.tag_ = tagged.tag_
        docs.append(doc)
    return docs


def parse_seconds(nlp: Language, path: Path, batch_size: int) -> float:
    """Seconds to parse a split; building the docs is outside the clock."""
    docs = prebuilt(nlp, path)
    with nlp.select_pipes(enable=[name for name in nlp.pipe_names if name in PARSERS]):
        start = time.perf_counter()
        for _ in nlp.pipe(docs, batch_size=batch_size):
            pass
        return time.perf_counter() - start


def training_speed(nlp: Language, path: Path, batch_words: int, seconds: float) -> dict[str, float]:
    """Words/s of update and optimizer step, after three batches to warm up. Tags are annotated."""
    optimizer = nlp.resume_training()
    corpus = create_corpus_reader(path, gold_preproc=True, tags=path)
    examples = list(islice(corpus(nlp), 12_000))
    batches = minibatch_by_words(examples, batch_words)
    frozen = [name for name in nlp.pipe_names if name not in PARSERS]
    words = 0
    with nlp.select_pipes(disable=frozen):
        for batch in islice(batches, 3):
            nlp.update(batch, sgd=optimizer, drop=0.1)
        start = time.perf_counter()
        for batch in batches:
            nlp.update(batch, sgd=optimizer, drop=0.1)
            words += sum(len(example.predicted) for example in batch)
            if time.perf_counter() - start > seconds:
                break
        elapsed = time.perf_counter() - start
    return {"words_per_second": round(words / elapsed), "batch_words": batch_words}


def peak_resident_kb() -> int:
    """The peak resident memory of this process. (What getrusage gives counts the parent's too.)"""
    status = Path("/proc/self/status").read_text(encoding="utf8")
    return int(status.split("VmHWM:")[1].split()[0])


def peak_memory(pipeline: Path, path: Path) -> float:
    """Peak resident memory, in GB, of a process that parses a whole split."""
    command = [sys.executable, __file__, str(path.parent), "--name", "-", "--pipeline",
               f"only={pipeline}", "--memory-only"]  # fmt: skip
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return json.loads(output.strip().splitlines()[-1])["peak_gb"]


def main(
    corpus: Annotated[Path, typer.Argument(help="Folder of train and test .spacy files")],
    name: Annotated[str, typer.Option(help="Name of the result")],
    pipeline: Annotated[list[str], typer.Option(help="NAME=TRAINED_PIPELINE, as often as needed")],
    batch_size: int = 256,
    runs: int = 5,
    batch_words: int = 2000,
    train_seconds: float = 40.0,
    memory_only: bool = False,
) -> None:
    """Measure."""
    torch.set_num_threads(1)
    paths = dict(item.split("=", 1) for item in pipeline)
    test = corpus / "test.spacy"
    if memory_only:
        nlp = spacy.load(next(iter(paths.values())))
        parse_seconds(nlp, test, batch_size)
        print(json.dumps({"peak_gb": round(peak_resident_kb() / 1e6, 3)}))
        return
    pipelines = {label: spacy.load(path) for label, path in paths.items()}
    words = sum(len(doc) for doc in DocBin().from_disk(test).get_docs(spacy.blank("en").vocab))
    seconds: dict[str, list[float]] = {label: [] for label in pipelines}
    for _ in range(runs):
        for label, nlp in pipelines.items():
            seconds[label].append(parse_seconds(nlp, test, batch_size))
    first = next(iter(pipelines))
    figures: dict[str, Any] = {}
    for label, nlp in pipelines.items():
        ratios = [a / b for a, b in zip(seconds[first], seconds[label], strict=True)]
        figures[label] = {
            "parse_words_per_second": round(words / statistics.median(seconds[label])),
            "parse_words_per_second_best": round(words / min(seconds[label])),
            f"parse_speed_over_{first}": round(statistics.median(ratios), 2),
            "batch_size": batch_size,
            "peak_memory_gb": peak_memory(Path(paths[label]), test),
            "training": training_speed(nlp, corpus / "train.spacy", batch_words, train_seconds),
        }
        print(label, figures[label], flush=True)
    print(write_results(f"speed-{name}", 0, figures))


if __name__ == "__main__":
    typer.run(main)

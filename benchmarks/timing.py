"""What the benchmarks of speed share: docs ready to be parsed, seconds, and peaks of memory."""

import json
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

from evaluation import TREES
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Token
from spacy.training.batchers import minibatch_by_words

from spacy_structparse.corpora.reader import create_corpus_reader

LONG = 1000
PARSERS = {
    "tok2vec", "parser", "stack_lstm_dep", "spa_dep", "phrasal_lm", "seq2seq_translation", TREES,
}  # fmt: skip


def only_parsers(nlp: Language) -> Any:
    """A context in which a pipeline has its parsers alone, and what they listen to."""
    return nlp.select_pipes(enable=[name for name in nlp.pipe_names if name in PARSERS])


def prebuilt(nlp: Language, path: Path, limit: int = 0) -> list[Doc]:
    """The docs of a split, or its first ones, with words and tags and nothing else."""
    docs = []
    for gold in islice(DocBin().from_disk(path).get_docs(nlp.vocab), limit or None):
        spaces = [bool(token.whitespace_) for token in gold]
        words, tags = [token.text for token in gold], [token.tag_ for token in gold]
        docs.append(Doc(nlp.vocab, words=words, spaces=spaces, tags=tags))
    return docs


def first_tokens(nlp: Language, path: Path) -> list[Token]:
    """The first 1,000 tokens of a split, as annotated."""
    gold = DocBin().from_disk(path).get_docs(nlp.vocab)
    return list(islice((token for doc in gold for token in doc), LONG))


def long_sentence(nlp: Language, path: Path) -> Doc:
    """The first 1,000 words of a split, and their tags, as one sentence."""
    tokens = first_tokens(nlp, path)
    return Doc(nlp.vocab, words=[t.text for t in tokens], tags=[t.tag_ for t in tokens])


def seconds_to_parse(nlp: Language, path: Path, batch_size: int, limit: int = 0) -> float:
    """Seconds for a split, or its first docs; building the docs is outside the clock."""
    docs = prebuilt(nlp, path, limit)
    with only_parsers(nlp):
        start = time.perf_counter()
        for _ in nlp.pipe(docs, batch_size=batch_size):
            pass
        return time.perf_counter() - start


def seconds_in_turns(
    pipelines: dict[str, Language], path: Path, batch_size: int, runs: int
) -> dict[str, list[float]]:
    """Seconds of every pipeline for a split, run after run, the pipelines taking turns."""
    seconds: dict[str, list[float]] = {label: [] for label in pipelines}
    for _ in range(runs):
        for label, nlp in pipelines.items():
            seconds[label].append(seconds_to_parse(nlp, path, batch_size))
    return seconds


def training_speed(nlp: Language, path: Path, batch_words: int, seconds: float) -> dict[str, float]:
    """Words/s and sentences/s of update and optimizer step, after five batches to warm up, with the
    dropout that the pipeline was trained with. Tags are annotated."""
    optimizer = nlp.resume_training()
    drop = nlp.config["training"]["dropout"]
    examples = list(islice(create_corpus_reader(path, gold_preproc=True, tags=path)(nlp), 12_000))
    batches = minibatch_by_words(examples, batch_words)
    words = sentences = 0
    with only_parsers(nlp):
        for batch in islice(batches, 5):
            nlp.update(batch, sgd=optimizer, drop=drop)
        start = time.perf_counter()
        for batch in batches:
            nlp.update(batch, sgd=optimizer, drop=drop)
            words += sum(len(example.predicted) for example in batch)
            sentences += len(batch)
            if time.perf_counter() - start > seconds:
                break
        elapsed = time.perf_counter() - start
    return {
        "words_per_second": round(words / elapsed),
        "sentences_per_second": round(sentences / elapsed, 1),
        "batch_words": batch_words,
    }


def print_peak_memory() -> None:
    """Print the peak resident memory of this process, for :func:`peak_memory`. (What getrusage
    gives counts the parent's too.)"""
    status = Path("/proc/self/status").read_text(encoding="utf8")
    print(json.dumps({"peak_gb": round(int(status.split("VmHWM:")[1].split()[0]) / 1e6, 3)}))


def peak_memory(script: str, corpus: Path, pipeline: str, *options: str) -> float:
    """Peak resident memory, in GB, of a process that runs a benchmark with ``--memory-only``."""
    command = [sys.executable, script, str(corpus), "--name", "-", "--pipeline",
               f"only={pipeline}", "--memory-only", *options]  # fmt: skip
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return json.loads(output.strip().splitlines()[-1])["peak_gb"]

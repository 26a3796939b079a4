"""Parsing speed, training speed and peak memory of pipelines."""

import multiprocessing
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Token
from spacy.training.batchers import minibatch_by_words

from spacy_structparse.corpora.reader import create_corpus_reader

from .evaluation import CONSTITUENCY_PARSER, DEPENDENCY_PARSERS

LONG = 1000
"""Words of the long sentence with which memory is measured."""
WARM_UP = 512
"""Docs that a pipeline parses before the clock starts: the first batches compile kernels."""
PARSERS = {
    "tok2vec", *DEPENDENCY_PARSERS, CONSTITUENCY_PARSER, "phrasal_lm", "seq2seq_translation",
}  # fmt: skip


def only_parsers(nlp: Language) -> Any:
    """A context in which a pipeline has its parsers alone, and the ``tok2vec`` they listen to."""
    return nlp.select_pipes(enable=[name for name in nlp.pipe_names if name in PARSERS])


def docs_of(nlp: Language, path: Path, limit: int = 0) -> list[Doc]:
    """The docs of a split with words and tags and no other annotation.

    Args:
        nlp: The pipeline that will parse them.
        path: The split's ``.spacy`` file.
        limit: How many docs, from the first on; 0 for all.
    """
    docs = []
    for gold in islice(DocBin().from_disk(path).get_docs(nlp.vocab), limit or None):
        spaces = [bool(token.whitespace_) for token in gold]
        words, tags = [token.text for token in gold], [token.tag_ for token in gold]
        docs.append(Doc(nlp.vocab, words=words, spaces=spaces, tags=tags))
    return docs


def count_words(path: Path) -> int:
    """The tokens of a split."""
    return sum(len(doc) for doc in DocBin().from_disk(path).get_docs(spacy.blank("en").vocab))


def first_tokens(nlp: Language, path: Path) -> list[Token]:
    """The first 1,000 tokens of a split, as annotated."""
    gold = DocBin().from_disk(path).get_docs(nlp.vocab)
    return list(islice((token for doc in gold for token in doc), LONG))


def seconds_to_parse(nlp: Language, path: Path, batch_size: int, limit: int = 0) -> float:
    """Seconds to parse the docs of :func:`docs_of`, which are built before the clock starts."""
    docs = docs_of(nlp, path, limit)
    with only_parsers(nlp):
        return seconds_to_pipe(nlp, docs, batch_size)


def seconds_to_pipe(nlp: Language, docs: list[Doc], batch_size: int) -> float:
    """Seconds of all components of a pipeline for some docs."""
    start = time.perf_counter()
    for _ in nlp.pipe(docs, batch_size=batch_size):
        pass
    return time.perf_counter() - start


@dataclass(frozen=True)
class ParsingTime:
    """How long a pipeline took for a split, in several runs.

    Attributes:
        median: Median seconds.
        best: Fewest seconds.
        speed_over_first: Its speed over that of the first pipeline: the median of the runs' ratios.
    """

    median: float
    best: float
    speed_over_first: float


def parsing_times(
    pipelines: dict[str, Language], path: Path, batch_size: int, runs: int
) -> dict[str, ParsingTime]:
    """Time all pipelines over a split. They take turns, so that a busy moment hits all alike."""
    for nlp in pipelines.values():
        seconds_to_parse(nlp, path, batch_size, WARM_UP)
    seconds: dict[str, list[float]] = {label: [] for label in pipelines}
    for _ in range(runs):
        for label, nlp in pipelines.items():
            seconds[label].append(seconds_to_parse(nlp, path, batch_size))
    first = next(iter(seconds.values()))
    return {
        label: ParsingTime(
            median=statistics.median(own),
            best=min(own),
            speed_over_first=statistics.median(a / b for a, b in zip(first, own, strict=True)),
        )
        for label, own in seconds.items()
    }


def training_speed(nlp: Language, path: Path, batch_words: int, seconds: float) -> dict[str, float]:
    """Words/s and sentences/s of updates, with the dropout that the pipeline was trained with.

    Five batches warm up. Tags are as annotated; the step of the optimizer counts.

    Args:
        nlp: The pipeline, which goes on learning.
        path: The training part.
        batch_words: Words in a batch.
        seconds: When to stop.
    """
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


def parse_long_sentence(pipeline: str, path: Path, beam_width: int | None = None) -> None:
    """Load a pipeline and parse the first 1,000 words of a split as one sentence."""
    nlp = spacy.load(pipeline)
    if beam_width is not None:
        nlp.get_pipe(CONSTITUENCY_PARSER).beam_width = beam_width  # type: ignore[attr-defined]
    tokens = first_tokens(nlp, path)
    doc = Doc(nlp.vocab, words=[t.text for t in tokens], tags=[t.tag_ for t in tokens])
    with only_parsers(nlp):
        list(nlp.pipe([doc]))


def peak_memory(work: Callable[..., object], *args: object) -> float:
    """Peak resident memory, in GB, of a new process that calls ``work(*args)`` on one thread."""
    return in_new_process(_run_and_measure, work, args)


def in_new_process(work: Callable[..., Any], *args: object) -> Any:
    """Call ``work(*args)`` in a new process, which ends after it."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, args)


def _run_and_measure(work: Callable[..., object], args: tuple[object, ...]) -> float:
    torch.set_num_threads(1)
    work(*args)
    return round(peak_kilobytes() / 1e6, 3)


def peak_kilobytes() -> int:
    """Peak resident memory of this process, in units of 1,024 bytes."""
    # getrusage would count the memory of the parent process too.
    status = Path("/proc/self/status").read_text(encoding="utf8")
    return int(status.split("VmHWM:")[1].split()[0])

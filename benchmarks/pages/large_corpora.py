"""The page about corpora of any size: speed, memory, and what they cost."""

from collections.abc import Callable, Iterator
from typing import Any

from ..record import Figures, results_of
from .markdown import Cell, fixed, table
from .page import ByName, Page, Section
from .self_training import gains_of_f1, self_training_section

NOT_MEASURED = "not measured"
THROUGHPUT, KILLS = "corpus_throughput", "corpus_kills"
SELF_TRAINING = "self_training"
Found = Iterator[tuple[str, float | None]]
"""Pipelines, and what was measured of each."""


def large_corpora_page() -> Page:
    """The page, from the results that there are."""
    throughput, kills, training = (results_of(one) for one in (THROUGHPUT, KILLS, SELF_TRAINING))
    return Page(
        name="large-corpora",
        title="Results: large corpora",
        summary=Section(
            title="At a glance",
            text=SUMMARY,
            results=(*throughput, *kills, *training),
            tables=_goals,
        ),
        sections=(
            Section("Speed", SPEED, throughput, _speeds),
            Section("Memory of workers", MEMORY, throughput, _memory),
            Section("Killed runs", KILLED, kills, _kills),
            *self_training_section(training),
        ),
    )


def _goals(results: ByName) -> str:
    goals: list[tuple[str, str, int, Callable[[ByName], Found]]] = [
        ("speed of one process over that of `nlp.pipe`", "0.90 or more", 2,
         lambda results: _speed_ratios(results, "one_process_of_loop")),
        ("speed of two processes over that of one", "1.70 or more", 2,
         lambda results: _speed_ratios(results, "processes_of_one")),
        ("speed of Ray over that of local processes, two workers", "0.80 or more", 2,
         lambda results: _speed_ratios(results, "ray_of_local")),
        ("growth of a worker's memory after its first sentences, %", "15.0 or less", 1, _growth),
        ("F1 that sentences on which two parsers agree add", "2.00 or more", 2, _gains),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for what, goal, decimals, find in goals:
        found = list(find(results)) or [("", None)]
        for pipeline, value in found:
            shown = NOT_MEASURED if value is None else fixed(value, decimals)
            rows.append([what, goal, pipeline, shown])
    return table(["what", "goal", "pipeline", "measured"], rows)


def _figures_of(results: ByName, benchmark: str) -> Iterator[Figures]:
    return (figures for name, figures in results.items() if name.startswith(f"{benchmark}-"))


def _measured(results: ByName, part: str) -> Iterator[tuple[str, Any]]:
    """The pipelines of which a part of the throughput was measured."""
    for figures in _figures_of(results, THROUGHPUT):
        for label, one in figures.items():
            if part in one:
                yield f"`{label}`", one[part]


def _speed_ratios(results: ByName, ratio: str) -> Found:
    for label, speed in _measured(results, "speed"):
        if speed["processes"] == 2 or ratio == "one_process_of_loop":
            yield label, speed[ratio]


def _growth(results: ByName) -> Found:
    for label, workers in _measured(results, "memory"):
        yield label, max(worker["growth_percent"] for worker in workers)


def _gains(results: ByName) -> Found:
    for figures in _figures_of(results, SELF_TRAINING):
        yield from gains_of_f1(figures)


def _or_not_measured(header: list[str], rows: list[list[Cell]]) -> str:
    return table(header, rows) if rows else f"{NOT_MEASURED.capitalize()}."


def _speeds(results: ByName) -> str:
    rows: list[list[Cell]] = []
    for label, speed in _measured(results, "speed"):
        n, words = speed["processes"], speed["words_per_second"]
        engines = {
            "`nlp.pipe`": "loop",
            "local, 1": "one_process",
            f"local, {n}": f"{n}_processes",
            f"Ray, {n}": f"ray_{n}_processes",
        }
        for title, key in engines.items():
            shown = f"{words[key]:,}" if key in words else NOT_MEASURED
            rows.append([label, speed["format"], title, shown])
    return _or_not_measured(["pipeline", "format", "workers", "words/s"], rows)


def _memory(results: ByName) -> str:
    rows: list[list[Cell]] = []
    for label, workers in _measured(results, "memory"):
        for number, worker in enumerate(workers, 1):
            over = worker["megabytes_over_sentences"].items()
            rows.append(
                [
                    label,
                    number,
                    f"{worker['megabytes_first']:,.0f} after {worker['first']:,}",
                    f"{worker['megabytes_last']:,.0f} after {worker['sentences']:,}",
                    fixed(worker["growth_percent"], 1),
                    "; ".join(f"{memory:,.0f} after {int(parsed):,}" for parsed, memory in over),
                ]
            )
    header = ["pipeline", "worker", "first", "last", "growth, %", "between"]
    return _or_not_measured(header, rows)


def _kills(results: ByName) -> str:
    rows: list[list[Cell]] = []
    for figures in _figures_of(results, KILLS):
        for label, engines in figures.items():
            for engine, found in engines.items():
                rows.append([f"`{label}`", engine, found["killed"], found["equal"]])
    return _or_not_measured(["pipeline", "workers", "killed runs", "equal in the end"], rows)


SUMMARY = """
A second process nearly doubles the speed of `parse-corpus`, and the memory of a worker hardly
grows. It ran on one machine with two idle cores, each worker with one thread. The sections below
say how each row was measured. F1 is that of parsers trained on what `silver` writes.
"""
SPEED = """
Random lines of a text, a document each. `nlp.pipe` is a loop over them in one process that writes
nothing. Workers write a file for each input. Their words/s are those after the first files, when
the pipelines are loaded. Median of the runs, which take turns.
"""
MEMORY = """
Megabytes of a worker after so many of its sentences. The text is repeated
with new words in each copy, so that the vocabulary keeps growing. Growth is that from the first
10,000 sentences of the worker to its highest memory after them.
"""
KILLED = """
Runs of the command over 40 files that `kill -9` ended at random moments, and whose files, after the
same command had run again, are those of a run that was not disturbed, byte for byte.
"""
PAGE = large_corpora_page()

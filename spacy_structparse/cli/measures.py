"""`spacy structparse measures`: measures of syntactic complexity, a row for each document."""

import csv
import io
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from enum import Enum
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from spacy.tokens import Doc

from ..search.measures import COUNTS, RATIOS, Counts, SyntaxCounter, measures_of
from ..trees import TreeAlignmentError
from .annotated_inputs import ModelOfTexts, TextProcesses, docs_of, find_annotated
from .app import app
from .loading import LoadingError
from .messages import msg
from .parse_inputs import READING_ERRORS, InputFormatError, KindOfInputs
from .parse_outputs import STANDARD_OUTPUT, open_text
from .parse_workers import LostParserError
from .problems import list_problems
from .shared_options import Code, GpuId, NoClobber, refuse_existing

COLUMNS = ("file", "document", *COUNTS, *(name for name, _, _ in RATIOS))


class Unit(str, Enum):
    """What a row is about."""

    document = "document"
    file = "file"


@app.command("measures")
def measures_cli(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Treebanks, .spacy files, parquet files of parse-corpus or folders of them, "
            "which are measured as they are; texts (.txt, .jsonl, - for the standard input), which "
            "--model parses",
        ),
    ],
    input_format: KindOfInputs = None,
    model: ModelOfTexts = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="CSV file; - for the standard output")
    ] = Path(STANDARD_OUTPUT),
    per: Annotated[
        Unit,
        typer.Option(
            "--per",
            help="A row for each document, or for all of a file. In a treebank every sentence is a "
            "document",
        ),
    ] = Unit.document,
    n_process: TextProcesses = 1,
    gpu_id: GpuId = -1,
    code: Code = None,
    no_clobber: NoClobber = False,
) -> None:
    """Measure syntactic complexity, as CSV.

    The columns are the counts and fourteen ratios of the L2 Syntactic Complexity Analyzer, Yngve
    and Frazier depth and dependency distance. docs/tree-search.md defines them.
    """
    refuse_existing(no_clobber, output)
    with redirect_stdout(sys.stderr):
        try:
            inputs = find_annotated(sources, input_format, model, code, gpu_id)
        except (*READING_ERRORS, InputFormatError, LoadingError) as error:
            msg.fail("Nothing was measured", str(error), exits=1)
    spans_key = inputs.spans_key
    without: list[str] = []
    reader = inputs.reader()
    docs = _with_trees(docs_of(reader, inputs.files, n_process), spans_key, without)
    n_rows = 0
    try:
        with open_text(output) as target:
            target.write(_row(COLUMNS))
            for source, number, counts in _rows(
                docs, SyntaxCounter(inputs.nlp.vocab, spans_key), per
            ):
                measures = measures_of(counts)
                cells = (
                    f"{measures[name]:.6g}" if name in measures else "" for name in COLUMNS[2:]
                )
                target.write(_row([source, number, *cells]))
                n_rows += 1
    except BrokenPipeError:
        raise  # the reader of the output has enough, as `head` has: the command ends quietly
    except (*READING_ERRORS, OSError, TreeAlignmentError, LostParserError) as error:
        with redirect_stdout(sys.stderr):
            msg.fail("Measuring failed", str(error), exits=1)
    with redirect_stdout(sys.stderr):
        list_problems(msg, reader.problems)
        if without:
            msg.warn(f"{len(without)} documents have no trees, the first in {without[0]}")
        if not n_rows:
            msg.fail("Nothing was measured", "There is no document with trees", exits=1)


def _with_trees(
    docs: Iterable[tuple[str, Doc]], spans_key: str, without: list[str]
) -> Iterator[tuple[str, int, Doc]]:
    """The Docs with trees, numbered with those that have none."""
    for number, (source, doc) in enumerate(docs, 1):
        if spans_key in doc.spans:
            yield source, number, doc
        else:
            without.append(source)


def _rows(
    docs: Iterable[tuple[str, int, Doc]], counter: SyntaxCounter, per: Unit
) -> Iterator[tuple[str, str, Counts]]:
    """The file, the document's number if there is one, and the counts of every row."""
    places: list[tuple[str, int]] = []

    def placed() -> Iterator[Doc]:
        for source, number, doc in docs:
            places.append((source, number))
            yield doc

    counted = ((*places.pop(0), counts) for _, counts in counter.pipe(placed()))
    if per is Unit.document:
        yield from ((source, str(number), counts) for source, number, counts in counted)
        return
    for source, of_file in groupby(counted, key=lambda one: one[0]):
        total: Counts = defaultdict(float)
        for _, _, counts in of_file:
            for name, value in counts.items():
                total[name] += value
        yield source, "", total


def _row(cells: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(list(cells))
    return line.getvalue()

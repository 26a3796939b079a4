"""`spacy structparse measures`: measures of syntactic complexity, a row for each document."""

import csv
import io
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing, redirect_stdout
from enum import Enum
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ....cli.app import app
from ....cli.loading import LoadingError
from ....cli.messages import msg
from ....cli.output_checks import check_outputs
from ....cli.parse_inputs import warn_of_problems
from ....cli.parse_options import EndOfTexts, KindOfInputs, SplitLemmas
from ....cli.parse_workers import LostParserError
from ....cli.shared_options import Code, GpuId, NoClobber
from ....corpora.document_ids import DocumentIds, IdsOfParts
from ....corpora.options import ReadOptions
from ....corpora.report import ReadError
from ....corpora.writers import STANDARD_OUTPUT, open_text
from ....trees import TreeAlignmentError
from ..measures import COUNTS, RATIOS, Counts, SyntaxCounter, measures_of
from .inputs import ModelOfTexts, WorkProcesses, find_annotated, results_of

COLUMNS = ("file", "document", "document_id", *COUNTS, *(name for name, _, _ in RATIOS))


class Unit(str, Enum):
    """What a row is about."""

    document = "document"
    file = "file"


@app.command("measures", rich_help_panel="Parse")
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
    paragraphs: EndOfTexts = None,
    split_lemmas: SplitLemmas = False,
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
    n_process: WorkProcesses = 1,
    gpu_id: GpuId = -1,
    code: Code = None,
    no_clobber: NoClobber = False,
) -> None:
    """Measure syntactic complexity, as CSV.

    The columns are the counts and fourteen ratios of the L2 Syntactic Complexity Analyzer, Yngve
    and Frazier depth and dependency distance. docs/tree-search.md defines them.
    """
    check_outputs(no_clobber, output, standard=True)
    with redirect_stdout(sys.stderr):
        try:
            inputs = find_annotated(
                sources, input_format, model, code, gpu_id, n_process, output=output
            )
        except (ReadError, LoadingError) as error:
            msg.fail("Nothing was measured", str(error), exits=1)
    reading = ReadOptions(paragraphs, split_lemmas=split_lemmas)
    without: Counter[str] = Counter()
    work = partial(MeasureWork, spans_key=inputs.spans_key)
    n_rows = 0
    parts = results_of(inputs, reading, work, n_process)
    try:
        with closing(parts), open_text(output) as target:
            target.write(_row(COLUMNS))
            for place, counts in _rows(parts, per, without):
                measures = measures_of(counts)
                cells = (
                    f"{measures[name]:.6g}" if name in measures else ""
                    for name in COLUMNS[len(place) :]
                )
                target.write(_row([*place, *cells]))
                n_rows += 1
    except BrokenPipeError:
        raise  # the reader of the output has enough, as `head` has: the command ends quietly
    except (ReadError, OSError, TreeAlignmentError, LostParserError) as error:
        with redirect_stdout(sys.stderr):
            msg.fail("Measuring failed", str(error), exits=1)
    with redirect_stdout(sys.stderr):
        warn_of_problems(inputs.report)
        if without:
            first = next(iter(without))
            msg.warn(f"{without.total()} documents have no trees, the first in {first}")
        if not n_rows:
            msg.fail("Nothing was measured", "There is no document with trees", exits=1)


Place = tuple[str, str, str]
"""The file of a row, its document's number if there is one, and its id."""


class Measured(NamedTuple):
    """What was counted in a part of the inputs.

    Attributes:
        source: The name of the file.
        documents: The documents that were read.
        last_id: The id of the last document; None: no document had one.
        counts: The number, from 1, of each document with trees, its id, and its counts. None: it
            has the id of the document before the part.
    """

    source: str
    documents: int
    last_id: str | None
    counts: list[tuple[int, str | None, Counts]]


class MeasureWork:
    """Counts in parts of the inputs what measures are computed from.

    Args:
        vocab: The vocabulary of their Docs.
        spans_key: The span group of the trees.
    """

    def __init__(self, vocab: Vocab, spans_key: str) -> None:
        self._spans_key = spans_key
        self._counter = SyntaxCounter(vocab, spans_key)

    def __call__(self, part: str, source: str, docs: Iterable[Doc]) -> Measured:
        """The counts of the documents of a part."""
        n_docs = 0
        ids = DocumentIds()
        places: list[tuple[int, str | None]] = []
        with_trees: list[Doc] = []
        for n_docs, doc in enumerate(docs, 1):
            document_id = ids.of(doc)
            if self._spans_key in doc.spans:
                places.append((n_docs, document_id))
                with_trees.append(doc)
        counted = self._counter.pipe(with_trees)
        counts = [(*place, dict(found)) for place, (_, found) in zip(places, counted, strict=True)]
        return Measured(source, n_docs, ids.current, counts)


def _rows(
    parts: Iterable[Measured], per: Unit, without: Counter[str]
) -> Iterator[tuple[Place, Counts]]:
    """The place and the counts of every row.

    without: counts the documents without trees by their files.
    """
    counted = _numbered(parts, without)
    if per is Unit.document:
        yield from counted
        return
    for source, of_file in groupby(counted, key=lambda one: one[0][0]):
        total: Counts = defaultdict(float)
        for _, counts in of_file:
            for name, value in counts.items():
                total[name] += value
        yield (source, "", ""), total


def _numbered(parts: Iterable[Measured], without: Counter[str]) -> Iterator[tuple[Place, Counts]]:
    before = 0
    ids = IdsOfParts()
    for source, n_docs, last_id, counts in parts:
        ids.begin(source)
        if missing := n_docs - len(counts):
            without[source] += missing
        for number, document_id, found in counts:
            yield (source, str(before + number), ids.of(document_id)), found
        ids.end(last_id)
        before += n_docs


def _row(cells: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(list(cells))
    return line.getvalue()

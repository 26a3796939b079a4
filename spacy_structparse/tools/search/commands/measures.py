"""`spacy structparse measures`: measures of syntactic complexity, a row for each document."""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing, redirect_stdout
from functools import partial
from itertools import compress, groupby
from pathlib import Path
from typing import Annotated, Literal

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ....cli.app import app
from ....cli.output_checks import check_outputs, output_file
from ....cli.shared_options import Code, EndOfTexts, GpuId, KindOfInputs, NoClobber, SplitLemmas
from ....corpora.options import ReadOptions
from ....corpora.writers import STANDARD_OUTPUT, open_text
from ....errors import ReadError
from ....escaping import table_text
from ..measures import COUNTS, RATIOS, Counts, SyntaxCounter, measures_of
from .inputs import (
    AnnotatedFiles,
    ModelOfTexts,
    Place,
    WorkProcesses,
    find_annotated,
    results_of,
)

COLUMNS = ("file", "document", "document_id", *COUNTS, *(name for name, _, _ in RATIOS))


@app.command("measures", rich_help_panel="Parse")
def measures_cli(
    sources: AnnotatedFiles,
    input_format: KindOfInputs = None,
    model: ModelOfTexts = None,
    paragraphs: EndOfTexts = None,
    split_lemmas: SplitLemmas = False,
    output: Annotated[
        Path, output_file("CSV file; - for the standard output", (".csv", ".gz", ""))
    ] = Path(STANDARD_OUTPUT),
    per: Annotated[
        Literal["document", "text", "file"],
        typer.Option(
            "--per",
            help="A row for each document (in a treebank a sentence), for all that follow each "
            "other with one document_id, or for all of a file",
        ),
    ] = "document",
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
        inputs = find_annotated(
            sources, input_format, model, code, gpu_id, n_process, output=output
        )
    reading = ReadOptions(paragraphs=paragraphs, split_lemmas=split_lemmas)
    work = partial(MeasureWork, spans_key=inputs.spans_key)
    n_rows = 0
    counted = results_of(inputs, reading, work, n_process)
    with closing(counted), open_text(output) as target:
        target.write(table_text([COLUMNS]))
        for place, counts in counted if per == "document" else _summed(counted, per == "file"):
            measures = measures_of(counts)
            cells = (
                f"{measures[name]:.6g}" if name in measures else ""
                for name in COLUMNS[len(place) :]
            )
            target.write(table_text([[*place, *cells]]))
            n_rows += 1
    with redirect_stdout(sys.stderr):
        inputs.warn_of_left_out("trees", "measured")
    if not n_rows:
        raise ReadError("there is no document with trees")


class MeasureWork:
    """Counts in documents what measures are computed from.

    Args:
        vocab: The vocabulary of their Docs.
        spans_key: The span group of the trees.
    """

    def __init__(self, vocab: Vocab, spans_key: str) -> None:
        self._spans_key = spans_key
        self._counter = SyntaxCounter(vocab, spans_key)

    def __call__(self, docs: list[Doc]) -> Iterator[Counts | None]:
        """Give the counts of each document; None if it has no trees."""
        have_trees = [self._spans_key in doc.spans for doc in docs]
        counted = self._counter.pipe(compress(docs, have_trees))
        return (dict(next(counted)[1]) if has_trees else None for has_trees in have_trees)


def _summed(
    counted: Iterable[tuple[Place, Counts]], whole: bool
) -> Iterator[tuple[tuple[str, str, str], Counts]]:
    """The sums of the counts of each text; whole: of each file."""
    for place, of_text in groupby(
        counted, key=lambda one: (one[0].file, "", "" if whole else one[0].document_id)
    ):
        total: Counts = defaultdict(float)
        for _, counts in of_text:
            for name, value in counts.items():
                total[name] += value
        yield place, total

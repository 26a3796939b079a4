"""`spacy structparse search`: patterns over the trees or dependencies of files."""

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, redirect_stdout
from functools import partial
from heapq import nsmallest
from pathlib import Path
from typing import Annotated

import typer

from ....cli.app import app
from ....cli.messages import Messages, echo, msg
from ....cli.output_checks import check_outputs, check_suffix, refuse_inputs
from ....cli.shared_options import MAX_SEED, Code, EndOfTexts, GpuId, KindOfInputs, NoClobber
from ....corpora.options import ReadOptions
from ....corpora.writers import STANDARD_OUTPUT, open_text
from ....errors import PatternError
from ....viz.paint import has_colours
from .formats import CSV_COLUMNS, Placed, texts_of
from .inputs import (
    AnnotatedFiles,
    ModelOfTexts,
    Place,
    WorkProcesses,
    find_annotated,
    results_of,
)
from .work import Match, SearchFormat, SearchOptions, SearchWork, Stats

N_ROWS = 30
PLACES: dict[str, Callable[[Place], str]] = {
    "document": lambda place: f"{place.file}:{place.number}",
    "text": lambda place: place.document_id,
}
"""The row of `--stats` for the place of a match."""
TABLES = (".tsv", ".txt", ".gz", "")
STYLES: dict[str, SearchFormat | None] = {
    ".conllu": "conllu", ".ptb": "ptb", ".jsonl": "jsonl", ".csv": "csv",
    ".txt": None, ".gz": None, "": None,
}  # fmt: skip


@app.command("search", rich_help_panel="Parse")
def search_cli(
    pattern: Annotated[
        str,
        typer.Argument(
            help="A Tregex pattern, such as 'VP < (NP=object <# PRP)'; with --dep a JSON file of "
            "patterns for spaCy's DependencyMatcher"
        ),
    ],
    sources: AnnotatedFiles,
    input_format: KindOfInputs = None,
    model: ModelOfTexts = None,
    paragraphs: EndOfTexts = None,
    split_lemmas: Annotated[bool, typer.Option("--split-lemmas", hidden=True)] = False,
    dep: Annotated[
        bool, typer.Option("--dep", help="PATTERN is a JSON file of patterns of dependencies")
    ] = False,
    style: Annotated[
        SearchFormat | None,
        typer.Option(
            "--format",
            "-f",
            help="conllu: the sentences with matches. ptb: the matched subtrees. jsonl, csv: a "
            "line for each match. By default the output's suffix decides; without one a line of "
            "text, with the match in colour on a terminal and in [brackets] elsewhere",
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File; - for the standard output")
    ] = Path(STANDARD_OUTPUT),
    stats: Annotated[
        Stats | None,
        typer.Option(
            "--stats",
            help="Print a table of counts in place of the matches: by the label of the matched "
            "node, by the lemma of its head word, by document (in a treebank a sentence), or by "
            "text, whose documents have one id",
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample", "-n", help="Keep a random sample of this many matches", min=1, max=1_000_000
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", "-s", help="Seed of --sample", min=0, max=MAX_SEED, hidden=True)
    ] = 0,
    n_process: WorkProcesses = 1,
    gpu_id: GpuId = -1,
    code: Code = None,
    no_clobber: NoClobber = False,
) -> None:
    """Find constructions in trees, or in dependencies.

    The number of matches goes to the standard error. docs/tree-search.md has the language of
    patterns.
    """
    check_outputs(no_clobber, output, standard=True)
    refuse_inputs([pattern if dep else None], output)
    if style is None:
        suffix = check_suffix(output, STYLES if stats is None else TABLES)
        style = None if stats else STYLES.get(suffix)
    if dep and style == "ptb":
        raise ValueError("--format ptb writes matched subtrees, and dependencies have none")
    if stats is not None and style is not None:
        raise ValueError("--stats writes a table in place of matches: leave out --format")
    with redirect_stdout(sys.stderr):
        inputs = find_annotated(
            sources, input_format, model, code, gpu_id, n_process, output=output
        )
    if stats is not None:
        inputs.output = None
    options = SearchOptions(pattern, dep, inputs.spans_key, style, stats)
    try:
        query = options.query(inputs.nlp.vocab)
    except PatternError as error:
        echo(str(error), err=True)  # as it stands: its last line points at the column
        raise typer.Exit(1) from None
    if style == "csv" and (taken := set(query.names) & set(CSV_COLUMNS)):
        raise ValueError(f"--format csv has a column '{min(taken)}': name the node otherwise")
    counts: Counter[str] = Counter()
    reading = ReadOptions(paragraphs=paragraphs, labels="full", split_lemmas=split_lemmas)
    rows: Counter[str] = Counter()
    results = results_of(inputs, reading, partial(SearchWork, options=options), n_process)
    with closing(results):
        matches = _counted(results, counts)
        if sample is not None:
            matches = iter(_sampled(matches, sample, seed))
        if stats is not None:
            rows.update(
                PLACES[stats](place) if stats in PLACES else match.shown for place, match in matches
            )
        else:
            colour = str(output) == STANDARD_OUTPUT and has_colours(sys.stdout)
            with open_text(output) as target:
                target.writelines(texts_of(style, matches, query.names, colour))
    if stats is not None:
        _print_rows(rows, stats, output)
    with redirect_stdout(sys.stderr):
        inputs.warn_of_left_out(query.needs, "searched")
        msg.good(
            f"{counts['matches']} matches in {counts['sentences']} sentences of "
            f"{inputs.documents - inputs.without.total()} documents"
            + (f"; a sample of {min(sample, counts['matches'])}" if sample is not None else "")
        )


def _counted(
    results: Iterable[tuple[Place, list[Match]]], counts: Counter[str]
) -> Iterator[Placed]:
    for place, matches in results:
        counts["matches"] += len(matches)
        counts["sentences"] += len({match.sentence_start for match in matches})
        yield from ((place, match) for match in matches)


def _sampled(matches: Iterable[Placed], n: int, seed: int) -> list[Placed]:
    """The matches with the smallest random numbers, in their order."""
    draw = random.Random(seed).random
    ordered = ((draw(), number, match) for number, match in enumerate(matches))
    kept = sorted(nsmallest(n, ordered), key=lambda one: one[1])
    return [match for _, _, match in kept]


def _print_rows(rows: Counter[str], stats: Stats, output: Path) -> None:
    """The counts, the most frequent first: all of them into a file, on a terminal the first."""
    ordered = sorted(rows.items(), key=lambda row: (-row[1], row[0]))
    if str(output) != STANDARD_OUTPUT:
        with open_text(output) as target:
            target.writelines(f"{name}\t{count}\n" for name, count in ordered)
        return
    table = [(name, f"{count:,}") for name, count in ordered[:N_ROWS]]
    if len(ordered) > N_ROWS:
        rest = sum(count for _, count in ordered[N_ROWS:])
        table.append((f"{len(ordered) - N_ROWS} more", f"{rest:,}"))
    Messages().table(table, header=(stats.capitalize(), "Count"), aligns=("l", "r"), divider=True)

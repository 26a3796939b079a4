"""`spacy structparse search`: patterns over the trees or dependencies of files."""

import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from enum import Enum
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from spacy.tokens import Doc
from spacy.util import minibatch

from ..search import PatternError, RegexTimeoutError
from ..trees import TreeAlignmentError, get_brackets, head_words
from ..trees.words import words_of
from ..viz.paint import has_colours
from .annotated_inputs import ModelOfTexts, TextProcesses, docs_of, find_annotated
from .app import app
from .convert import Labels
from .loading import LoadingError
from .messages import Messages, echo, msg
from .parse_inputs import READING_ERRORS, InputFormatError, KindOfInputs
from .parse_outputs import STANDARD_OUTPUT, open_text
from .parse_workers import LostParserError
from .problems import list_problems
from .search_formats import SearchFormat, end_of, format_hits, start_of, subtree
from .search_queries import DependencyQuery, Hit, Query, TreeQuery
from .shared_options import Code, GpuId, NoClobber, refuse_existing

BATCH = 500
N_ROWS = 30


class Stats(str, Enum):
    """By what matches are counted."""

    label = "label"
    lemma = "lemma"
    document = "document"


@app.command("search")
def search_cli(
    pattern: Annotated[
        str,
        typer.Argument(
            help="A Tregex pattern, such as 'VP < (NP=object <# PRP)'; with --dep a JSON file of "
            "patterns for spaCy's DependencyMatcher"
        ),
    ],
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Treebanks, .spacy files, parquet files of parse-corpus or folders of them, "
            "which are searched as they are; texts (.txt, .jsonl, - for the standard input), which "
            "--model parses",
        ),
    ],
    input_format: KindOfInputs = None,
    model: ModelOfTexts = None,
    dep: Annotated[
        bool, typer.Option("--dep", help="PATTERN is a JSON file of patterns of dependencies")
    ] = False,
    style: Annotated[
        SearchFormat | None,
        typer.Option(
            "--format",
            "-f",
            help="conllu: the sentences with matches. ptb: the matched subtrees. jsonl, csv: a "
            "line for each match. html: a page with a drawing of each. By default a line of text, "
            "with the match in colour on a terminal and in [brackets] elsewhere",
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
            "node, by the lemma of its head word, or by document",
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option("--sample", "-n", help="Keep a random sample of this many matches", min=1),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", "-s", help="Seed of --sample")] = 0,
    root: Annotated[
        str, typer.Option("--root", help="Label of the node above every tree; empty for none")
    ] = "ROOT",
    n_process: TextProcesses = 1,
    gpu_id: GpuId = -1,
    code: Code = None,
    labels: Annotated[
        Labels,
        typer.Option(
            "--labels",
            help="Brackets' labels of treebanks: as they are in the file (NP-SBJ-1), with function "
            "tags (NP-SBJ), or bare (NP)",
        ),
    ] = Labels.full,
    no_clobber: NoClobber = False,
) -> None:
    """Find constructions in trees, or in dependencies.

    The number of matches goes to the standard error. docs/tree-search.md has the language of
    patterns.
    """
    refuse_existing(no_clobber, output)
    with redirect_stdout(sys.stderr):
        if dep and style is SearchFormat.ptb:
            msg.fail("--format ptb writes matched subtrees, and dependencies have none", exits=1)
        if stats is not None and style is not None:
            msg.fail("--stats writes a table in place of matches: leave out --format", exits=1)
        try:
            inputs = find_annotated(sources, input_format, model, code, gpu_id)
            vocab, spans_key = inputs.nlp.vocab, inputs.spans_key
            query: Query = (
                DependencyQuery(Path(pattern), vocab)
                if dep
                else TreeQuery(pattern, vocab, spans_key, root or None)
            )
        except PatternError as error:
            msg.fail("Nothing was searched")
            echo(str(error), err=True)  # as it stands: its last line points at the column
            raise typer.Exit(1) from None
        except (*READING_ERRORS, InputFormatError, LoadingError) as error:
            msg.fail("Nothing was searched", str(error), exits=1)
    counts: Counter[str] = Counter()
    reader = inputs.reader(labels.value)
    colour = style is None and str(output) == STANDARD_OUTPUT and has_colours(sys.stdout)
    rows: Counter[str] = Counter()
    try:
        hits = _counted(_search(query, docs_of(reader, inputs.files, n_process), counts), counts)
        if sample is not None:
            hits = _sampled(hits, sample, seed)
        if stats is not None:
            for _, of_doc in groupby(hits, key=lambda hit: hit.number):
                rows.update(_rows_of(list(of_doc), stats, spans_key))
        else:
            with open_text(output) as target:
                target.write(start_of(style, query.names))
                for _, of_doc in groupby(hits, key=lambda hit: hit.number):
                    target.write(format_hits(style, list(of_doc), query.names, spans_key, colour))
                target.write(end_of(style))
    except BrokenPipeError:
        raise  # the reader of the output has enough, as `head` has: the command ends quietly
    except (
        *READING_ERRORS,
        OSError,
        TreeAlignmentError,
        LostParserError,
        RegexTimeoutError,
    ) as error:
        with redirect_stdout(sys.stderr):
            msg.fail("The search failed", str(error), exits=1)
    if stats is not None:
        _print_rows(rows, stats, output)
    with redirect_stdout(sys.stderr):
        list_problems(msg, reader.problems)
        if counts["without"]:
            some = f"{counts['without']} of {counts['docs']} documents have no {query.needs}"
            if counts["without"] == counts["docs"]:
                msg.fail("Nothing was searched", some, exits=1)
            msg.warn(f"{some}, and were not searched")
        msg.good(
            f"{counts['matches']} matches in {counts['sentences']} sentences of "
            f"{counts['docs'] - counts['without']} documents"
            + (f"; a sample of {min(sample, counts['matches'])}" if sample is not None else "")
        )


def _search(query: Query, docs: Iterable[tuple[str, Doc]], counts: Counter[str]) -> Iterator[Hit]:
    for batch in minibatch(docs, BATCH):
        places = []
        for source, doc in batch:
            counts["docs"] += 1
            if query.can_search(doc):
                places.append((source, counts["docs"], doc))
            else:
                counts["without"] += 1
        found = query.find(doc for _, _, doc in places)
        for (source, number, _), (_, matches) in zip(places, found, strict=True):
            for span, nodes in matches:
                yield Hit(source, number, span, nodes, query.has_tree)


def _counted(hits: Iterable[Hit], counts: Counter[str]) -> Iterator[Hit]:
    """The matches, while they and their sentences are counted. They come in the order of Docs."""
    for _, of_doc in groupby(hits, key=lambda hit: hit.number):
        seen = set()
        for hit in of_doc:
            counts["matches"] += 1
            seen.add(hit.sentence.start)
            yield hit
        counts["sentences"] += len(seen)


def _sampled(hits: Iterable[Hit], n: int, seed: int) -> Iterator[Hit]:
    """A random sample in its order: each set of n matches is as likely as another."""
    draw = random.Random(seed)
    kept: list[tuple[int, Hit]] = []
    for place, hit in enumerate(hits):
        if place < n:
            kept.append((place, hit))
        elif (slot := draw.randrange(place + 1)) < n:
            kept[slot] = (place, hit)
    return (hit for _, hit in sorted(kept, key=lambda one: one[0]))


def _rows_of(hits: list[Hit], stats: Stats, spans_key: str) -> Iterator[str]:
    """The row of the table in which each match of a document is counted."""
    lemmas = stats is Stats.lemma and hits[0].has_tree
    brackets = get_brackets(hits[0].span.doc, spans_key) or [] if lemmas else []
    for hit in hits:
        span = hit.span
        if stats is Stats.document:
            yield f"{hit.source}:{hit.number}"
        elif stats is Stats.label:
            yield span.label_ or span.text if hit.has_tree else span[0].tag_
        else:
            tree = subtree(span, brackets) if hit.has_tree else None
            head = words_of(span)[0 if tree is None else head_words(tree)[0]]
            yield head.lemma_ or head.lower_


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
    Messages().table(
        table, header=(stats.value.capitalize(), "Count"), aligns=("l", "r"), divider=True
    )

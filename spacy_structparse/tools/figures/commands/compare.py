"""`spacy structparse compare`: the first action at which two parsers diverge on a sentence."""

from collections import Counter
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ....cli.app import app
from ....cli.loading import LoadingError
from ....cli.messages import echo, msg
from ....cli.output_checks import check_outputs, numbered_pictures
from ....cli.read_text import docs_of_text
from ....cli.shared_options import NoClobber, Text
from ....corpora.text_lines import TextReadError
from ....pipeline.seq2seq import Trace
from ..divergence import ComparisonError, Divergence, check_comparable, find_divergence
from ..partial_trees import attention_map
from ..pictures import MissingMatplotlibError
from .tracing import (
    FORMATS,
    FormatError,
    TracingError,
    check_format,
    load_parser_tracer,
    write_maps,
)


@app.command("compare", rich_help_panel="Score")
def compare_cli(
    model_a: Annotated[str, typer.Argument(help="Path or name of a trained pipeline")],
    model_b: Annotated[str, typer.Argument(help="Another one, of the same linearization")],
    text: Text,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Also write both attentions with the step marked, as .png, .svg or .html",
            dir_okay=False,
        ),
    ] = None,
    component: Annotated[
        str | None, typer.Option("--component", help="The parser, if MODEL_A has several")
    ] = None,
    component_b: Annotated[
        str | None, typer.Option("--component-b", help="The parser, if MODEL_B has several")
    ] = None,
    no_clobber: NoClobber = False,
) -> None:
    """Show where two parsers diverge: the step, the stack before it, what each chose with which
    probability, and what each attended to.

    Both parse the same words, in sentences as MODEL_A has them.
    """
    check_outputs(no_clobber, *numbered_pictures(output))
    try:
        if output is not None:
            check_format(output, FORMATS)
        a, actions = load_parser_tracer(model_a, component)
        b, other_actions = load_parser_tracer(model_b, component_b)
        check_comparable(actions, other_actions)
        docs = [a.prepare(doc) for doc in docs_of_text(text, a.nlp)]
        ours = a.trace(docs)
        theirs = b.trace(b.prepare(_copied(doc, b.nlp.vocab)) for doc in docs)
        if not ours:
            raise TracingError("There are no words to parse")
        if len(ours) != len(theirs):
            raise ComparisonError(f"The parsers found {len(ours)} and {len(theirs)} sentences.")
        pairs = list(zip(ours, theirs, strict=True))
        divergences = [find_divergence(one, other, actions) for one, other in pairs]
    except (
        FormatError,
        LoadingError,
        TracingError,
        ComparisonError,
        TextReadError,
        OSError,
    ) as error:
        msg.fail("Nothing was compared", str(error), exits=1)
    echo(f"A: {model_a}\nB: {model_b}")
    groups = []
    for (one, other), divergence in zip(pairs, divergences, strict=True):
        sentence = " ".join(one.words)
        echo(f"\n{sentence}")
        if divergence is None:
            echo(f"The parsers agree: the same {len(one.names)} actions.")
            continue
        _print_divergence(divergence, one, other)
        maps = (("A", one, actions), ("B", other, other_actions))
        groups.append(
            [
                attention_map(trace, of, f"{name}: {sentence}", _mark(trace, divergence))
                for name, trace, of in maps
            ]
        )
    echo(f"\nThe parsers diverge on {len(groups)} of {len(pairs)} sentences.")
    if output is not None and groups:
        try:
            for path in write_maps(groups, output, "Where two parsers diverge"):
                msg.good(str(path))
        except (MissingMatplotlibError, OSError) as error:
            msg.fail("No attention to show", str(error), exits=1)


@app.command("part", hidden=True)
@wraps(compare_cli)
def part_cli(**arguments: Any) -> None:
    echo("The command 'part' is now 'compare'; 'part' will be removed in 0.2.", err=True)
    compare_cli(**arguments)


def _copied(doc: Doc, vocab: Vocab) -> Doc:
    """The tokens and sentences of a doc alone."""
    return Doc(
        vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        sent_starts=[bool(token.is_sent_start) for token in doc],
    )


def _mark(trace: Trace, divergence: Divergence) -> int:
    return min(divergence.step, len(trace.names) - 1)


def _print_divergence(divergence: Divergence, ours: Trace, theirs: Trace) -> None:
    steps = f"{len(ours.names)} and {len(theirs.names)}"
    if len(ours.names) == len(theirs.names):
        steps = str(len(ours.names))
    echo(f"They diverge at step {divergence.step} of {steps}, steps counted from 0.")
    echo(f"Stack before it: {'  '.join(divergence.stack) or 'empty'}")
    rows = [
        (name, action or "(finished)", f"{probability:.3f}", _attended(trace, divergence.step))
        for name, action, probability, trace in zip(
            "AB", divergence.names, divergence.probabilities, (ours, theirs), strict=True
        )
    ]
    msg.table(rows, header=("", "Action", "p", "Attended to"), aligns=("l", "l", "r", "l"))
    if divergence.same_tree:
        echo("In the end both have the same tree.")


def _attended(trace: Trace, step: int) -> str:
    if step >= len(trace.names):
        return ""
    if trace.kind == "none":
        return "(no attention)"
    often = Counter(trace.positions)
    # A word that the sentence has twice is told by its number, from 1.
    return ", ".join(
        f"{word}{f'/{i + 1}' if often[word] > 1 else ''} {weight:.3f}"
        for i, weight in trace.attended(step, n=7)
        for word in trace.positions[i : i + 1]
    )

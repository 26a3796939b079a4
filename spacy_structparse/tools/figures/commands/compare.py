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
from ....cli.output_checks import check_outputs, numbered_pictures, refuse_inputs
from ....cli.read_text import docs_of_text
from ....cli.shared_options import NoClobber
from ....corpora.text_lines import TextReadError
from ....pipeline.seq2seq import Trace
from ....trees.errors import TreeReadError
from ..divergence import ComparisonError, Divergence, check_comparable, find_divergence
from ..pictures import MissingMatplotlibError
from ..trace_map import attention_map
from .gold_actions import gold_choice, read_gold
from .output_format import FormatError, check_format
from .tracing import FORMATS, TracingError, load_parser_tracer, write_maps


@app.command("compare")
def compare_cli(
    model_a: Annotated[str, typer.Argument(help="Path or name of a trained pipeline")],
    model_b: Annotated[str, typer.Argument(help="Another one, of the same linearization")],
    text: Annotated[
        str | None, typer.Argument(help="The text to parse, or - for the standard input")
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Option(
            "--gold",
            "-g",
            help="Penn-bracket file: in place of a text, parse the words of its trees, and say "
            "which parser is right",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
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
    refuse_inputs([gold], output)
    try:
        if (text is None) == (gold is None):
            raise TracingError("Give either a text or --gold with a file of trees")
        if output is not None:
            check_format(output, FORMATS)
        a, actions = load_parser_tracer(model_a, component)
        b, other_actions = load_parser_tracer(model_b, component_b)
        check_comparable(actions, other_actions)
        trees = list(read_gold(gold)) if gold is not None else []
        docs = [_doc_of(tree.words, a.nlp.vocab) for tree in trees]
        if text is not None:
            docs = docs_of_text(text, a.nlp)
        docs = [a.prepare(doc) for doc in docs]
        ours = a.trace(docs)
        theirs = b.trace(b.prepare(_copied(doc, b.nlp.vocab)) for doc in docs)
        if not ours:
            raise TracingError("There are no words to parse")
        if len(ours) != len(theirs):
            raise ComparisonError(f"The parsers found {len(ours)} and {len(theirs)} sentences.")
        divergences = [
            find_divergence(one, other, actions) for one, other in zip(ours, theirs, strict=True)
        ]
    except (
        FormatError,
        LoadingError,
        TracingError,
        ComparisonError,
        TextReadError,
        TreeReadError,
        OSError,
    ) as error:
        msg.fail("Nothing was compared", str(error), exits=1)
    echo(f"A: {model_a}\nB: {model_b}")
    groups = []
    right: Counter[str] = Counter()
    for i, divergence in enumerate(divergences):
        echo(f"\n{' '.join(ours[i].words)}")
        if divergence is None:
            echo(f"The parsers agree: the same {len(ours[i].names)} actions.")
            continue
        choice = ""
        if trees:
            choice = gold_choice(actions, trees[i], docs[i], ours[i].names, divergence.step)
            right.update(
                [name for name, of in zip("AB", divergence.names, strict=True) if of == choice]
            )
        _print_divergence(divergence, ours[i], theirs[i], choice)
        groups.append(
            [
                attention_map(trace, of, title, _mark(trace, divergence))
                for trace, of, title in (
                    (ours[i], actions, f"A: {' '.join(ours[i].words)}"),
                    (theirs[i], other_actions, f"B: {' '.join(ours[i].words)}"),
                )
            ]
        )
    summary = f"\nThe parsers diverge on {len(groups)} of {len(divergences)} sentences"
    if trees and groups:
        summary += f"; at that action A is right in {right['A']}, B in {right['B']}"
    echo(f"{summary}.")
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


def _doc_of(words: list[str], vocab: Vocab) -> Doc:
    """Words as one sentence."""
    return Doc(vocab, words=words, sent_starts=[i == 0 for i in range(len(words))])


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


def _print_divergence(divergence: Divergence, ours: Trace, theirs: Trace, choice: str) -> None:
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
    if choice:
        rows.append(("gold", choice, "", ""))
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

"""`spacy structparse compare`: the first action at which two parsers diverge on a sentence."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from ....cli.app import app
from ....cli.messages import echo, msg
from ....cli.output_checks import check_outputs, output_file
from ....cli.parse_inputs import docs_of_text
from ....cli.shared_options import Component, Model, NoClobber
from ....corpora.pipeline_outputs import copy_words
from ....pipeline.seq2seq import Trace
from ....transitions.constituency.interface import Linearization
from ..partial_trees import attention_map, last_stack
from .pictures import FORMATS, Text, numbered_pictures
from .tracing import load_tracer, write_maps


@app.command("compare", rich_help_panel="Score")
def compare_cli(
    model_a: Model,
    model_b: Annotated[str, typer.Argument(help="Another one, of the same linearization")],
    text: Text,
    output: Annotated[
        Path | None,
        output_file("Also write both attentions with the step marked: .png, .svg, .html", FORMATS),
    ] = None,
    component: Component = None,
    component_b: Annotated[
        str | None, typer.Option("--component-b", help="The parser, if MODEL_B has several")
    ] = None,
    no_clobber: NoClobber = False,
) -> None:
    """Show where two parsers diverge.

    It prints the step, the stack before it, what each parser chose with which probability, and what
    each attended to.
    Both parse the same words, in sentences as MODEL_A has them.
    """
    check_outputs(no_clobber, *numbered_pictures(output))
    a = load_tracer(model_a, component, parser=True)
    b = load_tracer(model_b, component_b, parser=True)
    if a.linearization is None or b.linearization is None:
        raise ValueError("One of the two pipelines has no parser that builds trees")
    check_comparable(a.linearization, b.linearization)
    docs = [a.prepare(doc) for doc in docs_of_text(text, a.nlp)]
    ours = a.trace(docs)
    theirs = b.trace(b.prepare(copy_words(doc, True, b.nlp.vocab)) for doc in docs)
    if [trace.words for trace in ours] != [trace.words for trace in theirs]:
        raise ValueError("The parsers did not read the same words in the same sentences.")
    echo(f"A: {model_a}\nB: {model_b}")
    groups = []
    for one, other in zip(ours, theirs, strict=True):
        sentence = " ".join(one.words)
        echo(f"\n{sentence}")
        step = divergence_step(one.names, other.names)
        if step is None:
            echo(f"The parsers agree: the same {len(one.names)} actions.")
            continue
        stack = last_stack(a.linearization, one.actions[:step], one.words)
        _print_divergence(step, stack, one, other)
        maps = (("A", one, a.linearization), ("B", other, b.linearization))
        groups.append(
            [
                attention_map(trace, of, f"{name}: {sentence}", min(step, len(trace.names) - 1))
                for name, trace, of in maps
            ]
        )
    echo(f"\nThe parsers diverge on {len(groups)} of {len(ours)} sentences.")
    if output is not None and groups:
        write_maps(groups, output, "Where two parsers diverge")


def check_comparable(ours: Linearization, theirs: Linearization) -> None:
    """Check that two parsers take the same kinds of actions; their labels may differ.

    Raises:
        ValueError: The linearizations or their settings differ.
    """
    if ours.name != theirs.name:
        raise ValueError(
            f"One parser's linearization is {ours.name}, the other's {theirs.name}: actions can "
            "be compared only where both are the same."
        )
    settings, others = ours.settings(), theirs.settings()
    for name in ("closing_labels", "word_symbols"):
        if settings.get(name) != others.get(name):
            raise ValueError(
                f"The parsers' {ours.name} linearizations have different {name}: "
                f"{settings.get(name)} and {others.get(name)}."
            )


def divergence_step(ours: Sequence[str], theirs: Sequence[str]) -> int | None:
    """The first step at which two sequences of action names differ; None if they are equal.

    Where one is the beginning of the other, it is the step at which the shorter one ends.
    """
    for step, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if one != other:
            return step
    return None if len(ours) == len(theirs) else min(len(ours), len(theirs))


def _print_divergence(step: int, stack: list[str], ours: Trace, theirs: Trace) -> None:
    """Print the step, the stack before it, and what each parser did (Ma et al. 2017, Figure 2)."""
    steps = f"{len(ours.names)} and {len(theirs.names)}"
    if len(ours.names) == len(theirs.names):
        steps = str(len(ours.names))
    echo(f"They diverge at step {step} of {steps}, steps counted from 0.")
    echo(f"Stack before it: {'  '.join(stack) or 'empty'}")
    rows = [("A", *_taken(ours, step)), ("B", *_taken(theirs, step))]
    msg.table(rows, header=("", "Action", "p", "Attended to"), aligns=("l", "l", "r", "l"))
    if ours.brackets == theirs.brackets:
        echo("In the end both have the same tree.")


def _taken(trace: Trace, step: int) -> tuple[str, str, str]:
    """The action of a parser, its probability, and the words that it attended to."""
    if step >= len(trace.names):
        return "(finished)", "0.000", ""
    return trace.names[step], f"{np.exp(trace.log_probs[step]):.3f}", _attended(trace, step)


def _attended(trace: Trace, step: int) -> str:
    if trace.kind == "none":
        return "(no attention)"
    often = Counter(trace.positions)
    # A word that the sentence has twice is told by its number, from 1.
    return ", ".join(
        f"{word}{f'/{i + 1}' if often[word] > 1 else ''} {weight:.3f}"
        for i, weight in trace.attended(step, n=7)
        for word in trace.positions[i : i + 1]
    )

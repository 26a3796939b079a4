"""`spacy structparse nearest`: the nearest words in the embeddings that a parser has learned."""

from enum import StrEnum
from typing import Annotated

import typer

from ..models.nearest_words import (
    METRICS,
    LearnedWords,
    Metric,
    UnknownWordError,
    learned_words,
)
from .app import app
from .component_choice import TracingError, choose
from .loading import LoadingError, load_pipeline
from .messages import echo, msg

HEADERS: dict[Metric, tuple[str, str]] = {
    "euclidean": ("Euclidean", "distance"),
    "cosine": ("Cosine", "similarity"),
}


class MetricName(StrEnum):
    """How near words are."""

    cosine = "cosine"
    euclidean = "euclidean"


@app.command("nearest")
def nearest_cli(
    model: Annotated[str, typer.Argument(help="Path or name of a trained pipeline")],
    words: Annotated[list[str], typer.Argument(help="Words of the training data")],
    n: Annotated[
        int, typer.Option("--n", "-n", help="How many neighbours", min=1, max=1_000_000)
    ] = 10,
    metric: Annotated[
        MetricName | None,
        typer.Option("--metric", "-m", help="One column only; by default both are shown"),
    ] = None,
    skip_once: Annotated[
        bool,
        typer.Option("--skip-once", help="Leave out neighbours that the training data had once"),
    ] = False,
    component: Annotated[
        str | None,
        typer.Option("--component", help="The component, if several have learned words"),
    ] = None,
) -> None:
    """List the words nearest to each word in a component's learned word embeddings.

    Words need an embedding of their own: of spacy-structparse.TokenEmbedding.v1, with a word_width.
    """
    metrics: tuple[Metric, ...] = METRICS if metric is None else (metric.value,)
    try:
        nlp = load_pipeline(model)
        found: dict[str, LearnedWords] = {}
        for name, pipe in nlp.pipeline:
            learned = learned_words(pipe.model) if hasattr(pipe, "model") else None
            if learned is not None:
                found[name] = learned
        what = "has learned words (a TokenEmbedding with a word_width)"
        learned = found[choose(model, list(found), nlp.pipe_names, component, what)]
        rows = _rows(learned, [learned.key(nlp.vocab, word) for word in words])
    except (LoadingError, TracingError, UnknownWordError) as error:
        msg.fail("No neighbours", str(error), exits=1)
    for word, row in rows.items():
        columns = [learned.nearest(row, n, each, skip_once) for each in metrics]
        lines = [
            (rank, *(cell for word, value in line for cell in (word, f"{value:.3f}")))
            for rank, line in enumerate(zip(*columns, strict=True), 1)
        ]
        header = ("", *(cell for each in metrics for cell in HEADERS[each]))
        echo(f"\n{word}")
        msg.table(lines, header=header, aligns=("r", *("l", "r") * len(metrics)), divider=True)


def _rows(learned: LearnedWords, keys: list[str]) -> dict[str, int]:
    """The rows of all words. Raises UnknownWordError for all that are not known, at once."""
    rows, problems = {}, []
    for key in keys:
        try:
            rows[key] = learned.row(key)
        except UnknownWordError as error:
            problems.append(str(error))
    if problems:
        raise UnknownWordError("; ".join(problems))
    return rows

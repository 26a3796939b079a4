"""`spacy structparse lm nearest`: the nearest words in the embeddings that a component learned."""

from typing import Annotated

import typer

from ..models.nearest_words import METRICS, LearnedWords, Metric, learned_words
from .lm import lm
from .loading import choose, load_pipeline
from .messages import echo, msg
from .shared_options import Component, Model

HEADERS: dict[Metric, tuple[str, str]] = {
    "euclidean": ("Euclidean", "distance"),
    "cosine": ("Cosine", "similarity"),
}


@lm.command("nearest")
def nearest_cli(
    model: Model,
    words: Annotated[list[str], typer.Argument(help="Words of the training data")],
    n: Annotated[
        int, typer.Option("--n", "-n", help="How many neighbours", min=1, max=1_000_000)
    ] = 10,
    skip_once: Annotated[
        bool,
        typer.Option("--skip-once", help="Leave out neighbours that the training data had once"),
    ] = False,
    component: Component = None,
) -> None:
    """List the words nearest to each word in a component's learned word embeddings.

    Words need an embedding of their own: of spacy-structparse.TokenEmbedding.v1, with a word_width.
    Parsers can have one, too.
    """
    nlp = load_pipeline(model)
    found: dict[str, LearnedWords] = {}
    for name, pipe in nlp.pipeline:
        if hasattr(pipe, "model") and (words_of_pipe := learned_words(pipe.model)) is not None:
            found[name] = words_of_pipe
    what = "has learned words (a TokenEmbedding with a word_width)"
    learned = found[choose(model, list(found), nlp.pipe_names, component, what)]
    rows, problems = {}, []
    for word in words:
        try:
            rows[word] = learned.row(word)
        except ValueError as error:
            problems.append(str(error))
    if problems:
        raise ValueError("; ".join(problems))
    header = ("", *(cell for each in METRICS for cell in HEADERS[each]))
    for word, row in rows.items():
        columns = [learned.nearest(row, n, each, skip_once) for each in METRICS]
        lines = [
            (rank, *(cell for near, value in line for cell in (near, f"{value:.3f}")))
            for rank, line in enumerate(zip(*columns, strict=True), 1)
        ]
        echo(f"\n{word}")
        msg.table(lines, header=header, aligns=("r", *("l", "r") * len(METRICS)), divider=True)

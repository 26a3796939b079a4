"""`spacy structparse lm`: what language models have learned, with `lm sample` and `lm nearest`."""

from typing import Annotated

import torch
import typer
from spacy.language import Language

from ..models.nearest_words import METRICS, LearnedWords, Metric, learned_words
from ..pipeline.phrasal_lm import PhrasalLanguageModel
from .app import LANGUAGE_MODELS, app, typer_group
from .loading import choose, load_pipeline
from .messages import echo, msg
from .shared_options import Component, GpuId, Model, Seed, count, finite

HEADERS: dict[Metric, tuple[str, str]] = {
    "euclidean": ("Euclidean", "distance"),
    "cosine": ("Cosine", "similarity"),
}

lm = typer_group("lm", help="Sentences, surprisal, phrases and similar words of language models.")
app.add_typer(lm, rich_help_panel=LANGUAGE_MODELS)


def load_language_model(
    model: str, component: str | None, gpu_id: int
) -> tuple[Language, PhrasalLanguageModel]:
    """Load a pipeline with a phrasal_lm; if it has several, the others are disabled.

    Args:
        model: Its folder or package.
        component: The name of the language model, if there are several.
        gpu_id: The GPU to use, or -1 for the CPU.

    Returns:
        The pipeline and its language model.

    Raises:
        WeightsError, ValueError: It cannot be loaded, or the component is no language model.
    """
    nlp = load_pipeline(model, gpu_id=gpu_id)
    models = {name: pipe for name, pipe in nlp.pipeline if isinstance(pipe, PhrasalLanguageModel)}
    name = choose(model, list(models), nlp.pipe_names, component, "is a language model")
    nlp.select_pipes(disable=[other for other in models if other != name])
    return nlp, models[name]


@lm.command("sample")
def sample_cli(
    model: Model,
    start: Annotated[
        list[str] | None, typer.Argument(help="Words that the sentences begin with")
    ] = None,
    n: Annotated[int, count("How many sentences", "--n", "-n", most=10_000)] = 10,
    seed: Seed = 0,
    temperature: Annotated[
        float,
        typer.Option(
            help="Below 1 likely words become likelier; 0: always the likeliest",
            min=0.0,
            max=1000.0,
            callback=finite,
        ),
    ] = 1.0,
    max_words: Annotated[int, count("Sentences are cut off after so many", most=10_000)] = 60,
    component: Component = None,
    gpu_id: GpuId = -1,
) -> None:
    """Sample sentences from a phrasal_lm, one a line.

    The unknown word, which stands for all words outside the vocabulary, is never chosen.
    """
    _, language_model = load_language_model(model, component, gpu_id)
    sampled = language_model.sample(
        n,
        generator=torch.Generator().manual_seed(seed),
        start=start or (),
        temperature=temperature,
        max_words=max_words,
    )
    for words in sampled:
        echo(" ".join(words))


@lm.command("nearest")
def nearest_cli(
    model: Model,
    words: Annotated[list[str], typer.Argument(help="Words of the training data")],
    n: Annotated[int, count("How many neighbours", "--n", "-n", most=1_000_000)] = 10,
    skip_once: Annotated[
        bool,
        typer.Option("--skip-once", help="Leave out neighbours that the training data had once"),
    ] = False,
    component: Component = None,
) -> None:
    """List the nearest words in a component's learned embeddings.

    Words need an embedding of their own: of spacy-structparse.TokenEmbedding.v1, with a word_width.
    Parsers can have one, too.
    """
    nlp = load_pipeline(model)
    embeddings: dict[str, LearnedWords] = {}
    for name, pipe in nlp.pipeline:
        if hasattr(pipe, "model") and (words_of_pipe := learned_words(pipe.model)) is not None:
            embeddings[name] = words_of_pipe
    what = "has learned words (a TokenEmbedding with a word_width)"
    learned = embeddings[choose(model, list(embeddings), nlp.pipe_names, component, what)]
    rows, problems = {}, []
    for word in words:
        try:
            rows[word] = learned.row(word)
        except ValueError as error:
            problems.append(str(error))
    if problems:
        raise ValueError("; ".join(problems))
    header = ("", *(cell for metric in METRICS for cell in HEADERS[metric]))
    for word, row in rows.items():
        columns = [learned.nearest(row, n, metric, skip_once) for metric in METRICS]
        lines = [
            (rank, *(cell for near, value in pairs for cell in (near, f"{value:.3f}")))
            for rank, pairs in enumerate(zip(*columns, strict=True), 1)
        ]
        echo(f"\n{word}")
        msg.table(lines, header=header, aligns=("r", *("l", "r") * len(METRICS)), divider=True)

"""`spacy structparse lm`: commands that ask language models, and `lm sample`."""

from typing import Annotated

import torch
import typer
from spacy.language import Language

from ..pipeline.phrasal_lm import PhrasalLanguageModel
from .app import LANGUAGE_MODELS, app, typer_group
from .loading import choose, choose_device, load_pipeline
from .messages import echo
from .shared_options import Component, GpuId, Model, Seed, finite

lm = typer_group("lm", help="Sentences, surprisal, phrases and similar words of language models.")
app.add_typer(lm, rich_help_panel=LANGUAGE_MODELS)


def load_language_model(model: str, component: str | None) -> tuple[Language, PhrasalLanguageModel]:
    """Load a pipeline with a phrasal_lm; if it has several, the others are disabled.

    Args:
        model: Its folder or package.
        component: The name of the language model, if there are several.

    Returns:
        The pipeline and its language model.

    Raises:
        WeightsError, ValueError: It cannot be loaded, or the component is no language model.
    """
    nlp = load_pipeline(model)
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
    n: Annotated[int, typer.Option("--n", "-n", help="How many sentences", min=1, max=10_000)] = 10,
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
    max_words: Annotated[
        int, typer.Option(help="Sentences are cut off after so many", min=1, max=10_000)
    ] = 60,
    component: Component = None,
    use_gpu: GpuId = -1,
) -> None:
    """Make up sentences, one a line, word by word as a phrasal_lm finds words likely.

    The unknown word, which stands for all words outside the vocabulary, is never chosen.
    """
    choose_device(use_gpu)
    _, language_model = load_language_model(model, component)
    sampled = language_model.sample(
        n,
        generator=torch.Generator().manual_seed(seed),
        start=start or (),
        temperature=temperature,
        max_words=max_words,
    )
    for words in sampled:
        echo(" ".join(words))

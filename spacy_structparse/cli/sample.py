"""`spacy structparse sample`: sentences that a language model makes up."""

from typing import Annotated

import torch
import typer

from ..pipeline.phrasal_lm import PhrasalLanguageModel
from .app import app
from .component_choice import TracingError, choose
from .gpu import choose_device
from .loading import LoadingError, load_pipeline
from .messages import echo, msg
from .shared_options import MAX_SEED, GpuId, finite


@app.command("sample")
def sample_cli(
    model: Annotated[str, typer.Argument(help="Path or name of a trained pipeline")],
    start: Annotated[
        list[str] | None, typer.Argument(help="Words that the sentences begin with")
    ] = None,
    n: Annotated[int, typer.Option("--n", "-n", help="How many sentences", min=1, max=10_000)] = 10,
    seed: Annotated[
        int, typer.Option("--seed", "-s", help="Equal seeds, equal sentences", min=0, max=MAX_SEED)
    ] = 0,
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
    component: Annotated[
        str | None, typer.Option("--component", help="The component, if several are models")
    ] = None,
    use_gpu: GpuId = -1,
) -> None:
    """Make up sentences, one a line, word by word as a phrasal_lm finds words likely.

    The unknown word, which stands for all words outside the vocabulary, is never chosen.
    """
    choose_device(use_gpu)
    try:
        nlp = load_pipeline(model)
        models = {
            name: pipe for name, pipe in nlp.pipeline if isinstance(pipe, PhrasalLanguageModel)
        }
        name = choose(model, list(models), nlp.pipe_names, component, "is a language model")
        sampled = models[name].sample(
            n,
            generator=torch.Generator().manual_seed(seed),
            start=start or (),
            temperature=temperature,
            max_words=max_words,
        )
    except (LoadingError, TracingError, ValueError) as error:
        msg.fail("Nothing was made up", str(error), exits=1)
    for words in sampled:
        echo(" ".join(words))

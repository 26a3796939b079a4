"""`spacy structparse ensemble` and `average`: one pipeline made of several trained ones."""

from typing import Annotated

import typer
from spacy import ty
from spacy.cli._util import import_code

from ..errors import EnsembleError
from ..pipeline.ensemble import find_parser, join
from ..training.atomic_to_disk import check_replaceable, save_atomically
from ..training.weights import average
from .app import PIPELINES, PLUMBING, app
from .loading import load_pipeline
from .messages import msg
from .output_checks import check_outputs
from .shared_options import Code, Models, NoClobber, PipelineOutput, count


@app.command("ensemble", rich_help_panel=PIPELINES)
def ensemble_cli(
    models: Models,
    output: PipelineOutput,
    component: Annotated[
        str | None,
        typer.Option("--component", "-c", help="Name of the parser, where a pipeline has several"),
    ] = None,
    beam_width: Annotated[
        int | None, count("1: greedy; by default that of the first parser", "--beam-width", "-b")
    ] = None,
    code: Code = None,
    no_clobber: NoClobber = False,
) -> None:
    """Join the seq2seq_constituency parsers of several pipelines: at every step they choose the
    action of the highest mean log probability.

    They must have the same linearization and actions; attention, encoder and sizes may differ.
    OUTPUT is the first pipeline with the ensemble in the place of its parser. Its members cannot be
    trained further; they no longer need a shared tok2vec or transformer.
    """
    check_outputs(no_clobber, output)
    if len(models) < 2:
        raise EnsembleError("an ensemble needs at least two pipelines")
    check_replaceable(output, models)
    import_code(code)
    parsers = [find_parser(model, load_pipeline(model), component) for model in models]
    nlp = join(parsers, beam_width)
    save_atomically(nlp, output)
    for name, pipe in nlp.components:
        if isinstance(pipe, ty.ListenedToComponent) and not pipe.listening_components:
            msg.warn(
                f"No component listens to '{name}' any more: unless you read what it writes to "
                "docs, take it out with nlp.remove_pipe"
            )
    msg.good(f"{output}: an ensemble of {len(parsers)} parsers")


@app.command("average", rich_help_panel=PLUMBING, hidden=True)
def average_cli(
    models: Models,
    output: PipelineOutput,
    code: Code = None,
    no_clobber: NoClobber = False,
) -> None:
    """Average the weights of pipelines: checkpoints of one training run, or of training runs that
    went on from one another (spacy-structparse.continue_from.v1).

    OUTPUT is the first pipeline with the means of all as its weights. The mean of
    pipelines whose training began with different weights is useless.
    """
    check_outputs(no_clobber, output)
    check_replaceable(output, models)
    import_code(code)
    save_atomically(average((model, load_pipeline(model)) for model in models), output)
    msg.good(f"{output}: the mean of {len(models)} pipelines")

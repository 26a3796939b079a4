"""Pipelines made of trained ones: `ensemble`, `average` and `compress`."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from spacy import ty
from spacy.cli._util import import_code

from ..errors import EnsembleError
from ..pipeline.ensemble import find_parser, join
from ..training.atomic_to_disk import check_replaceable, save_atomically
from ..training.weights import average, store_in_half_precision
from . import shared_options as option
from .app import PIPELINES, PLUMBING, app
from .loading import load_pipeline
from .messages import msg
from .output_checks import check_outputs


@app.command("ensemble", rich_help_panel=PIPELINES)
def ensemble_cli(
    models: option.Models,
    output: option.PipelineOutput,
    component: Annotated[
        str | None,
        typer.Option("--component", "-c", help="Name of the parser, where a pipeline has several"),
    ] = None,
    beam_width: Annotated[
        int | None,
        option.count("1: greedy; default: that of the first parser", "--beam-width", "-b"),
    ] = None,
    code: option.Code = None,
    no_clobber: option.NoClobber = False,
) -> None:
    """Join several seq2seq_constituency parsers.

    At every step the ensemble chooses the action of the highest mean log probability. The parsers
    must have the same linearization and actions; attention, encoder and sizes may differ. OUTPUT is
    the first pipeline with the ensemble in the place of its parser. Its members cannot be trained
    further; they no longer need a shared tok2vec or transformer.
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
            msg.warn(f"No component listens to '{name}' any more: nlp.remove_pipe takes it out")
    msg.good(f"{output}: an ensemble of {len(parsers)} parsers")


@app.command("average", rich_help_panel=PLUMBING, hidden=True)
def average_cli(
    models: option.Models,
    output: option.PipelineOutput,
    code: option.Code = None,
    no_clobber: option.NoClobber = False,
) -> None:
    """Average the weights of pipelines.

    Take checkpoints of one training run, or of training runs that went on from one another
    (spacy-structparse.continue_from.v1). OUTPUT is the first pipeline with the means of all as its
    weights. The mean of pipelines whose training began with different weights is useless.
    """
    check_outputs(no_clobber, output)
    check_replaceable(output, models)
    import_code(code)
    save_atomically(average((model, load_pipeline(model)) for model in models), output)
    msg.good(f"{output}: the mean of {len(models)} pipelines")


@app.command("compress", rich_help_panel=PLUMBING, hidden=True)
def compress_cli(
    model: option.Model,
    output: Annotated[Path, typer.Argument(help="The pipeline folder to write", file_okay=False)],
    half: Annotated[
        Literal["float16", "bfloat16"],
        typer.Option(
            "--half",
            help="The type of the weights. float16 has 11 significant bits. bfloat16 has 8, as the "
            "products of bfloat16 = true have, and takes less space in an archive",
        ),
    ] = "float16",
    code: option.Code = None,
    no_clobber: option.NoClobber = False,
) -> None:
    """Store a pipeline's PyTorch weights in half precision, in half the space.

    They are read back in single precision: memory and speed stay as they are. The weights of
    Thinc's own layers and word vectors are rounded to half precision, which a wheel or a zip file
    stores in two thirds of the space.
    """
    check_outputs(no_clobber, output)
    check_replaceable(output, [model])
    nlp = load_pipeline(model, code=code)
    if not store_in_half_precision(nlp, half):
        raise ValueError("it has no PyTorch weights: only these are stored in half precision")
    save_atomically(nlp, output)
    before, after = (
        sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
        for folder in (Path(nlp.path or output), output)
    )
    msg.good(f"{output}: {after:.1f} MB, before {before:.1f} MB")

"""`spacy structparse calibrate`: a pipeline whose confidence can be taken at its word."""

from typing import Annotated

import typer

from ..pipeline.confidence import calibrate, enable_confidence
from ..training.atomic_to_disk import check_replaceable, save_atomically
from .app import PIPELINES, app
from .gold_examples import read_examples
from .loading import load_pipeline
from .messages import msg
from .output_checks import check_outputs
from .shared_options import Code, GoldData, GoldPreproc, GpuId, Model, NoClobber, PipelineOutput


@app.command("calibrate", rich_help_panel=PIPELINES)
def calibrate_cli(
    model: Model,
    data: GoldData,
    output: PipelineOutput,
    confidence: Annotated[
        bool,
        typer.Option(
            "--confidence/--no-confidence",
            help="Let the parsers of OUTPUT compute confidence whenever they parse",
        ),
    ] = False,
    gold_preproc: GoldPreproc = True,
    code: Code = None,
    use_gpu: GpuId = -1,
    no_clobber: NoClobber = False,
) -> None:
    """Calibrate how sure the parsers of a pipeline are of what they find.

    Of the arcs of OUTPUT with a confidence of 0.8, four out of five are right. OUTPUT is MODEL with
    three numbers more for heads, for heads with labels and for brackets, fitted to DATA, the
    development part: not data that MODEL was trained on. The table has the expected calibration
    error on DATA.
    """
    check_outputs(no_clobber, output)
    check_replaceable(output, [model])
    nlp = load_pipeline(model, code=code, gpu_id=use_gpu)
    fitted = calibrate(nlp, read_examples(nlp, data, gold_preproc=gold_preproc))
    if confidence:
        enable_confidence(nlp)
    save_atomically(nlp, output)
    rows = [
        (fit.component, fit.kind, f"{fit.decisions:,}", f"{fit.before:.4f}", f"{fit.after:.4f}")
        for fit in fitted
    ]
    header = ("Component", "Of", "Decisions", "ECE before", "ECE after")
    msg.table(rows, header=header, aligns=("l", "l", "r", "r", "r"), divider=True)
    msg.good(f"{output}: calibrated on {data}")

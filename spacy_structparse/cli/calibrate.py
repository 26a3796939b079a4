"""`spacy structparse calibrate`: a pipeline whose confidence can be taken at its word."""

from pathlib import Path
from typing import Annotated

import typer
from spacy.cli._util import import_code

from ..corpora.docbins import DocBinError
from ..pipeline.confidence import calibrate, enable_confidence
from ..training.atomic_to_disk import check_replaceable, save_atomically
from .app import app
from .gold_examples import read_examples
from .gpu import choose_device
from .loading import load_pipeline
from .messages import msg
from .output_checks import check_outputs
from .shared_options import Code, GoldPreproc, GpuId, NoClobber, PipelineOutput


@app.command("calibrate")
def calibrate_cli(
    model: Annotated[str, typer.Argument(help="A trained pipeline: its folder or package")],
    data: Annotated[
        Path,
        typer.Argument(
            help="A .spacy file, or a folder of them: the development part", exists=True
        ),
    ],
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
    three numbers more for heads, for heads with labels and for brackets, fitted to DATA, which must
    not be data that MODEL was trained on. The table has the expected calibration error on DATA.
    """
    check_outputs(no_clobber, output)
    try:
        check_replaceable(output, [model])
        import_code(code)
        choose_device(use_gpu)
        nlp = load_pipeline(model)
        examples = read_examples(nlp, data, gold_preproc=gold_preproc)
        fitted = calibrate(nlp, examples)
        if confidence:
            enable_confidence(nlp)
        save_atomically(nlp, output)
    except (DocBinError, ValueError, OSError) as error:
        msg.fail("No pipeline was written", str(error), exits=1)
    rows = [
        (one.component, one.kind, f"{one.decisions:,}", f"{one.before:.4f}", f"{one.after:.4f}")
        for one in fitted
    ]
    header = ("Component", "Of", "Decisions", "ECE before", "ECE after")
    msg.table(rows, header=header, aligns=("l", "l", "r", "r", "r"), divider=True)
    msg.good(f"{output}: calibrated on {data}")

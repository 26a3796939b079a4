"""`spacy structparse average`: the mean of the weights of several pipelines."""

from spacy.cli._util import import_code

from ..training.atomic_to_disk import check_replaceable, save_atomically
from ..training.weights import average
from .app import app
from .loading import load_pipeline
from .messages import msg
from .output_checks import check_outputs
from .shared_options import Code, Models, NoClobber, PipelineOutput


@app.command("average")
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
    try:
        check_replaceable(output, models)
        import_code(code)
        nlp = average((model, load_pipeline(model)) for model in models)
        save_atomically(nlp, output)
    except (ValueError, OSError) as error:
        msg.fail("No pipeline was written", str(error), exits=1)
    msg.good(f"{output}: the mean of {len(models)} pipelines")

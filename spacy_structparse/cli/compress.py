"""`spacy structparse compress`: a pipeline with its weights stored in half precision."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from spacy.cli._util import import_code

from ..training.atomic_to_disk import check_replaceable, save_atomically
from ..training.weights import (
    round_thinc_weights,
    round_vectors_to_half_precision,
    store_in_half_precision,
)
from .app import app
from .loading import load_pipeline
from .messages import msg
from .output_checks import check_outputs
from .shared_options import Code, NoClobber


class Half(str, Enum):
    """The types that weights are stored in."""

    float16 = "float16"
    bfloat16 = "bfloat16"


@app.command("compress")
def compress_cli(
    model: Annotated[str, typer.Argument(help="Path or name of a trained pipeline")],
    output: Annotated[Path, typer.Argument(help="The pipeline folder to write", file_okay=False)],
    half: Annotated[
        Half,
        typer.Option(
            "--half",
            help="The type of the weights. float16 has 11 significant bits. bfloat16 has 8, as the "
            "products of bfloat16 = true have, and takes less space in an archive",
        ),
    ] = Half.float16,
    code: Code = None,
    no_clobber: NoClobber = False,
) -> None:
    """Store a pipeline's PyTorch weights in half precision, in half the space.

    They are read back in single precision: memory and speed stay as they are. The weights of
    Thinc's own layers and word vectors are rounded to half precision, which a wheel or a zip file
    stores in two thirds of the space.
    """
    check_outputs(no_clobber, output)
    try:
        check_replaceable(output, [model])
        import_code(code)
        nlp = load_pipeline(model)
        if not store_in_half_precision(nlp, half.value):
            raise ValueError("it has no PyTorch weights: only these are stored in half precision")
        round_thinc_weights(nlp)
        round_vectors_to_half_precision(nlp.vocab.vectors)
        save_atomically(nlp, output)
    except (ValueError, OSError) as error:
        msg.fail("No pipeline was written", str(error), exits=1)
    before, after = _megabytes(nlp.path), _megabytes(output)
    msg.good(f"{output}: {after:.1f} MB, before {before:.1f} MB")


def _megabytes(folder: Path | None) -> float:
    files = folder.rglob("*") if folder is not None else ()
    return sum(path.stat().st_size for path in files if path.is_file()) / 1e6

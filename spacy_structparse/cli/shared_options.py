"""Options that several commands have."""

import errno
import glob
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

NoClobber = Annotated[
    bool,
    typer.Option(
        "--no-clobber",
        help="Stop before the work if an output exists. Without it what was there is replaced",
    ),
]
ResumingNoClobber = Annotated[
    bool,
    typer.Option(
        "--no-clobber",
        help="Stop before the work if OUTPUT_DIR has files. Without it a run goes on there",
    ),
]
Code = Annotated[Path | None, typer.Option("--code", help="Python file to import before loading")]
Models = Annotated[
    list[str],
    typer.Argument(metavar="MODEL...", help="Paths or names of two or more trained pipelines"),
]
Text = Annotated[str, typer.Argument(help="The text to read, or - for the standard input")]
PicturesOutput = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="File to write, its ending says in which format; pictures of several sentences are "
        "numbered",
        dir_okay=False,
    ),
]
PipelineOutput = Annotated[
    Path, typer.Option("--output", "-o", help="The pipeline folder to write", file_okay=False)
]
GpuId = Annotated[int, typer.Option("--gpu-id", "-g", help="GPU id, or -1 for the CPU")]
GoldPreproc = Annotated[
    bool,
    typer.Option(
        "--gold-preproc/--raw",
        "-G/-R",
        help="Gold tokens and sentences, or those that the pipeline makes of the text",
    ),
]


def check_outputs(no_clobber: bool, *outputs: Path | None) -> None:
    """Raise FileExistsError for two outputs that are one file, the second of which would replace
    the first.

    Under --no-clobber also for an output that is a file, or a folder with anything in it. A device
    or a pipe is written into, and loses nothing.
    """
    seen = set()
    for path in outputs:
        if path is None or (path.exists() and not path.is_file() and not path.is_dir()):
            continue
        real = os.path.realpath(path)
        if real in seen:
            raise FileExistsError(
                errno.EEXIST, "it is given for two outputs: name another", os.fspath(path)
            )
        seen.add(real)
        if no_clobber and (path.is_file() or (path.is_dir() and any(path.iterdir()))):
            raise FileExistsError(
                errno.EEXIST, "it exists, and --no-clobber is given", os.fspath(path)
            )


def refuse_inputs(inputs: Iterable[str | Path | None], *outputs: Path | None) -> None:
    """Raise FileExistsError for an output that is one of the inputs: writing it would destroy what
    was given.

    Args:
        inputs: Files and folders; what is neither, as a text, is passed over.
        outputs: The files to be written.
    """
    files = [path for path in outputs if path is not None and path.is_file()]
    given = [one for one in inputs if one is not None] if files else []
    for path in files:
        if any(_is_file(one, path) for one in given):
            raise FileExistsError(
                errno.EEXIST, "it is an input, which would be lost: name another", os.fspath(path)
            )


def _is_file(given: str | Path, path: Path) -> bool:
    try:
        return os.path.samefile(given, path)
    except (OSError, ValueError):  # no file: a text may be too long for a name, or have a NUL
        return False


def numbered_pictures(output: Path | None) -> list[Path]:
    """The files that pictures of one or of several sentences may be written to, and exist."""
    if output is None:
        return []
    numbered = output.parent.glob(f"{glob.escape(output.stem)}-[0-9]*{glob.escape(output.suffix)}")
    return [output, *sorted(numbered)]

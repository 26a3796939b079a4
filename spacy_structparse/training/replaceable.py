"""What may stand where a pipeline is written: nothing, an empty folder, or a pipeline alone."""

from collections.abc import Iterable
from pathlib import Path

from spacy.util import load_config

CONFIG = "config.cfg"
META = "meta.json"


def check_replaceable(output: Path, inputs: Iterable[str | Path] = ()) -> None:
    """Raise ValueError where writing a pipeline would delete something else than a pipeline.

    Args:
        output: The folder to write. A link is followed.
        inputs: What the pipeline is made of: folders, files, or names of packages.

    Raises:
        ValueError: ``output`` is one of the inputs or a folder around one, or it exists and has
            something that is not a pipeline's.
    """
    target = output.resolve()
    for path in inputs:
        given = Path(path).resolve()
        if target == given:
            raise ValueError(
                f"{output} is one of the pipelines or texts given; write to another folder"
            )
        if target in given.parents and given.exists():
            raise ValueError(f"{output} contains the input {path}; write to another folder")
    problem = foreign_content(target)
    if problem is not None:
        raise ValueError(
            f"{output} {problem}, and is not replaced; choose another folder or remove it"
        )


def foreign_content(folder: Path) -> str | None:
    """The reason why a path is neither free, nor an empty folder, nor a pipeline's; or None.

    A pipeline's folder has ``meta.json``, ``config.cfg`` with a part ``[nlp]``, and beside them the
    components of that pipeline, ``vocab`` and ``tokenizer`` alone.
    """
    if not folder.exists():
        return None
    if not folder.is_dir():
        return "is a file"
    names = {path.name for path in folder.iterdir()}
    if not names:
        return None
    components = _components(folder)
    if components is None:
        return "exists and is not a pipeline's folder"
    others = sorted(names - {META, CONFIG, "vocab", "tokenizer", *components})
    if others:
        return f"is a pipeline's folder with something else in it ({', '.join(others[:5])})"
    return None


def _components(folder: Path) -> list[str] | None:
    """The names under which a pipeline saves its components; None: the folder is no pipeline."""
    if not (folder / META).is_file() or not (folder / CONFIG).is_file():
        return None
    try:
        names = load_config(folder / CONFIG).get("nlp", {}).get("pipeline")
    except (ValueError, OSError):
        return None
    if not isinstance(names, list):
        return None
    # spaCy's sentencizer is a JSON file.
    return [saved for name in names for saved in (str(name), str(Path(name).with_suffix(".json")))]

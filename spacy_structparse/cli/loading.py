"""Trained pipelines, their components and the device, for the commands that use them."""

from collections.abc import Sequence
from pathlib import Path

from spacy.cli._util import import_code, setup_gpu
from spacy.language import Language

from ..errors import WeightsError
from ..escaping import error_text
from ..training.atomic_to_disk import load_whole


def load_pipeline(
    model: str, *, code: Path | None = None, gpu_id: int | None = None, n_process: int = 1
) -> Language:
    """Load a trained pipeline.

    Args:
        model: Its name or folder.
        code: A Python file to import before.
        gpu_id: The GPU to use, or -1 for the CPU; see `choose_device`. None: the device in use.
        n_process: The number of processes that will parse.

    Raises:
        WeightsError: It cannot be loaded. The error names it.
        ValueError: There is no such GPU.
    """
    import_code(code)
    if gpu_id is not None:
        choose_device(gpu_id, n_process=n_process)
    try:
        return load_whole(model)
    except Exception as error:  # spaCy's readers do not check what they read
        message = error_text(error).rstrip()
        raise WeightsError(f"The pipeline '{model}' cannot be loaded: {message}") from error


def choose(
    model: str, fitting: Sequence[str], names: Sequence[str], wanted: str | None, what: str
) -> str:
    """Return the component that was asked for, or the only one that fits.

    Raises ValueError, which names what there is."""
    if not fitting:
        present = ", ".join(names) or "none"
        raise ValueError(f"No component of '{model}' {what}; its components: {present}")
    if wanted is None and len(fitting) == 1:
        return fitting[0]
    if wanted is None or wanted not in fitting:
        raise ValueError(f"--component must name one that {what}: {', '.join(fitting)}")
    return wanted


def last_component(nlp: Language, annotation: str) -> str | None:
    """The name of the last component that assigns an annotation; None if none does."""
    names = [name for name in nlp.pipe_names if annotation in nlp.get_pipe_meta(name).assigns]
    return names[-1] if names else None


def choose_device(gpu_id: int, *, n_process: int = 1) -> None:
    """Use the GPU of a number, or the CPU for -1.

    Raises ValueError without such a GPU, and if several processes would use it: one that is forked
    from a process that uses a GPU cannot.
    """
    if gpu_id >= 0 and n_process > 1:
        raise ValueError("--n-process is for the CPU: leave it or --gpu-id out")
    try:
        setup_gpu(gpu_id, silent=True)
    except Exception as error:  # spaCy's ValueError, or CuPy's own
        remedy = "Leave out --gpu-id to use the CPU, or see docs/gpu.md"
        raise ValueError(f"GPU {gpu_id} cannot be used: {error}\n{remedy}") from error

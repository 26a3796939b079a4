"""Trained pipelines, their components and the device, for the commands that use them."""

from collections.abc import Sequence

from spacy.cli._util import setup_gpu
from spacy.language import Language

from ..errors import WeightsError
from ..escaping import error_text
from ..training.atomic_to_disk import load_whole
from .messages import msg


def load_pipeline(model: str) -> Language:
    """Load a trained pipeline, by name or folder.

    Raises WeightsError, which names it."""
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
    present = ", ".join(names) or "none"
    if wanted is None:
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise ValueError(
                f"More than one component of '{model}' {what}: choose with --component one of "
                f"{', '.join(fitting)}"
            )
        raise ValueError(f"No component of '{model}' {what}; its components: {present}")
    if wanted not in names:
        raise ValueError(f"'{model}' has no component '{wanted}'; its components: {present}")
    if wanted not in fitting:
        there = f"; there is {', '.join(fitting)}" if fitting else ""
        raise ValueError(f"The component '{wanted}' of '{model}' is not one that {what}{there}")
    return wanted


def last_component(nlp: Language, annotation: str) -> str | None:
    """The name of the last component that assigns an annotation; None if none does."""
    names = [name for name in nlp.pipe_names if annotation in nlp.get_pipe_meta(name).assigns]
    return names[-1] if names else None


def choose_device(gpu_id: int, *, n_process: int = 1, silent: bool = True) -> None:
    """Use the GPU of a number, or the CPU for -1.

    Without such a GPU the command ends, and if several processes would use it: one that is forked
    from a process that uses a GPU cannot.
    """
    if gpu_id >= 0 and n_process > 1:
        msg.fail("--n-process is for the CPU: leave it or --gpu-id out", exits=1)
    try:
        setup_gpu(gpu_id, silent=silent)
    except Exception as error:  # spaCy's ValueError, or CuPy's own
        msg.fail(
            f"GPU {gpu_id} cannot be used: {error}",
            "Leave the GPU's id out to use the CPU, or install what docs/gpu.md names",
            exits=1,
        )

"""The device of the commands that run a pipeline."""

from spacy.cli._util import setup_gpu

from .messages import msg


def choose_device(gpu_id: int, *, silent: bool = True) -> None:
    """Use the GPU of a number, or the CPU for -1; without such a GPU the command ends."""
    try:
        setup_gpu(gpu_id, silent=silent)
    except Exception as error:  # spaCy's ValueError, or CuPy's own
        msg.fail(
            f"GPU {gpu_id} cannot be used: {error}",
            "Without --gpu-id the command runs on the CPU. For a GPU install the extra that "
            "docs/gpu.md names, and see the numbers of GPUs with nvidia-smi",
            exits=1,
        )

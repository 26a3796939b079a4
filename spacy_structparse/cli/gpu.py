"""The device of the commands that run a pipeline."""

from spacy.cli._util import setup_gpu

from .messages import msg


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

"""The memory of this process."""

import ctypes
import os
from contextlib import suppress
from pathlib import Path

OF_A_TRANSFORMER = 64
"""Functions of oneDNN that a transformer needs: each is used again in all layers of a batch, and
seldom later."""
OF_A_PARSER = 256
"""Functions of oneDNN that a parser needs: those of frequent shapes of its LSTMs and products. With
160 `stack_lstm_dep` compiles them again and again."""


def memory_used() -> int:
    """The bytes of memory that this process has; where the system does not tell, the most that it
    has had, and 0 where nothing is known."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        pass
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def give_back_memory() -> None:
    """Give memory that is free in this process back to the system, where its C library can.

    glibc keeps what a large batch has needed as long as anything above it is in use.
    """
    with suppress(AttributeError, OSError, TypeError):  # other systems have no such function
        ctypes.CDLL(None).malloc_trim(0)


def limit_compiled(functions: int) -> None:
    """Let oneDNN keep so many functions, unless ``ONEDNN_PRIMITIVE_CACHE_CAPACITY`` is set.

    oneDNN, which computes products and LSTMs on a CPU, compiles a function for each shape that it
    meets and keeps the last 1,024. Texts of all lengths have many shapes, of which most are rare:
    memory grows for hundreds of thousands of sentences. This must be called before the first
    product, as oneDNN reads the variable once.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", str(functions))

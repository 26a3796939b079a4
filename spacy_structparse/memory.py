"""The memory of this process."""

import ctypes
import os
from contextlib import suppress
from pathlib import Path


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

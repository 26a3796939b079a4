"""What spawned processes do. They import this file, and little else."""

import os
import signal
from pathlib import Path

from spacy_structparse.files import folder_written_whole, write_atomically, written_whole


def end_at_three(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def write_often(path: Path, content: bytes) -> None:
    for _ in range(20):
        write_atomically(path, content)


def write_half(path: Path) -> None:
    """Begin a file and a folder beside it, and end."""
    folder = path.with_name("folder")
    with written_whole(path) as file, folder_written_whole(folder) as inside:
        (inside / "part").write_text("half")
        file.write(b"half")
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)

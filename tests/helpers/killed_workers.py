"""What worker processes do that are killed. A spawned one imports this file, and little else."""

import os
import signal


def end_at_three(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number

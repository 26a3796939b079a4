"""How much of each attack runs: a part in every run of the tests, all of it when asked for."""

import os
from typing import TypeVar

T = TypeVar("T")
FULL = os.environ.get("STRUCTPARSE_ATTACKS") == "full"


def bounded(few: T, everything: T) -> T:
    """``few``, or ``everything`` where the environment says ``STRUCTPARSE_ATTACKS=full``."""
    return everything if FULL else few

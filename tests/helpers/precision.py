"""Fast products in bfloat16, on a processor without instructions for it too."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import torch

from spacy_structparse.nn.fast import device


@contextmanager
def in_bfloat16(is_rounded: bool = True) -> Iterator[None]:
    """Compute fast products in bfloat16, or, if not ``is_rounded``, as their inputs are."""
    with (
        patch.object(device, "cpu_has_bfloat16", lambda: True),
        device.compute_dtype(torch.bfloat16 if is_rounded else None),
    ):
        yield

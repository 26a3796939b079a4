"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest
import torch

from tests.helpers.paths import ROOT

torch.set_num_threads(1)


@pytest.fixture(scope="session")
def treebanks() -> Path:
    """The folder of real treebanks (craft, ewt, gum); the test is skipped where it is absent."""
    path = Path(os.environ.get("STRUCTPARSE_TREEBANKS", ROOT.parent / "shared" / "treebanks"))
    if not (path / "craft").is_dir():
        pytest.skip(f"no treebanks at {path}: set STRUCTPARSE_TREEBANKS to their folder")
    return path

"""What would break on a GPU is found on a CPU: see ``on_pretend_gpu.py``."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from torch.utils import backend_registration

from tests.helpers.paths import ROOT

CASES = Path(__file__).with_name("on_pretend_gpu.py")


@pytest.mark.slow
@pytest.mark.skipif(
    not hasattr(backend_registration, "_setup_privateuseone_for_python_backend"),
    reason="this version of PyTorch has no devices that are written in Python",
)
def test_on_a_pretend_gpu() -> None:
    """A process of its own: one that has computed gradients takes no further device, and one that
    has such a device cannot be forked."""
    # Without pytest's own variables: it is no worker of this run.
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", str(CASES)],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr

"""The Chromium that tests look at pages with."""

import os
import shutil
from importlib.util import find_spec

import pytest

from spacy_structparse.viz.page import CHROMIUM, NAMES


def chromium_or_skip(*needs: tuple[str, str]) -> str:
    """The path of a Chromium of the system; the test is skipped without it.

    Args:
        needs: Packages that the test needs too, each with the extra that installs it.
    """
    for name, extra in (("playwright", "browser"), *needs):
        if find_spec(name) is None:
            pytest.skip(f"needs {name}: python -m pip install -e '.[{extra}]'")
    path = os.environ.get(CHROMIUM) or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"needs Chromium: apt-get install chromium, or its path in {CHROMIUM}")
    return path

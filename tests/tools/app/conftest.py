"""A server of the page, and a browser that looks at it."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.helpers.paths import ROOT, SAVED

TREES, OTHER_TREES = (
    str(SAVED / name) for name in ("trees_bottom_up_datt", "trees_in_order_probabilistic")
)
ARCS = str(SAVED / "stack_torch_direct")
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 30_000  # milliseconds that a busy machine may take


@pytest.fixture(scope="session")
def context() -> Iterator[Any]:
    """A headless Chromium, of the system, that keeps Streamlit's files from page to page."""
    pytest.importorskip("streamlit")
    pytest.importorskip("playwright")
    variable = "STRUCTPARSE_CHROMIUM"
    path = os.environ.get(variable) or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if path is None:
        pytest.skip(f"needs Chromium: apt-get install chromium, or its path in {variable}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # The sandbox needs rights that containers lack; the only page is our own.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser.new_context(viewport={"width": 1280, "height": 1000})
        browser.close()


@pytest.fixture(scope="session")
def address(context: Any) -> Iterator[str]:
    """Where the page is served."""
    command = [sys.executable, "-m", "spacy_structparse", "app", TREES, OTHER_TREES, ARCS]
    command += ["--no-browser", "--host", "127.0.0.1", "--port", "0"]
    server = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert server.stdout is not None
    said = ""
    try:
        for line in server.stdout:
            said += line
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                yield found[0]
                break
        else:
            pytest.fail(f"the server ended: {said}")
    finally:
        server.kill()  # it has nothing to finish
        server.wait()
        server.stdout.close()


@pytest.fixture
def page(context: Any, address: str) -> Iterator[Any]:
    """The page with the example, in a window of its own."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.get_by_role("img", name="Tree: ").wait_for()
    yield page
    page.close()

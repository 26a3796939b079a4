"""Drawings and pages as PNG and PDF, by a Chromium that Playwright drives.

A browser has every script, direction and font right. It is the extra `browser`.
"""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

Printed = Literal["png", "pdf"]
CHROMIUM = "STRUCTPARSE_CHROMIUM"
"""The environment variable with the path of a Chromium."""
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SCALE = 2
"""Pixels of a PNG for each of the drawing, so that it is sharp in print."""
WIDTH = 1000


class MissingBrowserError(ImportError):
    """Playwright, or a Chromium for it, is not installed."""


def printed(html: str, format: Printed) -> bytes:
    """A page as a picture of its own size. Nothing in it is executed or fetched.

    Args:
        html: The page.
        format: `"png"` or `"pdf"`.

    Raises:
        MissingBrowserError: Playwright or Chromium is not installed.
    """
    # Playwright refuses to run in the thread of an event loop, such as a notebook's.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_printed, html, format).result()


def _printed(html: str, format: Printed) -> bytes:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise MissingBrowserError(
            "PNG and PDF are made by Playwright, which is not installed: python -m pip install "
            "'spacy-structparse[browser]'. SVG and HTML need nothing"
        ) from error
    with sync_playwright() as playwright:
        browser = _launched(playwright)
        page = browser.new_page(
            viewport={"width": WIDTH, "height": WIDTH},
            device_scale_factor=SCALE,
            java_script_enabled=False,
            offline=True,
        )
        page.set_content(html)
        whole = page.locator("html")
        box = whole.bounding_box()
        assert box is not None  # every page has this element
        if format == "png":
            data = whole.screenshot(type="png")
        else:
            width, height = f"{box['width']}px", f"{box['height'] + 1}px"
            data = page.pdf(width=width, height=height, print_background=True)
        browser.close()
        return data


def _launched(playwright: "Playwright") -> "Browser":
    """The Chromium of the variable, of the system, or else Playwright's own."""
    path = os.environ.get(CHROMIUM) or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None and not os.path.exists(playwright.chromium.executable_path):
        raise MissingBrowserError(
            "PNG and PDF are made by Chromium, which was not found: install it, name its program "
            f"in the variable {CHROMIUM}, or run python -m playwright install chromium"
        )
    return playwright.chromium.launch(executable_path=path)

"""HTML pages of parses, a section for each sentence, in the colours of the reader's system."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from html import escape
from typing import TYPE_CHECKING, Literal

from ..printable import printable

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

PAGE_SUFFIXES = (".html", ".htm")
_START = """<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font-family: sans-serif; margin: 2em; }}
section {{ margin-bottom: 2.5em; }}
h2 {{ font-size: 1em; opacity: 0.7; }}
</style>
</head>
<body>
"""
PAGE_END = "</body>\n</html>\n"


def page_start(title: str = "Parses") -> str:
    """What stands before the sections of a page."""
    return _START.format(title=escape(title))


def page_section(name: str, text: str, drawing: str | None) -> str:
    """A sentence as a part of the page.

    Args:
        name: Of the sentence, such as `1-2`; a link can point to `#s1-2`.
        text: Of the sentence. It has the direction of its first letter.
        drawing: HTML; None if there is no tree to draw.
    """
    return (
        f'<section id="s{name}">\n<h2>{name}</h2>\n<p dir="auto">{escape(printable(text))}</p>\n'
        f"{'<p><em>No tree</em></p>' if drawing is None else drawing}\n</section>\n"
    )


def alone(drawing: str) -> str:
    """A page of the size of its only drawing, for a picture of it."""
    style = "html, body { margin: 0; width: max-content } svg { display: block }"
    return f'<!DOCTYPE html><meta charset="utf-8"><style>{style}</style>{drawing}'


def unrolled(page: str) -> str:
    """A page for a picture of it: as wide as its widest drawing, so that nothing scrolls."""
    style = (
        "html, body { width: max-content } p, h2 { max-width: 60em } "
        "* { overflow: visible !important; max-height: none !important }"
    )
    return page.replace("</head>", f"<style>{style}</style>\n</head>", 1)


def preformatted(marked: str) -> str:
    """Lines of marked-up text in a font of one width; long ones scroll."""
    return f'<pre dir="ltr" style="line-height: 1.2; overflow-x: auto">{marked}</pre>'


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

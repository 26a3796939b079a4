"""HTML pages of parses, a section for each sentence, in the colours of the reader's system."""

from html import escape

from ..escaping import escape_control
from .sentences import ParsedSentence

PAGE_SUFFIXES = (".html", ".htm")
PAGE_START = """<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Parses</title>
<style>
:root { color-scheme: light dark; }
body { font-family: sans-serif; margin: 2em; }
section { margin-bottom: 2.5em; }
h2 { font-size: 1em; opacity: 0.7; }
</style>
</head>
<body>
"""
PAGE_END = "</body>\n</html>\n"


def page_section(name: str, sentence: ParsedSentence, drawing: str | None) -> str:
    """A sentence as a part of the page.

    Args:
        name: Of the sentence, such as `1-2`; a link can point to `#s1-2`.
        sentence: The sentence. Its text has the direction of its first letter.
        drawing: HTML; None if there is no tree to draw.
    """
    text = escape(escape_control(sentence.text))
    return (
        f'<section id="s{name}">\n<h2>{name}</h2>\n<p dir="auto">{text}</p>\n'
        f"{'<p><em>No tree</em></p>' if drawing is None else drawing}\n</section>\n"
    )


def preformatted(marked: str) -> str:
    """Lines of marked-up text in a font of one width; long ones scroll."""
    return f'<pre dir="ltr" style="line-height: 1.2; overflow-x: auto">{marked}</pre>'

"""`spacy_structparse.viz.render`: the parses of Docs as drawings, pages and text."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import get_args

from spacy.tokens import Doc, Span
from spacy.util import is_in_jupyter

from ..files import write_atomically
from ..printable import printable
from ..trees import Tree, get_tree
from ..trees.span_group import SPANS_KEY
from ..trees.svg import scrolling
from ..trees.svg_document import are_right_to_left
from ..trees.words import words_of
from .latex import LATEX_END, LATEX_START, LATEX_SUFFIX, latex_sections
from .page import (
    PAGE_END,
    PAGE_SUFFIXES,
    Printed,
    alone,
    page_section,
    page_start,
    preformatted,
    printed,
    unrolled,
)
from .paint import html, painted_brackets
from .sentences import ParsedSentence, parsed_sentences
from .styles import Drawer, MissingConfidenceError, Style
from .terminal import WIDTH, TerminalView

TEXTS = ("brackets", "terminal")
IN_LATEX = ("tree", "arcs")
PRINTED: dict[str, Printed] = {".png": "png", ".pdf": "pdf"}
MOVED_STYLES = {
    "attention": "draw it with the command 'attention' or tools.figures.attention.draw_attention",
    "pyramid": "draw it with the command 'lm phrases' or tools.figures.pyramid.draw_pyramid",
}
"""Styles of earlier releases."""
Named = tuple[str, ParsedSentence]
"""A sentence with the number of its view and its own: `1-2`."""


def render(
    docs: Doc | Span | Iterable[Doc | Span],
    style: Style = "tree",
    *,
    page: bool = False,
    jupyter: bool | None = None,
    output: str | Path | None = None,
    width: int | None = None,
    color: bool | None = None,
    spans_key: str = SPANS_KEY,
) -> str | None:
    """Draw the parses of sentences, as `displacy.render` draws other annotation.

    Words and labels are escaped, and characters that would reorder or steer a text are spelled out.
    Text from right to left stands so: the style `"tree"` has its first word on the right.

    Args:
        docs: A Doc, a Span of sentences or within one, or several of them.
        style: `"tree"`: an SVG drawing of each tree, the root at the top. `"tree-horizontal"`: one
            with the root at the left and a word on every line, for long sentences. `"arcs"`:
            dependencies. `"confidence"`: arcs and tree, each label with the confidence of the
            parser, orange where it is in doubt. `"brackets"`: indented Penn brackets.
            `"terminal"`: a table of dependencies with arcs, and the tree in box lines, of what
            there is of the two.
        page: Return an HTML page, with a section for each sentence.
        jupyter: Show it in a notebook. None: if the code runs in one, and `output` is not given.
        output: A file to write: `.svg` for one drawing, `.html` for a page, `.png` and `.pdf` for
            a picture of either, `.tex` for a LaTeX document of trees or arcs, and `.txt` for
            brackets and the terminal style. Pictures need Playwright and Chromium.
        width: The columns of the styles that are text. None: those of the terminal, or 80.
        color: Whether text in the terminal style has colours. None: on a terminal, unless the
            variable `NO_COLOR` is set. Files have none.
        spans_key: The span group with the trees.

    Returns:
        An SVG document for each sentence one after the other, text, the page or the LaTeX
        document. None if it is shown in a notebook.

    Raises:
        TypeError: Something given is no Doc and no Span.
        ValueError: There is nothing to draw, the style is not known, or the file's suffix does not
            go with it.
        MissingConfidenceError: There is no confidence to draw.
        MissingBrowserError: Playwright or Chromium is not installed, and needed.
        OSError: The file cannot be written.
    """
    if style not in get_args(Style):
        remedy = MOVED_STYLES.get(style, f"choose {', '.join(get_args(Style))}")
        raise ValueError(f"there is no style {style!r}: {remedy}")
    path = None if output is None else _checked(Path(output), style)
    suffix = "" if path is None else path.suffix.lower()
    views = [docs] if isinstance(docs, Doc | Span) else list(docs)
    for view in views:
        if not isinstance(view, Doc | Span):
            raise TypeError(f"there is {view!r} to draw: give a Doc, a Span, or several of them")
    drawer = Drawer(style, spans_key)
    sentences = [one for one in _sentences(views, spans_key) if drawer.can_draw(one[1])]
    _check_present(sentences, drawer)
    in_page = suffix in PAGE_SUFFIXES or (page and path is None)
    drawings: list[str] = []
    if style not in TEXTS and not in_page and suffix != LATEX_SUFFIX:
        drawings = [svg for _, one in sentences for svg in drawer.drawings(one)]
    if suffix == ".svg" and len(drawings) > 1:
        raise ValueError(
            f"{path} holds one drawing, and there are {len(drawings)}: write a page (.html), or "
            "render one of doc.sents"
        )
    if suffix == LATEX_SUFFIX:
        sections = latex_sections(sentences, trees=style == "tree", heads=style == "arcs")
        text = "".join((LATEX_START, *sections, LATEX_END))
    elif in_page:
        text = _page(sentences, drawer, width or WIDTH)
    elif suffix in PRINTED and len(drawings) == 1:
        text = alone(drawings[0])
    elif suffix in PRINTED:
        text = unrolled(_page(sentences, drawer, width or WIDTH))
    elif style not in TEXTS:
        text = "".join(drawings)
    elif path is not None:
        text = _text(sentences, style, TerminalView(width or WIDTH))
    else:
        text = _text(sentences, style, TerminalView.on(sys.stdout, width=width, color=color))
    if path is not None:
        data = printed(text, PRINTED[suffix]) if suffix in PRINTED else text.encode()
        write_atomically(path, data)
    if jupyter or (jupyter is None and path is None and is_in_jupyter()):
        _show("".join(_part(one, drawer, width or WIDTH) for _, one in sentences))
        return None
    return text


def _checked(path: Path, style: Style) -> Path:
    latex = (LATEX_SUFFIX,) if style in IN_LATEX else ()
    allowed = (".txt" if style in TEXTS else ".svg", *PAGE_SUFFIXES, *PRINTED, *latex)
    if path.suffix.lower() not in allowed:
        raise ValueError(f"{path} must end in one of {', '.join(allowed)} for the style {style!r}")
    return path


def _check_present(sentences: Sequence[Named], drawer: Drawer) -> None:
    if drawer.style == "confidence" and not sentences:
        raise MissingConfidenceError(
            "the parse has no confidence. Switch it on before the text is parsed: "
            "nlp.get_pipe('spa_dep').confidence = True"
        )
    if drawer.style == "terminal":
        sentences = [one for one in sentences if one[1].tree or one[1].has_dependencies]
    if not sentences:
        raise ValueError(f"there is nothing to draw: {drawer.lack()}")


def _sentences(views: Sequence[Doc | Span], spans_key: str) -> list[tuple[str, ParsedSentence]]:
    """The sentences, each with the number of its view and its own."""
    found = []
    for number, view in enumerate(views, 1):
        inside = _inside(view, spans_key)
        found += [(f"{number}-{place}", one) for place, one in enumerate(inside, 1)]
    return found


def _inside(view: Doc | Span, spans_key: str) -> list[ParsedSentence]:
    """The sentences of a Doc or Span; of a Span within a sentence, what there is of it."""
    sentences = parsed_sentences(view.doc, trees=True, spans_key=spans_key)
    if isinstance(view, Doc):
        return sentences
    whole = [one for one in sentences if view.start <= one.span.start and one.span.end <= view.end]
    words = words_of(view)
    if whole or not words:
        return whole
    return [ParsedSentence(view, words, get_tree(view, spans_key))]


def _text(sentences: Sequence[Named], style: Style, view: TerminalView) -> str:
    """Brackets one after the other, sentences on a terminal with lines between."""
    if style == "terminal":
        trees = any(one.tree for _, one in sentences)
        return "\n".join(view.sentence(one, trees=trees) for _, one in sentences)
    brackets = "".join(f"{_tree(one).pretty(view.width)}\n" for _, one in sentences)
    return printable(brackets, keep="\n")


def _page(sentences: Sequence[Named], drawer: Drawer, width: int) -> str:
    sections = (
        page_section(name, one.text, _part(one, drawer, width, text=False))
        for name, one in sentences
    )
    return "".join((page_start(), *sections, PAGE_END))


def _part(sentence: ParsedSentence, drawer: Drawer, width: int, *, text: bool = True) -> str:
    """A sentence as a part of an HTML page or of a notebook."""
    if drawer.style == "terminal":
        view = TerminalView(width, html)
        trees = sentence.tree is not None
        return preformatted(view.sentence(sentence, trees=trees, text=text))
    if drawer.style == "brackets":
        return preformatted(painted_brackets(_tree(sentence), width, html))
    # Only these begin at the right with a text from right to left.
    begins = drawer.style in ("tree", "arcs", "confidence")
    is_rtl = begins and are_right_to_left(token.text for token in sentence.words)
    # On a dark page blue and orange would be too dark.
    background = "white" if drawer.style == "confidence" else None
    drawings = drawer.drawings(sentence, background)
    return "\n".join(scrolling(svg, right_to_left=is_rtl) for svg in drawings)


def _tree(sentence: ParsedSentence) -> Tree:
    assert sentence.tree is not None  # others were left out
    return sentence.tree


def _show(markup: str) -> None:
    """Show HTML in a notebook; MathJax, which takes `$` for formulas, leaves it alone."""
    from IPython.display import HTML, display

    display(HTML(f'<span class="tex2jax_ignore">{markup}</span>'))

"""`spacy_structparse.viz.render`: the parses of Docs as drawings, pages and text."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, get_args

from spacy.tokens import Doc, Span
from spacy.util import is_in_jupyter

from ..files import write_atomically
from ..trees import Tree, get_tree
from ..trees.doc import SPANS_KEY
from ..trees.svg import draw_tree, draw_tree_html, scrolling
from ..trees.words import words_of
from .brackets import painted_brackets
from .horizontal_tree import draw_horizontal_tree
from .page import PAGE_END, PAGE_SUFFIXES, page_section, page_start, preformatted
from .paint import html
from .sentences import ParsedSentence, parsed_sentences
from .terminal import WIDTH, TerminalView

Style = Literal["tree", "tree-horizontal", "brackets", "terminal"]
DRAWINGS = {"tree": draw_tree, "tree-horizontal": draw_horizontal_tree}


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
            with the root at the left and a word on every line, for long sentences. `"brackets"`:
            indented Penn brackets. `"terminal"`: a table of dependencies with arcs, and the tree in
            box lines, of what there is of the two.
        page: Return an HTML page, with a section for each sentence.
        jupyter: Show it in a notebook. None: if the code runs in one, and `output` is not given.
        output: A file to write: `.svg` for one tree, `.html` for a page, and `.txt` for brackets
            and the terminal style.
        width: The columns of the styles that are text. None: those of the terminal, or 80.
        color: Whether text in the terminal style has colours. None: on a terminal, unless the
            variable `NO_COLOR` is set. Files have none.
        spans_key: The span group with the trees.

    Returns:
        An SVG document for each sentence one after the other, text, or the page. None if it is
        shown in a notebook.

    Raises:
        ValueError: There is nothing to draw, the style is not known, or the file's suffix does not
            go with it.
        OSError: The file cannot be written.
    """
    if style not in get_args(Style):
        raise ValueError(f"there is no style {style!r}: choose {', '.join(get_args(Style))}")
    path = None if output is None else _checked(Path(output), style)
    sentences = _sentences([docs] if isinstance(docs, Doc | Span) else list(docs), spans_key)
    if style != "terminal":
        sentences = [(name, one) for name, one in sentences if one.tree is not None]
    if not any(one.tree is not None or one.has_dependencies for _, one in sentences):
        raise ValueError(_nothing(style, spans_key))
    suffix = "" if path is None else path.suffix.lower()
    if suffix == ".svg" and len(sentences) > 1:
        raise ValueError(
            f"{path} holds one drawing, and there are {len(sentences)} sentences: write a page "
            "(.html), or render one of doc.sents"
        )
    if suffix in PAGE_SUFFIXES or (page and path is None):
        text = _page(sentences, style, width or WIDTH)
    elif path is not None:
        text = _text(sentences, style, TerminalView(width or WIDTH))
    else:
        text = _text(sentences, style, TerminalView.on(sys.stdout, width=width, color=color))
    if path is not None:
        write_atomically(path, text.encode())
    if jupyter or (jupyter is None and path is None and is_in_jupyter()):
        _show("".join(_part(one, style, width or WIDTH) for _, one in sentences))
        return None
    return text


def _checked(path: Path, style: Style) -> Path:
    allowed = (".svg" if style in DRAWINGS else ".txt", *PAGE_SUFFIXES)
    if path.suffix.lower() not in allowed:
        raise ValueError(
            f"{path} must end in one of {', '.join(allowed)} for the style {style!r}. A browser "
            "prints a page as PDF"
        )
    return path


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


def _nothing(style: Style, spans_key: str) -> str:
    if style == "terminal":
        return "there is nothing to draw: no sentence has a tree or dependencies"
    return (
        f"there is nothing to draw: no sentence has a tree in doc.spans[{spans_key!r}]. Parse with "
        "a component such as seq2seq_constituency. For dependencies take style='terminal' or "
        "displacy.render"
    )


def _text(sentences: Sequence[tuple[str, ParsedSentence]], style: Style, view: TerminalView) -> str:
    """Drawings and brackets one after the other, sentences on a terminal with lines between."""
    if style == "terminal":
        trees = any(one.tree for _, one in sentences)
        return "\n".join(view.sentence(one, trees=trees) for _, one in sentences)
    if style == "brackets":
        return "".join(f"{_tree(one).pretty(view.width)}\n" for _, one in sentences)
    return "".join(DRAWINGS[style](_tree(one)) for _, one in sentences)


def _page(sentences: Sequence[tuple[str, ParsedSentence]], style: Style, width: int) -> str:
    sections = (
        page_section(name, one.text, _part(one, style, width, text=False))
        for name, one in sentences
    )
    return "".join((page_start(), *sections, PAGE_END))


def _part(sentence: ParsedSentence, style: Style, width: int, *, text: bool = True) -> str:
    """A sentence as a part of an HTML page or of a notebook."""
    if style == "terminal":
        view = TerminalView(width, html)
        trees = sentence.tree is not None
        return preformatted(view.sentence(sentence, trees=trees, text=text))
    tree = _tree(sentence)
    if style == "brackets":
        return preformatted(painted_brackets(tree, width, html))
    if style == "tree":
        return draw_tree_html(tree)
    return scrolling(draw_horizontal_tree(tree, background=None))


def _tree(sentence: ParsedSentence) -> Tree:
    assert sentence.tree is not None  # others were left out
    return sentence.tree


def _show(markup: str) -> None:
    """Show HTML in a notebook; MathJax, which takes `$` for formulas, leaves it alone."""
    from IPython.display import HTML, display

    display(HTML(f'<span class="tex2jax_ignore">{markup}</span>'))

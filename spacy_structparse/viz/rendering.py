"""`spacy_structparse.viz.render`: the parses of Docs as drawings, pages and text."""

import sys
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Literal, get_args

from spacy.tokens import Doc, Span
from spacy.util import is_in_jupyter

from ..errors import ConfidenceError
from ..escaping import escape_control
from ..files import write_atomically
from ..trees import Tree, get_tree
from ..trees.span_group import SPANS_KEY
from ..trees.svg import scrolling
from ..trees.words import words_of
from .confidence import draw_parse, has_arc_confidence, node_confidence
from .latex import LATEX_END, LATEX_START, LATEX_SUFFIX, latex_sections
from .page import PAGE_END, PAGE_START, PAGE_SUFFIXES, page_section, preformatted
from .sentences import ParsedSentence, parsed_sentences
from .terminal import WIDTH, TerminalView

Style = Literal["tree", "arcs", "confidence", "brackets", "terminal"]
TEXTS = ("brackets", "terminal")
IN_LATEX = ("tree", "arcs")


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
        style: `"tree"`: an SVG drawing of each tree. `"arcs"`: dependencies. `"confidence"`: arcs
            and tree, each label with the confidence of the parser, orange where it is in doubt.
            `"brackets"`: indented Penn brackets. `"terminal"`: a table of dependencies with arcs,
            and the tree in box lines, of what there is of the two.
        page: Return an HTML page, with a section for each sentence.
        jupyter: Show it in a notebook. None: if the code runs in one, and `output` is not given.
        output: A file to write: `.svg` for one drawing, `.html` for a page, `.tex` for a LaTeX
            document of trees or arcs, and `.txt` for brackets and the terminal style.
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
        ConfidenceError: There is no confidence to draw.
        OSError: The file cannot be written.
    """
    if style not in get_args(Style):
        raise ValueError(f"there is no style {style!r}: choose {', '.join(get_args(Style))}")
    path = None if output is None else Path(output)
    suffix = "" if path is None else path.suffix.lower()
    latex = (LATEX_SUFFIX,) if style in IN_LATEX else ()
    allowed = (".txt" if style in TEXTS else ".svg", *PAGE_SUFFIXES, *latex)
    if path is not None and suffix not in allowed:
        raise ValueError(f"{path} must end in {', '.join(allowed)} for the style {style!r}")
    views = [docs] if isinstance(docs, Doc | Span) else list(docs)
    for view in views:
        if not isinstance(view, Doc | Span):
            raise TypeError(f"there is {view!r} to draw: give a Doc, a Span, or several of them")
    drawable = {
        f"{number}-{place}": sentence
        for number, view in enumerate(views, 1)
        for place, sentence in enumerate(_inside(view, spans_key), 1)
        if style == "terminal" or _has_parse(sentence, style, spans_key)
    }
    if not any(_has_parse(sentence, style, spans_key) for sentence in drawable.values()):
        _refuse(style, spans_key)

    def part(sentence: ParsedSentence, text: bool = True) -> str:
        return _part(sentence, style, width or WIDTH, spans_key, text)

    if suffix == LATEX_SUFFIX:
        sections = latex_sections(drawable.items(), trees=style == "tree", heads=style == "arcs")
        content = "".join((LATEX_START, *sections, LATEX_END))
    elif suffix in PAGE_SUFFIXES or (page and path is None):
        parts = [page_section(name, each, part(each, False)) for name, each in drawable.items()]
        content = "".join((PAGE_START, *parts, PAGE_END))
    elif style in TEXTS:
        on_terminal = TerminalView.on(sys.stdout, width=width, color=color)
        view_of_text = TerminalView(width or WIDTH) if path else on_terminal
        content = _text(list(drawable.values()), style, view_of_text)
    else:
        drawings = [_drawing(sentence, style, spans_key) for sentence in drawable.values()]
        if path is not None and len(drawings) > 1:
            raise ValueError(f"{path} holds one of {len(drawings)} drawings: write a page (.html)")
        content = "".join(drawings)
    if path is not None:
        write_atomically(path, content.encode())
    if jupyter or (jupyter is None and path is None and is_in_jupyter()):
        from IPython.display import HTML, display

        # MathJax, which takes `$` for formulas, leaves it alone.
        markup = "".join(map(part, drawable.values()))
        display(HTML(f'<span class="tex2jax_ignore">{markup}</span>'))
        return None
    return content


def _has_parse(sentence: ParsedSentence, style: Style, spans_key: str) -> bool:
    """Return True if a sentence has what the style draws."""
    if style == "confidence":
        return has_arc_confidence(sentence) or bool(node_confidence(sentence, spans_key))
    if style == "arcs":
        return sentence.has_dependencies
    return sentence.tree is not None or (style == "terminal" and sentence.has_dependencies)


def _refuse(style: Style, spans_key: str) -> None:
    """Raise the error of parses that have nothing to draw."""
    if style == "confidence":
        remedy = "before parsing set nlp.get_pipe('spa_dep').confidence = True"
        raise ConfidenceError(f"the parse has no confidence: {remedy}")
    lacking = {
        "arcs": "dependencies. Parse with a component such as spa_dep",
        "terminal": "a tree or dependencies",
    }
    no_tree = f"a tree in doc.spans[{spans_key!r}]. Parse with one such as seq2seq_constituency"
    raise ValueError(f"there is nothing to draw: no sentence has {lacking.get(style, no_tree)}")


def _inside(view: Doc | Span, spans_key: str) -> list[ParsedSentence]:
    """The sentences of a Doc or Span; of a Span within a sentence, what there is of it."""
    sentences = parsed_sentences(view.doc, trees=True, spans_key=spans_key)
    if isinstance(view, Doc):
        return sentences
    whole = [
        each for each in sentences if view.start <= each.span.start and each.span.end <= view.end
    ]
    words = words_of(view)
    if whole or not words:
        return whole
    return [ParsedSentence(view, words, get_tree(view, spans_key))]


def _text(
    sentences: Sequence[ParsedSentence], style: Style, view: TerminalView, text: bool = True
) -> str:
    """Brackets one after the other, sentences on a terminal with lines between."""
    if style == "terminal":
        trees = any(sentence.tree for sentence in sentences)
        return "\n".join(view.sentence(each, trees=trees, text=text) for each in sentences)
    brackets = "".join(f"{_tree(sentence).pretty(view.width)}\n" for sentence in sentences)
    return escape_control(brackets, keep="\n")


def _drawing(
    sentence: ParsedSentence, style: Style, spans_key: str, background: str | None = "white"
) -> str:
    """Draw a sentence as an SVG document: of confidence what there is of it."""
    confidence = style == "confidence"
    return draw_parse(
        sentence,
        heads=style == "arcs" or (confidence and has_arc_confidence(sentence)),
        trees=style == "tree" or (confidence and bool(node_confidence(sentence, spans_key))),
        confidence=confidence,
        spans_key=spans_key,
        background=background,
    )


def _part(sentence: ParsedSentence, style: Style, width: int, spans_key: str, text: bool) -> str:
    """A sentence as a part of an HTML page or of a notebook."""
    if style in TEXTS:
        return preformatted(escape(_text([sentence], style, TerminalView(width), text)))
    drawing = _drawing(sentence, style, spans_key, background=None)
    return scrolling(drawing, [token.text for token in sentence.words])


def _tree(sentence: ParsedSentence) -> Tree:
    assert sentence.tree is not None  # others were left out
    return sentence.tree

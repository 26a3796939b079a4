"""Parses as LaTeX: trees for the package `forest`, dependencies for `tikz-dependency`.

A file is a document of the class `standalone`, with a page for each drawing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from ..escaping import escape_control
from ..trees.node import Node
from ..trees.svg import named_root
from .sentences import ParsedSentence, head_places

LATEX_SUFFIX = ".tex"
LATEX_START = r"""\documentclass[border=4pt,multi={forest,dependency}]{standalone}
\usepackage{iftex}
\ifpdftex\usepackage[T1]{fontenc}\else\usepackage{fontspec}\fi
\usepackage{forest}
\usepackage{tikz-dependency}
\begin{document}
"""
LATEX_END = "\\end{document}\n"
WIDTH = 80  # columns of a line that holds a whole subtree
_SPECIAL = {
    **{character: f"\\{character}" for character in "{}$#%_"},
    # \& separates the words of a deptext.
    "&": r"\symbol{38}",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
}
_SPECIALS = str.maketrans(_SPECIAL)
_LIGATURE = re.compile(r"([-',])(?=\1)")
_PLAIN = re.compile(r"[A-Za-z0-9:.]+")


def latex_text(text: str) -> str:
    """Write a text so that LaTeX prints it to the letter, as one argument of any command."""
    if _PLAIN.fullmatch(text):
        return text
    escaped = escape_control(text).translate(_SPECIALS)
    return "{" + _LIGATURE.sub(r"\1{}", escaped) + "}"


def latex_tree(tree: Node) -> str:
    """Draw a tree as a `forest` environment, its words on one line at the bottom."""
    lines: list[str] = named_root(tree).fold(_bracket)
    return _environment("forest", ["where n children=0{tier=word}{}", *lines])


def latex_arcs(sentence: ParsedSentence) -> str:
    """Draw the dependencies of a sentence as a `dependency` environment, with its tags."""
    words = sentence.words
    rows = [[token.text for token in words], [token.tag_ or token.pos_ for token in words]]
    arcs = []
    for place, (token, head) in enumerate(zip(words, head_places(words), strict=True)):
        ends = rf"\deproot{{{place + 1}}}"
        if head != place:
            ends = rf"\depedge{{{head + 1}}}{{{place + 1}}}"
        arcs.append(f"{ends}{{{latex_text(token.dep_)}}}")
    cells = ["  " + r" \& ".join(map(latex_text, row)) + r" \\" for row in rows if any(row)]
    text = [r"\begin{deptext}[column sep=1em]", *cells, r"\end{deptext}"]
    return _environment("dependency", [*text, *arcs])


def _environment(name: str, lines: Iterable[str]) -> str:
    inside = "".join(f"  {line}\n" for line in lines)
    return f"\\begin{{{name}}}\n{inside}\\end{{{name}}}\n"


def latex_sections(
    sentences: Iterable[tuple[str, ParsedSentence]], *, trees: bool, heads: bool
) -> Iterator[str]:
    """Draw sentences for a document, each below a comment with its text.

    Args:
        sentences: The sentences with their names, such as `1-2`.
        trees: Whether to draw trees, where there are any.
        heads: Whether to draw dependencies, where there are any.
    """
    for name, sentence in sentences:
        yield f"\n% {name}: {escape_control(sentence.text)}\n"
        if heads and sentence.has_dependencies:
            yield latex_arcs(sentence)
        if trees and sentence.tree is not None:
            yield latex_tree(sentence.tree)


def _bracket(node: Node, children: Sequence[list[str]]) -> list[str]:
    """The lines of a subtree: one if it is short, or else one or more for each child."""
    label = latex_text(node.label)
    if node.word is not None:
        return [f"[{label} [{latex_text(node.word)}]]"]
    if all(len(lines) == 1 for lines in children):
        line = f"[{label} {' '.join(line for lines in children for line in lines)}]"
        if len(line) <= WIDTH:
            return [line]
    inside = [f"  {line}" for lines in children for line in lines]
    return [f"[{label}", *inside[:-1], f"{inside[-1]}]"]

"""The files that a parse can be downloaded as."""

from typing import NamedTuple

from ...corpora.writers import Format, text_of
from ...viz.sentences import ParsedSentence
from .drawings import arcs_svg, tree_svg
from .parsing import Parse


class Download(NamedTuple):
    """A file.

    Attributes:
        title: What it holds.
        name: Its name.
        data: Its content.
        mime: Its type.
    """

    title: str
    name: str
    data: bytes
    mime: str


def files_of_text(parse: Parse) -> list[Download]:
    """The parse of the whole text, in the formats that fit the pipeline's components."""
    formats = [(Format.json, "JSON", "json", "application/json")]
    if parse.gives.heads:
        formats.append((Format.conllu, "CoNLL-U", "conllu", "text/plain"))
    if parse.gives.trees:
        formats.append((Format.ptb, "Penn brackets", "ptb", "text/plain"))
    return [
        Download(
            title,
            f"parse.{suffix}",
            text_of(style, parse.doc, parse.gives).encode(),
            mime,
        )
        for style, title, suffix, mime in formats
    ]


def drawings_of(sentence: ParsedSentence, number: int) -> list[Download]:
    """The drawings of a sentence.

    Args:
        sentence: The sentence.
        number: Its number, for the names of the files.
    """
    drawings = []
    if sentence.has_dependencies:
        drawings.append(("Dependencies (SVG)", "arcs", arcs_svg(sentence)))
    tree = tree_svg(sentence)
    if tree is not None:
        drawings.append(("Tree (SVG)", "tree", tree))
    return [
        Download(title, f"{kind}-{number}.svg", svg.encode(), "image/svg+xml")
        for title, kind, svg in drawings
    ]

"""The pieces of an SVG drawing of a tree: texts, lines and the document around them.

The widths of texts are estimates without access to the font; the direction of a text is that of its
letters.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from spacy.glossary import GLOSSARY

from ..escaping import escape_control

NARROW = frozenset("fijlrtI!|.,:;'`()[]{}/\\- ")
WIDE = frozenset("mwMW@%—…")
ZERO_WIDTH = frozenset({"Mn", "Me", "Cf"})


def _character_width(character: str) -> float:
    if character in NARROW:
        return 0.42
    if character in WIDE:
        return 1.0
    if character.isascii():
        return 0.7 if character.isupper() else 0.64
    if unicodedata.category(character) in ZERO_WIDTH:
        return 0.0
    return 1.05 if unicodedata.east_asian_width(character) in "WF" else 0.8


_LEFT, _RIGHT = {"L"}, {"R", "AL"}


def is_right_to_left(text: str) -> bool:
    """Return whether the first letter with a direction is of a script such as Arabic or Hebrew."""
    directions = map(unicodedata.bidirectional, text)
    return next((side in _RIGHT for side in directions if side in _LEFT | _RIGHT), False)


def are_right_to_left(words: Iterable[str]) -> bool:
    """Return whether more words of a sentence are written right to left than left to right.

    Words without a letter, such as numbers, do not count.
    """
    balance = 0
    for word in words:
        if is_right_to_left(word):
            balance += 1
        elif any(unicodedata.bidirectional(character) in _LEFT for character in word):
            balance -= 1
    return balance > 0


FONT_SIZE = 14
MARGIN = 12.0
ABOVE, BELOW = 14.0, 5.0  # what a line of text needs above and below its baseline
INK = "#1a1a1a"
LABEL, TAG = ' font-weight="bold"', ' fill-opacity="0.75"'
"""The attributes of a phrase label and of a tag."""
EDGE, STEM = 'stroke-opacity="0.6"', 'stroke-opacity="0.5" stroke-dasharray="1 3"'
"""The attributes of lines between nodes, and of lines from tags to words."""
PHRASES = {
    "CONJP": "conjunction phrase", "FRAG": "fragment", "LST": "list marker",
    "NAC": "not a constituent", "NML": "nominal modifier", "NX": "noun phrase in part",
    "PRN": "parenthetical", "QP": "quantifier phrase", "RRC": "reduced relative clause",
    "S": "sentence", "SBAR": "subordinate clause", "SBARQ": "wh-question",
    "SINV": "inverted sentence", "SQ": "yes-no question, or a wh-question after its wh-phrase",
    "TOP": "root of the tree", "UCP": "unlike coordinated phrase", "WHADJP": "wh-adjective phrase",
    "WHADVP": "wh-adverb phrase", "WHNP": "wh-noun phrase", "WHPP": "wh-prepositional phrase",
}  # fmt: skip
"""Phrase labels of the Penn Treebank that spaCy's glossary lacks, or has in another meaning."""
_FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"

_SIZE = re.compile(r'width="(\d+)" height="(\d+)"')


@dataclass(frozen=True)
class Look:
    """The look of a label that differs from others.

    Attributes:
        colour: Of the text; None: that of the others.
        is_strong: The text is underlined, so that it stands out without its colour.
    """

    colour: str | None = None
    is_strong: bool = False

    @property
    def attributes(self) -> str:
        """The attributes of a text that is drawn so."""
        colour = f' fill="{_escaped(self.colour)}"' if self.colour else ""
        return colour + (' text-decoration="underline"' if self.is_strong else "")


PLAIN = Look()


def svg_ink(background: str | None) -> str:
    """The colour of text and lines: dark on a background, that of the page without one."""
    return INK if background is not None else "currentColor"


def svg_width(text: str, *, bold: bool = False) -> float:
    """Estimate the width that `svg_text` takes.

    The estimate is an upper bound: wide fonts (DejaVu Sans, Verdana) fit, narrow ones (Helvetica)
    leave some room.
    """
    return sum(map(_character_width, escape_control(text))) * FONT_SIZE * (1.12 if bold else 1.0)


def svg_text(x: float, y: float, text: str, attributes: str = "") -> str:
    """A text at a point of its baseline, in its own direction whatever stands around it."""
    if is_right_to_left(text):
        attributes += ' direction="rtl"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{attributes}>{_escaped(text)}</text>'


def svg_label(x: float, y: float, label: str, attributes: str = "") -> str:
    """A label or a tag as a text, whose meaning is shown where the pointer rests on it."""
    text = svg_text(x, y, label, attributes)
    name = label.partition(" ")[0]  # a confidence follows
    for known in (name, name.partition(":")[0], name.partition("-")[0]):
        if meaning := PHRASES.get(known) or GLOSSARY.get(known):
            return text.replace(
                "</text>", f"<title>{_escaped(f'{name}: {meaning}')}</title></text>"
            )
    return text


def svg_lines(segments: Sequence[str], ink: str, attributes: str) -> str:
    """Lines of one kind as one path."""
    return f'<path d="{"".join(segments)}" stroke="{ink}" {attributes}/>' if segments else ""


def svg_document(
    width: float,
    height: float,
    background: str | None,
    parts: Sequence[str],
    name: str,
) -> str:
    """Put the parts of a drawing into a document.

    Args:
        width: Of the drawing, in pixels.
        height: Of the drawing, in pixels.
        background: The colour behind it; None for no background.
        parts: The elements.
        name: The text that a screen reader reads for the drawing.
    """
    panel = ""
    if background is not None:
        panel = f'<rect width="100%" height="100%" rx="4" fill="{_escaped(background)}"/>\n'
    body = "\n".join(part for part in parts if part)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.1f} {height:.1f}" role="img" aria-label="{_escaped(name)}">\n'
        f'{panel}<g font-family="{_FONT}" font-size="{FONT_SIZE}" text-anchor="middle" '
        f'direction="ltr" fill="{svg_ink(background)}">\n{body}\n</g>\n</svg>\n'
    )


def svg_column(drawings: Sequence[str], background: str | None, name: str) -> str:
    """Put drawings one below the other into a document.

    Args:
        drawings: Results of :func:`svg_document`.
        background: As for :func:`svg_document`.
        name: As for :func:`svg_document`.
    """
    width, height = 0, 0
    parts = []
    for drawing in drawings:
        size = _SIZE.search(drawing)
        assert size is not None  # every document begins with its size
        parts.append(drawing.replace("<svg ", f'<svg y="{height}" ', 1))
        width, height = max(width, int(size[1])), height + int(size[2])
    return svg_document(width, height, background, parts, name)


def _escaped(text: str) -> str:
    return escape(escape_control(text), {'"': "&quot;"})

"""Pictures drawn by matplotlib, which is an extra: `pip install 'spacy-structparse[viz]'`."""

import io
import warnings
from collections.abc import Collection, Iterable
from html import escape
from typing import TYPE_CHECKING, Any, Literal

from ...escaping import escape_control

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.ft2font import FT2Font

MAX_LABEL = 28
"""The cells of the longest label, as of a terminal; longer ones are cut."""
FONTS = (
    "DejaVu Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "PingFang SC",
    "Microsoft YaHei",
    "Noto Sans Arabic",
    "Noto Sans Devanagari",
    "Noto Emoji",
)
"""Letters are drawn in the first of these that is installed and has them, or else in any other."""


def new_figure(
    width: float, height: float, layout: Literal["constrained"] | None = None
) -> "Figure":
    """An empty figure. width, height: inches. Raises ImportError."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "Pictures are drawn by matplotlib, which is not installed: "
            "python -m pip install 'spacy-structparse[viz]', or choose a format that is no picture."
        ) from error
    return Figure(figsize=(width, height), layout=layout)


def fonts_for(texts: Iterable[str]) -> list[str]:
    """Return installed fonts that together have the letters of the texts, the preferred ones first.

    matplotlib stores its list of fonts when it is first used. A font that was installed after that
    is added to it.
    """
    from matplotlib.font_manager import findfont, findSystemFonts, fontManager
    from matplotlib.ft2font import FT2Font

    names = set(fontManager.get_font_names())
    fonts = [font for font in FONTS if font in names]
    letters = {letter for text in texts for letter in text if not letter.isspace()}
    for font in fonts:
        letters -= _letters_in(FT2Font(findfont(font)), letters)
    # Regular fonts before bold and slanted ones of the same family.
    files = findSystemFonts() if letters else []
    for path in sorted(files, key=lambda path: ("Regular" not in path, path)):
        try:
            file = FT2Font(path)
        except (OSError, RuntimeError):  # a bitmap font, for example
            continue
        drawn = _letters_in(file, letters)
        if drawn:
            fontManager.addfont(path)
            fonts.append(file.family_name)
            letters -= drawn
        if not letters:
            break
    return fonts


def _letters_in(font: "FT2Font", letters: Collection[str]) -> set[str]:
    return {letter for letter in letters if font.get_char_index(ord(letter))}


def figure_bytes(figure: "Figure", format: str, dpi: int = 120) -> bytes:
    """The figure as PNG or SVG; equal figures give equal bytes. SVG keeps text as text, so that
    every script is shown in a font that has it, and has a name for screen readers. In PNG a letter
    that no installed font has is a box, of which a UserWarning tells."""
    from matplotlib import rc_context
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        text.set_parse_math(False)  # a word such as "$x" is no formula
    target = io.BytesIO()
    style: Any = {"svg.fonttype": "none", "svg.hashsalt": "attention"}
    with rc_context(style), warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        metadata: dict[str, Any] = {"Date": None} if format == "svg" else {}
        figure.savefig(target, format=format, dpi=dpi, metadata=metadata)
    data = target.getvalue()
    if format == "svg":
        # The words of axes reach their texts only as these are drawn.
        return escape_control(_named(data.decode("utf8"), figure), keep="\n\t").encode()
    if any("missing from" in str(one.message) for one in raised):
        warnings.warn(
            "No installed font has some letters, which are boxes in the picture: install one, such "
            "as Noto Sans CJK, or write .svg",
            stacklevel=2,
        )
    return data


def _named(svg: str, figure: "Figure") -> str:
    """Give an SVG the titles of its figure, or else the names of axes, as a name."""
    names = [one.get_title("left") or one.get_title() or one.get_xlabel() for one in figure.axes]
    name = escape("; ".join(" ".join(text.split()) for text in names if text))
    return svg.replace("<svg ", f'<svg role="img" aria-label="{name}" ', 1)

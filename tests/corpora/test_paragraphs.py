"""Lines of text files put together to texts, and wrapped lines that are noticed."""

import textwrap

import pytest

from spacy_structparse.corpora.text_readers import LineBreaks, grouped_lines, on_one_line

LINES = ["", "One line", "goes on.", "", "", "Two.", ""]

PROSE = (
    "The old baker of the village sells fresh bread and sweet cakes from a small shop beside the "
    "river. Nobody knows how early he has to rise in the morning, since nobody else is awake by "
    "then. His daughter helps him on Saturdays, when people come from the other villages too."
)


@pytest.mark.parametrize(
    ("end", "texts"),
    [
        ("line", ["One line", "goes on.", "Two."]),
        ("blank-line", ["One line goes on.", "Two."]),
        ("none", ["One line goes on. Two."]),
    ],
)
def test_texts(end, texts):
    assert [on_one_line(text) for _, text in grouped_lines(enumerate(LINES, 1), end)] == texts
    assert list(grouped_lines(enumerate(["", ""], 1), end)) == []


def look_wrapped(lines):
    breaks = LineBreaks()
    numbered = list(enumerate(lines, 1))
    assert list(breaks.counted(numbered)) == numbered
    return breaks.look_wrapped


@pytest.mark.parametrize("width", [40, 60, 80])
def test_wrapped_prose_is_noticed(width):
    paragraph = textwrap.wrap(PROSE, width)
    assert look_wrapped([*paragraph, "", *paragraph])


@pytest.mark.parametrize(
    "lines",
    [
        PROSE.replace(". ", ".\n").split("\n"),  # a sentence a line
        PROSE.lower().replace(". ", " .\n").split("\n"),  # in lower case and tokens
        [PROSE, "", PROSE],
        ["a man on a ladder", "two dogs play", "a child in a red coat", "snow", "a bus in town"],
        ["one", "two"],
    ],
)
def test_other_lines_are_not(lines):
    assert not look_wrapped(lines)

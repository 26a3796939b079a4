"""The output formats of `spacy structparse search`."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from wasabi import color

from ....escaping import escape_control, json_text, table_text
from .inputs import Place
from .work import NUMBER, Match, SearchFormat, one_line

CSV_COLUMNS = ("file", "document", "document_id", "start", "end", "label", "left", "match", "right")
"""Of a table of matches; after them it has a column for each named node."""
Placed = tuple[Place, Match]
"""A match and the place of its document."""


def texts_of(
    style: SearchFormat | None, matches: Iterable[Placed], names: Sequence[str], colour: bool
) -> Iterator[str]:
    """The text of all matches in a format.

    Args:
        style: The format; None: a line of text for each match.
        matches: The matches, those of a document together.
        names: The names of nodes in the pattern.
        colour: Lines of text have colours for a terminal.
    """
    if style == "conllu":
        yield from _conllu(matches)
    elif style == "csv":
        yield table_text([[*CSV_COLUMNS, *names]])
        yield from (_csv_line(place, match, names) for place, match in matches)
    elif style == "ptb":
        yield from (f"{match.shown}\n" for _, match in matches)
    elif style == "jsonl":
        yield from (_json_line(place, match) for place, match in matches)
    else:
        yield from (_line(place, match, colour) for place, match in matches)


def _line(place: Place, match: Match, colour: bool) -> str:
    left, middle, right = map(escape_control, match.context)
    marked = color(middle, fg="green", bold=True) if colour else f"[{middle}]"
    named = "  ".join(
        escape_control(f"{name}={one_line(node['text'])}") for name, node in match.nodes.items()
    )
    if named:
        named = f"  {color(named, fg='grey') if colour else f'({named})'}"
    shown = "".join(f" {part}" for part in (left, marked, right) if part)
    return f"{escape_control(place.file)}:{place.number}:{shown}{named}\n"


def _json_line(place: Place, match: Match) -> str:
    record = {
        "file": place.file,
        "document": place.number,
        "document_id": place.document_id,
        "sentence": {"start": match.sentence_start, "text": match.sentence},
        "match": match.node,
        "nodes": match.nodes,
    }
    return f"{json_text(record)}\n"


def _csv_line(place: Place, match: Match, names: Sequence[str]) -> str:
    named = [one_line(match.nodes[name]["text"]) if name in match.nodes else "" for name in names]
    node = [match.node["start"], match.node["end"], match.node["label"]]
    return table_text([[*place, *node, *match.context, *named]])


def _conllu(matches: Iterable[Placed]) -> Iterator[str]:
    """A comment names the words of every match. The sentence follows those of its matches."""
    for place, of_document in groupby(matches, key=lambda one: one[0]):
        by_sentence = sorted(of_document, key=lambda one: one[1].sentence_start)
        for _, of_sentence in groupby(by_sentence, key=lambda one: one[1].sentence_start):
            block = ""
            for _, match in of_sentence:
                comment, end, block = match.shown.partition("\n")
                yield comment + end
            yield block.replace(NUMBER, str(place.number))

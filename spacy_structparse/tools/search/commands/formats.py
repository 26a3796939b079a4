"""The output formats of `spacy structparse search`."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from wasabi import color

from ....printable import json_text, printable
from .work import NUMBER, Match, SearchFormat, one_line

CSV_COLUMNS = ("file", "document", "document_id", "start", "end", "label", "left", "match", "right")
"""Of a table of matches; after them it has a column for each named node."""


def texts_of(
    style: SearchFormat | None, matches: Iterable[Match], names: Sequence[str], colour: bool
) -> Iterator[str]:
    """The text of all matches in a format.

    Args:
        style: The format; None: a line of text for each match.
        matches: The matches, those of a document together.
        names: The names of nodes in the pattern.
        colour: Lines of text have colours for a terminal.
    """
    if style is SearchFormat.conllu:
        yield from _conllu(matches)
    elif style is SearchFormat.csv:
        yield _csv_row([*CSV_COLUMNS, *names])
        yield from (_csv_line(match, names) for match in matches)
    elif style is SearchFormat.ptb:
        yield from (f"{match.tree}\n" for match in matches)
    elif style is SearchFormat.jsonl:
        yield from map(_json_line, matches)
    else:
        yield from (_line(match, colour) for match in matches)


def _line(match: Match, colour: bool) -> str:
    left, middle, right = map(printable, match.context)
    marked = color(middle, fg="green", bold=True) if colour else f"[{middle}]"
    named = "  ".join(
        printable(f"{name}={one_line(node['text'])}") for name, node in match.nodes.items()
    )
    if named:
        named = f"  {color(named, fg='grey') if colour else f'({named})'}"
    shown = "".join(f" {part}" for part in (left, marked, right) if part)
    return f"{printable(match.source)}:{match.document}:{shown}{named}\n"


def _json_line(match: Match) -> str:
    record = {
        "file": match.source,
        "document": match.document,
        "document_id": match.document_id,
        "sentence": {"start": match.sentence_start, "text": match.sentence},
        "match": match.node,
        "nodes": match.nodes,
    }
    return f"{json_text(record)}\n"


def _csv_line(match: Match, names: Sequence[str]) -> str:
    named = [one_line(match.nodes[name]["text"]) if name in match.nodes else "" for name in names]
    place = [match.source, match.document, match.document_id]
    node = [match.node["start"], match.node["end"], match.node["label"]]
    return _csv_row([*place, *node, *match.context, *named])


def _csv_row(cells: Sequence[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _conllu(matches: Iterable[Match]) -> Iterator[str]:
    """A comment names the words of every match. The sentence follows those of its matches."""
    for document, of_document in groupby(matches, key=lambda match: match.document):
        by_sentence = sorted(of_document, key=lambda match: match.sentence_start)
        for _, of_sentence in groupby(by_sentence, key=lambda match: match.sentence_start):
            some = [match for match in of_sentence if match.block]
            for match in some:
                yield f"# match = {match.word_ids} {match.node['label']}".rstrip() + "\n"
            if some:
                yield some[0].block.replace(NUMBER, str(document))

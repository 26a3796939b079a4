"""The output formats of `spacy structparse search`."""

import csv
import io
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from enum import Enum
from html import escape

from spacy.tokens import Span
from wasabi import color

from ..brackets import Bracket
from ..corpora.conllu_writer import conllu_blocks
from ..printable import printable
from ..trees import Tree, get_brackets, wrap
from ..trees.doc import tree_over
from ..trees.svg import draw_tree_html
from ..trees.words import sentences_of, words_of
from ..viz.page import PAGE_END, page_start
from .search_queries import Hit


class SearchFormat(str, Enum):
    """The formats of matches, by the names that the command line has for them."""

    conllu = "conllu"
    ptb = "ptb"
    jsonl = "jsonl"
    csv = "csv"
    html = "html"


def start_of(style: SearchFormat | None, names: Sequence[str]) -> str:
    """What stands before the matches."""
    if style is SearchFormat.csv:
        return _csv_row(
            ["file", "document", "start", "end", "label", "left", "match", "right", *names]
        )
    return page_start("Matches") if style is SearchFormat.html else ""


def end_of(style: SearchFormat | None) -> str:
    """What stands after the matches."""
    return PAGE_END if style is SearchFormat.html else ""


def format_hits(
    style: SearchFormat | None, hits: list[Hit], names: Sequence[str], spans_key: str, colour: bool
) -> str:
    """The matches of a document.

    Args:
        style: The format; None: a line of text for each match.
        hits: The matches, at least one.
        names: The names of nodes in the pattern.
        spans_key: The span group with the trees.
        colour: Lines of text have colours for a terminal.
    """
    if style is SearchFormat.conllu:
        return _conllu(hits)
    drawn = style in (SearchFormat.ptb, SearchFormat.html) and hits[0].has_tree
    brackets = get_brackets(hits[0].span.doc, spans_key) or [] if drawn else []
    writers: dict[SearchFormat | None, Callable[[Hit], str]] = {
        None: lambda hit: _line(hit, colour),
        SearchFormat.ptb: lambda hit: f"{subtree(hit.span, brackets)}\n",
        SearchFormat.jsonl: _json_line,
        SearchFormat.csv: lambda hit: _csv_line(hit, names),
        SearchFormat.html: lambda hit: _section(hit, brackets),
    }
    return "".join(map(writers[style], hits))


def subtree(span: Span, brackets: Sequence[Bracket]) -> Tree | None:
    """The tree of a matched node: of a unary chain, from its label down.

    brackets: those of the Doc, from `get_brackets`.
    """
    tree = tree_over(span, brackets)
    if tree is None:
        return None
    node = tree
    while node.label != span.label_:
        if len(node.children) != 1:
            # The root that is above every tree, or a word, whose preterminal is its tree.
            return wrap(tree, span.label_) if span.label_ else node
        node = node.children[0]
    return node


def context(hit: Hit) -> tuple[str, str, str]:
    """The sentence before the match, the match, and the sentence after it, each on one line."""
    sentence, span = hit.sentence, hit.span
    doc = span.doc
    parts = (doc[sentence.start : span.start], span, doc[span.end : sentence.end])
    return (_flat(parts[0]), _flat(parts[1]), _flat(parts[2]))


def _flat(span: Span) -> str:
    return " ".join(span.text.split())


def _line(hit: Hit, colour: bool) -> str:
    left, match, right = map(printable, context(hit))
    place = printable(f"{hit.source}:{hit.number}:")
    marked = color(match, fg="green", bold=True) if colour else f"[{match}]"
    named = "  ".join(printable(f"{name}={_flat(node)}") for name, node in hit.nodes.items())
    if named:
        named = f"  {color(named, fg='grey') if colour else f'({named})'}"
    return " ".join(part for part in (place, left, marked, right) if part) + f"{named}\n"


def _json_line(hit: Hit) -> str:
    sentence = hit.sentence
    first = sentence.start

    def of(span: Span) -> dict[str, object]:
        return {
            "start": span.start - first,
            "end": span.end - first,
            "label": _label(hit, span),
            "text": span.text,
        }

    record = {
        "file": hit.source,
        "document": hit.number,
        "sentence": {"start": first, "text": sentence.text},
        "match": of(hit.span),
        "nodes": {name: of(node) for name, node in hit.nodes.items()},
    }
    return json.dumps(record, ensure_ascii=False) + "\n"


def _csv_line(hit: Hit, names: Sequence[str]) -> str:
    span, first = hit.span, hit.sentence.start
    named = [_flat(hit.nodes[name]) if name in hit.nodes else "" for name in names]
    place = [hit.source, hit.number, span.start - first, span.end - first, _label(hit, span)]
    return _csv_row([*place, *context(hit), *named])


def _label(hit: Hit, span: Span) -> str:
    """The label of a node. Of a pattern of dependencies, a token has its tag."""
    return span.label_ if hit.has_tree else span[0].tag_


def _csv_row(cells: Sequence[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _conllu(hits: list[Hit]) -> str:
    """The sentences with matches, each once. A comment names the words of every match."""
    doc = hits[0].span.doc
    inside: dict[int, list[Hit]] = defaultdict(list)
    for hit in hits:
        inside[hit.sentence.start].append(hit)
    blocks = conllu_blocks(doc, str(hits[0].number), gold=True)
    written = []
    for sentence, block in zip(sentences_of(doc), blocks, strict=True):
        if sentence.start in inside:
            number = {token.i: place for place, token in enumerate(words_of(sentence), 1)}
            written += [f"# match = {_word_ids(hit, number)}\n" for hit in inside[sentence.start]]
            written.append(block)
    return "".join(written)


def _word_ids(hit: Hit, number: dict[int, int]) -> str:
    words = [number[token.i] for token in words_of(hit.span)]
    return f"{words[0]}-{words[-1]} {_label(hit, hit.span)}".rstrip()


def _section(hit: Hit, brackets: Sequence[Bracket]) -> str:
    left, match, right = (escape(printable(text)) for text in context(hit))
    named = "".join(
        f"<br><small>{escape(printable(f'{name} = {_flat(node)}'))}</small>"
        for name, node in hit.nodes.items()
    )
    tree = subtree(hit.span, brackets) if hit.has_tree else None
    return (
        f"<section>\n<h2>{escape(printable(f'{hit.source}:{hit.number}'))}</h2>\n"
        f"<p>{left} <mark>{match}</mark> {right}{named}</p>\n"
        f"{draw_tree_html(tree) if tree is not None else ''}\n</section>\n"
    )

"""The output formats of `spacy structparse search`."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from html import escape
from itertools import groupby

from spacy.tokens import Span
from wasabi import color

from ....brackets import Bracket
from ....corpora.conllu_columns import EMPTY
from ....corpora.conllu_writer import conllu_blocks
from ....printable import json_text, printable
from ....trees import Tree, get_brackets, wrap
from ....trees.doc import tree_over
from ....trees.svg import draw_tree_html
from ....trees.words import sentences_of, words_of
from ....viz.page import PAGE_END, page_start
from .queries import Hit

CSV_COLUMNS = ("file", "document", "document_id", "start", "end", "label", "left", "match", "right")
"""Of a table of matches; after them it has a column for each named node."""
_NUMBER = "\0"  # in place of the number of a document, which no file has


class SearchFormat(str, Enum):
    """The formats of matches, by the names that the command line has for them."""

    conllu = "conllu"
    ptb = "ptb"
    jsonl = "jsonl"
    csv = "csv"
    html = "html"


def start_of(style: SearchFormat | None, names: Sequence[str]) -> str:
    """The text before the matches."""
    if style is SearchFormat.csv:
        return _csv_row([*CSV_COLUMNS, *names])
    return page_start("Matches") if style is SearchFormat.html else ""


def end_of(style: SearchFormat | None) -> str:
    """The text after the matches."""
    return PAGE_END if style is SearchFormat.html else ""


@dataclass(frozen=True, slots=True)
class Written:
    """The output of a match, without the place of its document.

    Attributes:
        text: Parts of the text, between which the place stands.
        sentence: Where its sentence begins. Matches of a document are written by their sentences.
        block: Parts of the text that follows the matches of the sentence.
    """

    text: tuple[str, ...]
    sentence: int = 0
    block: tuple[str, ...] = ()


def place_in(style: SearchFormat | None, number: int, document_id: str | None) -> str:
    """The number of a document, with its id where the format has one."""
    if style is SearchFormat.csv:
        return _csv_row([number, document_id]).removesuffix("\n")
    if style is SearchFormat.jsonl:
        return f'{number}, "document_id": {json_text(document_id)}'
    return str(number)


def joined(matches: Iterable[tuple[str, Written]]) -> Iterator[str]:
    """The text of matches, each with the place of its document, in the order of documents."""
    for place, of_document in groupby(matches, key=lambda one: one[0]):
        by_sentence = sorted((one for _, one in of_document), key=lambda one: one.sentence)
        for _, of_sentence in groupby(by_sentence, key=lambda one: one.sentence):
            some = list(of_sentence)
            yield from (place.join(one.text) for one in some)
            yield place.join(some[0].block)


def write_hits(
    style: SearchFormat | None, hits: list[Hit], names: Sequence[str], spans_key: str, colour: bool
) -> Iterator[Written]:
    """The output of the matches of a document.

    Args:
        style: The format; None: a line of text for each match.
        hits: The matches, at least one.
        names: The names of nodes in the pattern.
        spans_key: The span group with the trees.
        colour: Lines of text have colours for a terminal.
    """
    if style is SearchFormat.conllu:
        yield from _conllu(hits)
        return
    drawn = style in (SearchFormat.ptb, SearchFormat.html) and hits[0].has_tree
    brackets = get_brackets(hits[0].span.doc, spans_key) or [] if drawn else []
    writers: dict[SearchFormat | None, Callable[[Hit], tuple[str, ...]]] = {
        None: lambda hit: _line(hit, colour),
        SearchFormat.ptb: lambda hit: (f"{subtree(hit.span, brackets)}\n",),
        SearchFormat.jsonl: _json_line,
        SearchFormat.csv: lambda hit: _csv_line(hit, names),
        SearchFormat.html: lambda hit: _section(hit, brackets),
    }
    yield from (Written(writers[style](hit)) for hit in hits)


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


def _line(hit: Hit, colour: bool) -> tuple[str, ...]:
    left, match, right = map(printable, context(hit))
    marked = color(match, fg="green", bold=True) if colour else f"[{match}]"
    named = "  ".join(printable(f"{name}={_flat(node)}") for name, node in hit.nodes.items())
    if named:
        named = f"  {color(named, fg='grey') if colour else f'({named})'}"
    shown = "".join(f" {part}" for part in (left, marked, right) if part)
    return printable(f"{hit.source}:"), f":{shown}{named}\n"


def _json_line(hit: Hit) -> tuple[str, ...]:
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
        "sentence": {"start": first, "text": sentence.text},
        "match": of(hit.span),
        "nodes": {name: of(node) for name, node in hit.nodes.items()},
    }
    place = json_text({"file": hit.source}).removesuffix("}")
    rest = json_text(record).removeprefix("{")
    return f'{place}, "document": ', f", {rest}\n"


def _csv_line(hit: Hit, names: Sequence[str]) -> tuple[str, ...]:
    span, first = hit.span, hit.sentence.start
    named = [_flat(hit.nodes[name]) if name in hit.nodes else "" for name in names]
    place = [span.start - first, span.end - first, _label(hit, span)]
    source = _csv_row([hit.source]).removesuffix("\n")
    return f"{source},", f",{_csv_row([*place, *context(hit), *named])}"


def _label(hit: Hit, span: Span) -> str:
    """The label of a node. Of a pattern of dependencies, a token has its tag."""
    return span.label_ if hit.has_tree else span[0].tag_


def _csv_row(cells: Sequence[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _conllu(hits: list[Hit]) -> Iterator[Written]:
    """A comment names the words of every match. The sentence follows those of its matches.

    CoNLL-U has no whitespace tokens: nothing is written of a sentence without words.
    """
    doc = hits[0].span.doc
    sentences = sentences_of(doc)
    blocks = conllu_blocks(doc, _NUMBER, gold=True)
    numbered_blocks = {
        sentence.start: (sentence, _without_number(block, place))
        for place, (sentence, block) in enumerate(zip(sentences, blocks, strict=True), 1)
    }
    for hit in hits:
        start = hit.sentence.start
        if start not in numbered_blocks:
            yield Written((), start)
            continue
        sentence, block = numbered_blocks[start]
        number = {token.i: place for place, token in enumerate(words_of(sentence), 1)}
        yield Written((f"# match = {_word_ids(hit, number)}\n",), start, block)


def _without_number(block: str, place: int) -> tuple[str, ...]:
    """The block of a sentence. Its id, if it has none of its own, begins with the number of the
    document."""
    begin, end = "# sent_id = ", f"-{place}\n"
    made = f"{begin}{_NUMBER}{end}"
    return (begin, end + block.removeprefix(made)) if block.startswith(made) else (block,)


def _word_ids(hit: Hit, number: dict[int, int]) -> str:
    words = [number[token.i] for token in words_of(hit.span)]
    place = f"{words[0]}-{words[-1]}" if words else EMPTY  # a whitespace token has no line
    return f"{place} {_label(hit, hit.span)}".rstrip()


def _section(hit: Hit, brackets: Sequence[Bracket]) -> tuple[str, ...]:
    left, match, right = (escape(printable(text)) for text in context(hit))
    named = "".join(
        f"<br><small>{escape(printable(f'{name} = {_flat(node)}'))}</small>"
        for name, node in hit.nodes.items()
    )
    tree = subtree(hit.span, brackets) if hit.has_tree else None
    return (
        f"<section>\n<h2>{escape(printable(f'{hit.source}:'))}",
        "</h2>\n"
        f"<p>{left} <mark>{match}</mark> {right}{named}</p>\n"
        f"{draw_tree_html(tree) if tree is not None else ''}\n</section>\n",
    )

"""The k best parses of sentences in the output formats of `spacy structparse parse`."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from spacy.tokens import Doc

from ..corpora.conllu_source import comment_key
from ..corpora.pipeline_outputs import PipelineOutputs, conllu_of
from ..pipeline.k_best import ScoredDependencies, ScoredTree
from ..trees.svg import draw_tree, draw_tree_html
from ..viz.page import page_section
from ..viz.sentence_records import bracketed, dependency_record, sentence_records, tree_record
from ..viz.sentences import ParsedSentence
from ..viz.terminal import TerminalView
from .parse_formats import Format, json_line
from .parse_k_best import KBestParsers, SentenceParses

_NEWDOC = re.compile(r"^# newdoc.*\n", re.MULTILINE)
PARSE, LOG_PROBABILITY = "parse", "log_probability"
DIGITS = 4
"""Digits after the point of a log probability."""

Shown = TypeVar("Shown")


def format_k_best(
    parsers: KBestParsers,
    style: Format,
    doc: Doc,
    sentences: list[ParsedSentence],
    number: int,
    gives: PipelineOutputs,
    notes: Counter[str] | None = None,
) -> str:
    """A Doc with the k best parses of each sentence as CoNLL-U, Penn brackets or JSON.

    In CoNLL-U each parse is a sentence, with its rank and its log probability in comments. In Penn
    brackets each is a line, and an empty line follows those of a sentence. In JSON a sentence has
    lists of parses, `dependencies` and `trees`.

    The other arguments are those of `format_doc`.
    """
    parses = parsers.take(doc, sentences)
    if style is Format.conllu:
        return _conllu(parsers, doc, parses, number, gives, notes)
    if style is Format.ptb:
        return "".join(_bracketed(one) for one in parses)
    records = sentence_records(doc, sentences)
    heads = _at_each_rank(parsers, doc, parses, lambda rank: map(dependency_record, sentences))
    for record, one, of_heads in zip(records, parses, heads, strict=True):
        if parsers.trees:
            record["trees"] = [_scored(tree, tree_record(tree.tree)) for tree in one.trees]
        elif gives.trees:
            record |= tree_record(one.sentence.tree)
        if parsers.dependencies:
            record["dependencies"] = [
                _scored(parse, shown)
                for parse, shown in zip(one.dependencies, of_heads, strict=True)
            ]
        elif gives.heads:
            record |= dependency_record(one.sentence)
    return json_line(doc, records, gives)


def k_best_lines(
    parsers: KBestParsers,
    view: TerminalView,
    doc: Doc,
    sentences: list[ParsedSentence],
    gives: PipelineOutputs,
) -> Iterator[str]:
    """The lines of each sentence on a terminal: each parse below its rank and log probability."""
    parses = parsers.take(doc, sentences)
    tables = _at_each_rank(
        parsers,
        doc,
        parses,
        lambda rank: (view.sentence(one, trees=False, text=False) for one in sentences),
    )
    for one, of_one in zip(parses, tables, strict=True):
        # One parse, of a parser that gives no others, stands below the text.
        parts = [
            view.sentence(
                one.sentence,
                heads=gives.heads and not parsers.dependencies,
                trees=gives.trees and not parsers.trees,
            )
        ]
        for rank, (parse, table) in enumerate(zip(one.dependencies, of_one, strict=True), 1):
            parts.append(f"{view.paint('heading', _title('Dependencies', rank, parse))}\n{table}")
        for rank, tree in enumerate(one.trees, 1):
            drawn = view.sentence(replace(one.sentence, tree=tree.tree), heads=False, text=False)
            parts.append(f"{view.paint('heading', _title('Tree', rank, tree))}\n{drawn}")
        yield "\n".join(parts)


def k_best_sections(
    parsers: KBestParsers, doc: Doc, sentences: list[ParsedSentence], number: int
) -> Iterator[str]:
    """The sentences as parts of a page, each with the drawings of its trees."""
    for place, one in enumerate(parsers.take(doc, sentences), 1):
        drawings = [
            f"<p>{_title('Tree', rank, tree)}</p>\n{draw_tree_html(tree.tree)}"
            for rank, tree in enumerate(one.trees, 1)
        ]
        yield page_section(f"{number}-{place}", one.sentence.text, "\n".join(drawings))


def k_best_drawings(
    parsers: KBestParsers, doc: Doc, sentences: list[ParsedSentence]
) -> Iterator[tuple[str, str]]:
    """The number of a sentence in its Doc with the rank of a tree, and its drawing, for every
    tree."""
    for place, one in enumerate(parsers.take(doc, sentences), 1):
        for rank, tree in enumerate(one.trees, 1):
            yield f"{place:03}-{rank:03}", draw_tree(tree.tree)


def _conllu(
    parsers: KBestParsers,
    doc: Doc,
    parses: list[SentenceParses],
    number: int,
    gives: PipelineOutputs,
    notes: Counter[str] | None,
) -> str:
    shown = _at_each_rank(
        parsers,
        doc,
        parses,
        # What cannot be written as it stands is counted once, not at each rank.
        lambda rank: conllu_of(doc, str(number), gives, None if rank else notes),
    )
    blocks = []
    for one, of_one in zip(parses, shown, strict=True):
        for rank, (parse, block) in enumerate(zip(one.dependencies, of_one, strict=True), 1):
            comments = [
                f"# {PARSE} = {rank}",
                f"# {LOG_PROBABILITY} = {_rounded(parse):.{DIGITS}f}",
            ]
            blocks.append(_with_comments(block if rank == 1 else _NEWDOC.sub("", block), comments))
    return "".join(blocks)


def _with_comments(block: str, comments: list[str]) -> str:
    """A block of CoNLL-U with comments after its own, which replace those of the same name."""
    names = {comment_key(comment) for comment in comments}
    lines = [line for line in block.split("\n") if comment_key(line) not in names]
    place = next(i for i, line in enumerate(lines) if not line.startswith("#"))
    return "\n".join([*lines[:place], *comments, *lines[place:]])


def _bracketed(one: SentenceParses) -> str:
    """The trees of a sentence, a line each, and an empty line."""
    lines = [bracketed(replace(one.sentence, tree=tree.tree)) for tree in one.trees]
    return "".join(f"{line}\n" for line in [*lines, ""])


def _at_each_rank(
    parsers: KBestParsers,
    doc: Doc,
    parses: list[SentenceParses],
    show: Callable[[int], Iterable[Shown]],
) -> list[list[Shown]]:
    """What is shown of each sentence with each of its dependency trees in the Doc, best first.

    Args:
        parsers: The parsers.
        doc: The Doc. It has the best parses afterwards.
        parses: The parses of its sentences.
        show: Gives what is shown of each sentence. Called with the rank, from 0.
    """
    shown: list[list[Shown]] = [[] for _ in parses]
    parser = parsers.dependencies
    if parser is None:
        return shown
    for rank in reversed(range(max((len(one.dependencies) for one in parses), default=0))):
        parser.set_k_best(
            doc, [one.dependencies[min(rank, len(one.dependencies) - 1)] for one in parses]
        )
        for of_one, one, now in zip(shown, parses, show(rank), strict=True):
            if rank < len(one.dependencies):
                of_one.insert(0, now)
    return shown


def _scored(parse: ScoredDependencies | ScoredTree, record: dict[str, Any]) -> dict[str, Any]:
    return {LOG_PROBABILITY: _rounded(parse), **record}


def _title(kind: str, rank: int, parse: ScoredDependencies | ScoredTree) -> str:
    return f"{kind} {rank}, log probability {_rounded(parse):.{DIGITS}f}"


def _rounded(parse: ScoredDependencies | ScoredTree) -> float:
    """The log probability; 0.0 is added since rounding gives a negative zero too."""
    return round(parse.log_probability, DIGITS) + 0.0

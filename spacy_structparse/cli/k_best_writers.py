"""The formats that hold the k best parses of each sentence."""

import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from spacy.tokens import Doc

from ..corpora.conllu_columns import comment_key
from ..corpora.pipeline_outputs import PipelineOutputs, conllu_of
from ..corpora.writers import Format, TextWriter, Writer, json_line
from ..trees.svg import draw_tree_html
from ..viz.page import PAGE_END, page_section, page_start
from ..viz.sentences import (
    ParsedSentence,
    bracketed,
    dependency_record,
    sentence_records,
    tree_record,
)
from .drawings import TerminalWriter
from .parse_k_best import KBestParsers, Scored, SentenceParses

PARSE, LOG_PROBABILITY = "parse", "log_probability"
DIGITS = 4
"""Digits after the point of a log probability."""
_NEWDOC = re.compile(r"^# newdoc.*\n", re.MULTILINE)


def open_k_best(
    style: Format, output: Path, gives: PipelineOutputs, parsers: KBestParsers
) -> AbstractContextManager[Writer]:
    """Open a file for Docs with several parses of each sentence, as `open_writer` does."""
    return _WRITERS[style].open(output, gives, parsers=parsers)


class KBestWriter(TextWriter):
    """Writes the parses of each sentence, which `ranked` formats.

    Args:
        target: The open file.
        outputs: The annotations that are written.
        parsers: The parsers.
    """

    def __init__(self, target: TextIO, outputs: PipelineOutputs, parsers: KBestParsers) -> None:
        super().__init__(target, outputs)
        self.parsers = parsers

    def texts(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> Iterable[str]:
        """Give the text of all parses."""
        return self.ranked(doc, self.parsers.take(doc, sentences), name)

    def ranked(self, doc: Doc, parses: list[SentenceParses], name: str) -> Iterable[str]:
        """Format the parses of the sentences of a Doc."""
        raise NotImplementedError


class KBestConlluWriter(KBestWriter):
    """Writes each parse as a sentence, with its rank and its log probability in comments."""

    def ranked(self, doc: Doc, parses: list[SentenceParses], name: str) -> Iterator[str]:
        """Give a block for each parse."""
        shown = self.parsers.at_each_rank(
            doc,
            parses,
            # What cannot be written as it stands is counted once, not at each rank.
            lambda rank: conllu_of(doc, name, self.outputs, None if rank else self.notes),
        )
        for one, blocks in zip(parses, shown, strict=True):
            for rank, (parse, block) in enumerate(zip(one.dependencies, blocks, strict=True), 1):
                comments = [
                    f"# {PARSE} = {rank}",
                    f"# {LOG_PROBABILITY} = {_rounded(parse):.{DIGITS}f}",
                ]
                yield _with_comments(block if rank == 1 else _NEWDOC.sub("", block), comments)


class KBestBracketWriter(KBestWriter):
    """Writes each tree as a line, and an empty line after those of a sentence."""

    def ranked(self, doc: Doc, parses: list[SentenceParses], name: str) -> Iterator[str]:
        """Give the lines."""
        for one in parses:
            for tree in one.trees:
                yield f"{bracketed(replace(one.sentence, tree=tree.tree))}\n"
            yield "\n"


class KBestPageWriter(KBestWriter):
    """Writes a page with the drawings of the trees of each sentence."""

    start, end = page_start(), PAGE_END

    def ranked(self, doc: Doc, parses: list[SentenceParses], name: str) -> Iterator[str]:
        """Give a section for each sentence."""
        for place, one in enumerate(parses, 1):
            drawings = [
                f"<p>{_title('Tree', rank, tree)}</p>\n{draw_tree_html(tree.tree)}"
                for rank, tree in enumerate(one.trees, 1)
            ]
            yield page_section(f"{name}-{place}", one.sentence.text, "\n".join(drawings))


class KBestJsonWriter(KBestWriter):
    """Writes a line a Doc; a sentence has lists of parses, `dependencies` and `trees`."""

    def ranked(self, doc: Doc, parses: list[SentenceParses], name: str) -> Iterator[str]:
        """Give the line."""
        sentences = [one.sentence for one in parses]
        records = sentence_records(doc, sentences)
        heads = self.parsers.at_each_rank(
            doc, parses, lambda rank: map(dependency_record, sentences)
        )
        for record, one, of_heads in zip(records, parses, heads, strict=True):
            if self.parsers.trees:
                record["trees"] = [_scored(tree, tree_record(tree.tree)) for tree in one.trees]
            elif self.outputs.trees:
                record |= tree_record(one.sentence.tree)
            if self.parsers.dependencies:
                record["dependencies"] = [
                    _scored(parse, shown)
                    for parse, shown in zip(one.dependencies, of_heads, strict=True)
                ]
            elif self.outputs.heads:
                record |= dependency_record(one.sentence)
        yield json_line(doc, records, self.outputs)


class KBestTerminalWriter(TerminalWriter):
    """Writes each parse below its rank and log probability."""

    def __init__(self, target: TextIO, outputs: PipelineOutputs, parsers: KBestParsers) -> None:
        super().__init__(target, outputs)
        self.parsers = parsers

    def blocks(self, doc: Doc, sentences: list[ParsedSentence]) -> Iterator[str]:
        """Draw each sentence."""
        view, parsers = self.view, self.parsers
        parses = parsers.take(doc, sentences)
        tables = parsers.at_each_rank(
            doc,
            parses,
            lambda rank: (view.sentence(one, trees=False, text=False) for one in sentences),
        )
        for one, of_one in zip(parses, tables, strict=True):
            # One parse, of a parser that gives no others, stands below the text.
            heads = self.outputs.heads and not parsers.dependencies
            trees = self.outputs.trees and not parsers.trees
            parts = [view.sentence(one.sentence, heads=heads, trees=trees)]
            for rank, (parse, table) in enumerate(zip(one.dependencies, of_one, strict=True), 1):
                parts.append(f"{self._heading('Dependencies', rank, parse)}\n{table}")
            for rank, tree in enumerate(one.trees, 1):
                sentence = replace(one.sentence, tree=tree.tree)
                drawn = view.sentence(sentence, heads=False, text=False)
                parts.append(f"{self._heading('Tree', rank, tree)}\n{drawn}")
            yield "\n".join(parts)

    def _heading(self, kind: str, rank: int, parse: Scored) -> str:
        return self.view.paint("heading", _title(kind, rank, parse))


_WRITERS: dict[Format, type[Writer]] = {
    Format.conllu: KBestConlluWriter,
    Format.ptb: KBestBracketWriter,
    Format.json: KBestJsonWriter,
    Format.svg: KBestPageWriter,
    Format.terminal: KBestTerminalWriter,
}


def _with_comments(block: str, comments: list[str]) -> str:
    """A block of CoNLL-U with comments after its own, which replace those of the same name."""
    names = {comment_key(comment) for comment in comments}
    lines = [line for line in block.split("\n") if comment_key(line) not in names]
    place = next(i for i, line in enumerate(lines) if not line.startswith("#"))
    return "\n".join([*lines[:place], *comments, *lines[place:]])


def _rounded(parse: Scored) -> float:
    """The log probability; 0.0 is added since rounding gives a negative zero too."""
    return round(parse.log_probability, DIGITS) + 0.0


def _scored(parse: Scored, record: dict[str, Any]) -> dict[str, Any]:
    return {LOG_PROBABILITY: _rounded(parse), **record}


def _title(kind: str, rank: int, parse: Scored) -> str:
    return f"{kind} {rank}, log probability {_rounded(parse):.{DIGITS}f}"

"""The k best parses of `spacy structparse parse --k-best`, and the formats that hold them."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO, TypeVar

from spacy.language import Language
from spacy.tokens import Doc

from ..corpora.conllu_columns import comment_key
from ..corpora.pipeline_outputs import HEADS, TREES, PipelineOutputs
from ..corpora.writers import Format, TextWriter, Writer, conllu_of, json_line, open_writer
from ..pipeline.k_best import KBest, ScoredDependencies, ScoredTree
from ..viz.sentences import (
    ParsedSentence,
    bracketed,
    dependency_record,
    sentence_records,
    tree_record,
)
from .drawings import TerminalWriter, add_confidence
from .loading import last_component

RANK, LOG_PROBABILITY = "parse", "log_probability"
DIGITS = 4  # after the point of a log probability
_NEWDOC = re.compile(r"^# newdoc.*\n", re.MULTILINE)
Shown = TypeVar("Shown")
Scored = ScoredDependencies | ScoredTree


@dataclass(frozen=True)
class SentenceParses:
    """A sentence with the best parses of each parser, best first; none of a parser not wanted."""

    sentence: ParsedSentence
    dependencies: list[ScoredDependencies]
    trees: list[ScoredTree]


@dataclass(frozen=True)
class KBestParsers:
    """The parsers whose k best parses are written; None where they are not wanted."""

    k: int
    dependencies: KBest | None = None
    trees: KBest | None = None

    @classmethod
    def of(cls, nlp: Language, k: int, style: Format, outputs: PipelineOutputs) -> "KBestParsers":
        """Find the parsers whose parses a format shows.

        Raises ValueError if the format holds one parse, or if no parser gives several.
        """
        if outputs.gold:
            raise ValueError("--k-best finds parses, and --gold predicts nothing: leave out one")
        if style not in _WRITERS:
            raise ValueError(f"--format {style.value} holds one parse, and --k-best gives several")
        heads = None if style is Format.ptb else last_component(nlp, HEADS)
        trees = None if style is Format.conllu else last_component(nlp, TREES)
        pipes: list[Any] = [name and nlp.get_pipe(name) for name in (heads, trees)]
        parsers = cls(k, *(pipe if isinstance(pipe, KBest) else None for pipe in pipes))
        if not (parsers.dependencies or parsers.trees):
            raise ValueError(
                f"--k-best: {' and '.join(name for name in (heads, trees) if name)} gives one "
                "parse. Only spa_dep, stack_lstm_dep and seq2seq_constituency give several"
            )
        return parsers

    def parse(self, doc: Doc, sentences: list[ParsedSentence]) -> list[SentenceParses]:
        """Find the parses of the sentences of a Doc."""
        heads, trees = (
            parser.k_best(doc, self.k) if parser else [[] for _ in sentences]
            for parser in (self.dependencies, self.trees)
        )
        return list(map(SentenceParses, sentences, heads, trees))

    def at_each_rank(
        self,
        doc: Doc,
        parses: list[SentenceParses],
        show: Callable[[int], Iterable[Shown]],
    ) -> list[list[Shown]]:
        """Show each sentence with each of its dependency trees in the Doc, best first.

        Args:
            doc: The Doc. It has the best parses afterwards.
            parses: The parses of its sentences.
            show: Called with the rank, from 0; gives a value for each sentence.
        """
        shown: list[list[Shown]] = [[] for _ in parses]
        ranked = [sentence.dependencies for sentence in parses]
        for rank in reversed(range(max(map(len, ranked), default=0))):
            assert self.dependencies is not None
            trees = [of_sentence[min(rank, len(of_sentence) - 1)] for of_sentence in ranked]
            self.dependencies.set_k_best(doc, trees)
            for values, of_sentence, value in zip(shown, ranked, show(rank), strict=True):
                if rank < len(of_sentence):
                    values.insert(0, value)
        return shown


def open_output(
    style: Format,
    output: Path,
    outputs: PipelineOutputs,
    nlp: Language,
    *,
    k_best: int | None,
    confidence: bool,
) -> AbstractContextManager[Writer]:
    """Open a file for the Docs of a pipeline, as `open_writer` does.

    Args:
        style: The format.
        output: The file or folder, or `-` for the standard output.
        outputs: The annotations that are written.
        nlp: The pipeline.
        k_best: The number of parses of each sentence; None: one.
        confidence: Let the parsers compute confidence, and write it.

    Raises:
        ValueError: See `add_confidence` and `KBestParsers.of`.
    """
    if confidence:
        outputs = add_confidence(nlp, style, outputs, k_best)
    if k_best is None:
        return open_writer(style, output, outputs)
    parsers = KBestParsers.of(nlp, k_best, style, outputs)
    return _WRITERS[style].open(output, outputs, parsers=parsers)


class KBestWriter(TextWriter):
    """Writes the parses of each sentence.

    Args:
        target: The open file.
        outputs: The annotations that are written.
        parsers: The parsers.
    """

    def __init__(self, target: TextIO, outputs: PipelineOutputs, parsers: KBestParsers) -> None:
        super().__init__(target, outputs)
        self.parsers = parsers


class KBestConlluWriter(KBestWriter):
    """Writes each parse as a sentence, with its rank and its log probability in comments."""

    def texts(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> Iterator[str]:
        """Give a block for each parse."""
        parses = self.parsers.parse(doc, sentences)
        blocks = self.parsers.at_each_rank(
            doc,
            parses,
            # What cannot be written as it stands is counted once, not at each rank.
            lambda rank: conllu_of(doc, name, self.outputs, None if rank else self.notes),
        )
        for sentence, of_sentence in zip(parses, blocks, strict=True):
            pairs = zip(sentence.dependencies, of_sentence, strict=True)
            for rank, (parse, block) in enumerate(pairs, 1):
                comments = [
                    f"# {RANK} = {rank}",
                    f"# {LOG_PROBABILITY} = {_rounded(parse):.{DIGITS}f}",
                ]
                yield _with_comments(block if rank == 1 else _NEWDOC.sub("", block), comments)


class KBestBracketWriter(KBestWriter):
    """Writes each tree as a line, and an empty line after those of a sentence."""

    def texts(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> Iterator[str]:
        """Give the lines."""
        for parses in self.parsers.parse(doc, sentences):
            for scored in parses.trees:
                yield f"{bracketed(replace(parses.sentence, tree=scored.tree))}\n"
            yield "\n"


class KBestJsonWriter(KBestWriter):
    """Writes a line a Doc; a sentence has lists of parses, `dependencies` and `trees`."""

    def texts(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> Iterator[str]:
        """Give the line."""
        parses = self.parsers.parse(doc, sentences)
        records = sentence_records(doc, sentences)
        heads = self.parsers.at_each_rank(
            doc, parses, lambda rank: map(dependency_record, sentences)
        )
        for record, sentence, of_ranks in zip(records, parses, heads, strict=True):
            if self.parsers.trees:
                trees = [tree_record(scored.tree) for scored in sentence.trees]
                record["trees"] = list(map(_scored, sentence.trees, trees))
            elif self.outputs.trees:
                record |= tree_record(sentence.sentence.tree)
            if self.parsers.dependencies:
                record["dependencies"] = list(map(_scored, sentence.dependencies, of_ranks))
            elif self.outputs.heads:
                record |= dependency_record(sentence.sentence)
        yield json_line(doc, records, self.outputs)


class KBestTerminalWriter(KBestWriter, TerminalWriter):
    """Writes each parse below its rank and log probability."""

    def blocks(self, doc: Doc, sentences: list[ParsedSentence]) -> Iterator[str]:
        """Draw each sentence."""
        view, parsers = self.view, self.parsers
        parses = parsers.parse(doc, sentences)
        tables = parsers.at_each_rank(
            doc,
            parses,
            lambda rank: (view.sentence(each, trees=False, text=False) for each in sentences),
        )
        for sentence, of_ranks in zip(parses, tables, strict=True):
            # One parse, of a parser that gives no others, stands below the text.
            heads = self.outputs.heads and not parsers.dependencies
            trees = self.outputs.trees and not parsers.trees
            parts = [view.sentence(sentence.sentence, heads=heads, trees=trees)]
            parts += self._titled("Dependencies", sentence.dependencies, of_ranks)
            drawings = [
                view.sentence(replace(sentence.sentence, tree=scored.tree), heads=False, text=False)
                for scored in sentence.trees
            ]
            parts += self._titled("Tree", sentence.trees, drawings)
            yield "\n".join(parts)

    def _titled(self, kind: str, parses: Sequence[Scored], drawings: list[str]) -> Iterator[str]:
        for rank, (parse, drawing) in enumerate(zip(parses, drawings, strict=True), 1):
            title = f"{kind} {rank}, log probability {_rounded(parse):.{DIGITS}f}"
            yield f"{self.view.paint('heading', title)}\n{drawing}"


_WRITERS: dict[Format, type[Writer]] = {
    Format.conllu: KBestConlluWriter,
    Format.ptb: KBestBracketWriter,
    Format.json: KBestJsonWriter,
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

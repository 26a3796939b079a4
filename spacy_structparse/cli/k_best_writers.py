"""The k best parses of `spacy structparse parse --k-best`, and the formats that hold them."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO, TypeVar

from spacy.language import Language
from spacy.tokens import Doc

from ..corpora.conllu_columns import comment_key
from ..corpora.pipeline_outputs import HEADS, TREES, PipelineOutputs
from ..corpora.sentence_records import dependency_record, sentence_records, tree_record
from ..corpora.writers import Format, TextWriter, Writer, conllu_of, json_line, open_writer
from ..pipeline.k_best import ScoredDependencies, ScoredTree
from ..viz.sentences import ParsedSentence, bracketed
from .drawings import TerminalWriter, add_confidence
from .loading import last_component

RANK, LOG_PROBABILITY = "parse", "log_probability"
DIGITS = 4  # after the point of a log probability
_NEWDOC = re.compile(r"^# newdoc.*\n", re.MULTILINE)
Shown = TypeVar("Shown")


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
        ValueError: See `add_confidence`. With `k_best`, the format holds one parse, or no parser
            gives several.
    """
    if confidence:
        outputs = add_confidence(nlp, style, outputs, k_best)
    if k_best is None:
        return open_writer(style, output, outputs)
    if outputs.gold:
        raise ValueError("--k-best finds parses, and --gold predicts nothing: leave out one")
    if style not in _WRITERS:
        raise ValueError(f"--format {style.value} holds one parse, and --k-best gives several")
    shown = {HEADS: style is not Format.ptb, TREES: style is not Format.conllu}
    names = [last_component(nlp, layer) if shown[layer] else None for layer in (HEADS, TREES)]
    pipes: list[Any] = [name and nlp.get_pipe(name) for name in names]
    heads, trees = (pipe if hasattr(pipe, "set_k_best") else None for pipe in pipes)
    if not (heads or trees):
        raise ValueError(
            f"--k-best: {' and '.join(filter(None, names))} gives one parse. Only spa_dep, "
            "stack_lstm_dep and seq2seq_constituency give several"
        )
    return _WRITERS[style].open(output, outputs, k=k_best, heads=heads, trees=trees)


class KBestWriter(TextWriter):
    """Writes the parses of each sentence.

    Args:
        target: The open file.
        outputs: The annotations that are written.
        k: The number of parses of each sentence.
        heads: The dependency parser; None if it gives one parse, or none are wanted.
        trees: The parser of trees; None as for `heads`.
    """

    def __init__(
        self,
        target: TextIO,
        outputs: PipelineOutputs,
        k: int,
        heads: Any,
        trees: Any,
    ) -> None:
        super().__init__(target, outputs)
        self.k, self.heads, self.trees = k, heads, trees

    def with_arcs(
        self, doc: Doc, sentences: Sequence[ParsedSentence], show: Callable[[int], Iterable[Shown]]
    ) -> list[list[tuple[float, Shown]]]:
        """Show each sentence with each of its dependency parses, best first.

        Args:
            doc: The Doc. It has the best parses afterwards.
            sentences: Its sentences.
            show: Called with the rank, from 0, when the Doc has the parses of that rank; gives a
                value for each sentence.

        Returns:
            For each sentence the log probability of each parse, and the value.
        """
        shown: list[list[tuple[float, Shown]]] = [[] for _ in sentences]
        if self.heads is None:
            return shown
        parses = self.heads.k_best(doc, self.k)
        for rank in reversed(range(max(map(len, parses), default=0))):
            self.heads.set_k_best(doc, [ranked[min(rank, len(ranked) - 1)] for ranked in parses])
            for values, ranked, value in zip(shown, parses, show(rank), strict=True):
                if rank < len(ranked):
                    values.insert(0, (_log_probability(ranked[rank]), value))
        return shown

    def with_trees(
        self, doc: Doc, sentences: Sequence[ParsedSentence]
    ) -> list[list[tuple[float, ParsedSentence]]]:
        """Return each sentence with each of its trees, best first, after its log probability."""
        parses = self.trees.k_best(doc, self.k) if self.trees else [[] for _ in sentences]
        return [
            [(_log_probability(parse), replace(sentence, tree=parse.tree)) for parse in ranked]
            for sentence, ranked in zip(sentences, parses, strict=True)
        ]


class KBestConlluWriter(KBestWriter):
    """Writes each parse as a sentence, with its rank and its log probability in comments."""

    def texts(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> Iterator[str]:
        """Give a block for each parse."""

        def blocks(rank: int) -> list[str]:
            # What cannot be written as it stands is counted once, not at each rank.
            return conllu_of(doc, name, self.outputs, None if rank else self.notes)

        for parses in self.with_arcs(doc, sentences, blocks):
            for rank, (value, block) in enumerate(parses, 1):
                comments = [f"# {RANK} = {rank}", f"# {LOG_PROBABILITY} = {value:.{DIGITS}f}"]
                yield _with_comments(block if rank == 1 else _NEWDOC.sub("", block), comments)


class KBestBracketWriter(KBestWriter):
    """Writes each tree as a line, and an empty line after those of a sentence."""

    def texts(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> Iterator[str]:
        """Give the lines."""
        for parses in self.with_trees(doc, sentences):
            yield from (f"{bracketed(sentence)}\n" for _, sentence in parses)
            yield "\n"


class KBestJsonWriter(KBestWriter):
    """Writes a line a Doc; a sentence has lists of parses, `dependencies` and `trees`."""

    def texts(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> Iterator[str]:
        """Give the line."""
        # One parse, of a parser that gives no others, stands beside the lists.
        heads = self.outputs.heads and not self.heads
        trees = self.outputs.trees and not self.trees
        records = sentence_records(doc, sentences, replace(self.outputs, heads=heads, trees=trees))
        of_trees = self.with_trees(doc, sentences)
        of_arcs = self.with_arcs(doc, sentences, lambda rank: map(dependency_record, sentences))
        for record, ranked_arcs, ranked_trees in zip(records, of_arcs, of_trees, strict=True):
            if self.trees:
                record["trees"] = [
                    {LOG_PROBABILITY: value, **tree_record(parse.tree)}
                    for value, parse in ranked_trees
                ]
            if self.heads:
                record["dependencies"] = [
                    {LOG_PROBABILITY: value, **parse} for value, parse in ranked_arcs
                ]
        yield json_line(doc, records, self.outputs)


class KBestTerminalWriter(KBestWriter, TerminalWriter):
    """Writes each parse below its rank and log probability."""

    def blocks(self, doc: Doc, sentences: list[ParsedSentence]) -> Iterator[str]:
        """Draw each sentence."""
        view = self.view
        of_trees = self.with_trees(doc, sentences)
        of_arcs = self.with_arcs(
            doc,
            sentences,
            lambda rank: (view.sentence(each, trees=False, text=False) for each in sentences),
        )
        # One parse, of a parser that gives no others, stands below the text.
        heads = self.outputs.heads and not self.heads
        trees = self.outputs.trees and not self.trees
        for sentence, tables, parses in zip(sentences, of_arcs, of_trees, strict=True):
            drawings = [
                (value, view.sentence(parse, heads=False, text=False)) for value, parse in parses
            ]
            parts = [view.sentence(sentence, heads=heads, trees=trees)]
            for kind, ranked in (("Dependencies", tables), ("Tree", drawings)):
                for rank, (value, drawing) in enumerate(ranked, 1):
                    title = f"{kind} {rank}, log probability {value:.{DIGITS}f}"
                    parts.append(f"{view.paint('heading', title)}\n{drawing}")
            yield "\n".join(parts)


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


def _log_probability(parse: ScoredDependencies | ScoredTree) -> float:
    """The log probability as it is written; 0.0 is added since rounding gives a negative zero."""
    return round(parse.log_probability, DIGITS) + 0.0

"""The formats of `spacy structparse parse` that draw: SVG, pages, LaTeX and the terminal."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from spacy.language import Language
from spacy.tokens import Doc

from ..corpora.pipeline_outputs import PipelineOutputs
from ..corpora.writers import (
    BINARY,
    STANDARD_OUTPUT,
    SUFFIXES,
    WRITERS,
    Format,
    TextWriter,
    Writer,
    format_by_suffix,
)
from ..errors import ConfidenceError
from ..files import folder_written_whole
from ..input_limits import GZIP_SUFFIX
from ..pipeline.confidence import enable_confidence
from ..trees.svg import scrolling
from ..viz.confidence import draw_tree_confidence, node_confidence
from ..viz.latex import LATEX_END, LATEX_START, latex_sections
from ..viz.page import PAGE_END, PAGE_START, PAGE_SUFFIXES, page_section
from ..viz.sentences import ParsedSentence
from ..viz.terminal import TerminalView
from .output_checks import check_suffix

COMPRESSED = (".bz2", ".xz", ".zst", ".zip")


def choose_format(wanted: Format | None, outputs: PipelineOutputs, nlp: Language) -> Format:
    """The wanted format, or the default one of the pipeline's outputs, dependencies first.

    Raises ValueError where the pipeline lacks the component for it.
    """
    trees = "a component for trees, such as seq2seq_constituency"
    heads = "a dependency parser, such as stack_lstm_dep"
    if wanted in (Format.ptb, Format.svg) and not outputs.trees:
        lacking = trees
    elif wanted is Format.conllu and not outputs.heads:
        lacking = heads
    elif not (outputs.heads or outputs.trees):
        lacking = f"{heads}, or {trees}"
    else:
        return wanted or (Format.conllu if outputs.heads else Format.ptb)
    asked = f"--format {wanted.value}" if wanted else "parse"
    present = ", ".join(nlp.pipe_names) or "none"
    raise ValueError(f"{asked} needs {lacking}; the pipeline's components: {present}")


def add_confidence(
    nlp: Language, style: Format, outputs: PipelineOutputs, k_best: int | None = None
) -> PipelineOutputs:
    """Let the parsers of a pipeline compute confidence, and return the outputs with it.

    Args:
        nlp: The pipeline.
        style: The format.
        outputs: The outputs of the pipeline.
        k_best: The number of parses of each sentence, if there are several.

    Raises ConfidenceError if no component computes it, or if it cannot be written.
    """
    if k_best is not None:
        raise ConfidenceError("--confidence and --k-best do not go together: leave out one")
    if style in (Format.ptb, Format.latex):
        raise ConfidenceError(f"--format {style.value} has no place for --confidence")
    enable_confidence(nlp)
    return replace(outputs, confidence=True)


def named_format(wanted: Format | None, output: Path, *, gold: bool) -> Format | None:
    """The wanted format, or that of the output's suffix; None if it has none.

    gold: Nothing is parsed. Otherwise `.txt` says nothing.

    Raises ValueError, before anything is parsed, for an output that cannot be written.
    """
    if wanted is Format.text and not gold:
        raise ValueError("--format text has no parses: it goes with --gold")
    style = wanted or format_by_suffix(output)
    standard = str(output) == STANDARD_OUTPUT
    if output.suffix in COMPRESSED:
        raise ValueError(f"--output {output}: parse writes .gz alone; compress the standard output")
    if style is None:
        check_suffix(output, [*(first for first, *_ in SUFFIXES.values()), GZIP_SUFFIX, ""])
    if style in BINARY and standard:
        raise ValueError(f"--format {style.value} needs --output FILE.{style.value}")
    if style is not Format.svg or output.suffix in PAGE_SUFFIXES:
        if output.is_dir():
            raise ValueError(f"--output {output} is a folder, where a file would go")
        return None if style is Format.text and not gold else style
    if standard or output.suffix == ".svg" or output.is_file():
        raise ValueError(
            f"--format svg draws many files: give --output FOLDER or PAGE.html, not {output}"
        )
    if output.is_dir() and any(output.iterdir()):
        raise ValueError(f"the folder {output} is not empty: remove it, or name another one")
    return style


class TerminalWriter(TextWriter):
    """Writes tables of dependencies and drawings of trees in text."""

    def __init__(self, target: TextIO, outputs: PipelineOutputs) -> None:
        super().__init__(target, outputs)
        self.view = TerminalView.on(target) if target is sys.stdout else TerminalView()

    def texts(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> Iterator[str]:
        """Give each sentence, with an empty line before all but the first."""
        for place, lines in enumerate(self.blocks(doc, sentences)):
            yield f"\n{lines}" if self.documents > 1 or place else lines

    def blocks(self, doc: Doc, sentences: list[ParsedSentence]) -> Iterable[str]:
        """Draw each sentence."""
        outputs = self.outputs
        for sentence in sentences:
            yield self.view.sentence(
                sentence,
                heads=outputs.heads,
                trees=outputs.trees,
                confidence=outputs.confidence,
                spans_key=outputs.spans_key,
            )


class LatexWriter(TextWriter):
    """Writes LaTeX that draws arcs and trees."""

    start, end = LATEX_START, LATEX_END

    def texts(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> Iterator[str]:
        """Give the drawings of each sentence."""
        named = [(f"{name}-{place}", sentence) for place, sentence in enumerate(sentences, 1)]
        return latex_sections(named, trees=self.outputs.trees, heads=self.outputs.heads)


class PageWriter(TextWriter):
    """Writes a page of HTML with the drawings of trees."""

    start, end = PAGE_START, PAGE_END

    def texts(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> Iterator[str]:
        """Give a section for each sentence."""
        for place, sentence in enumerate(sentences, 1):
            if drawing := drawn(sentence, self.outputs, background=None):
                drawing = scrolling(drawing, [token.text for token in sentence.words])
            yield page_section(f"{name}-{place}", sentence, drawing)


class DrawingsWriter(Writer):
    """Writes a folder with a drawing for every tree; or a page, if the output is one.

    Names sort in the order of the sentences.
    """

    def __init__(self, folder: Path, outputs: PipelineOutputs) -> None:
        super().__init__(outputs)
        self._folder = folder

    @classmethod
    @contextmanager
    def open(cls, output: Path, outputs: PipelineOutputs, **settings: Any) -> Iterator[Writer]:
        """Open a folder, or a page."""
        if output.suffix in PAGE_SUFFIXES:
            with PageWriter.open(output, outputs) as writer:
                yield writer
        else:
            with folder_written_whole(output) as folder:
                yield cls(folder, outputs)

    def write_sentences(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> None:
        """Write a file for each tree."""
        for place, sentence in enumerate(sentences, 1):
            if drawing := drawn(sentence, self.outputs):
                path = self._folder / f"{self.documents:06}-{place:03}.svg"
                path.write_text(drawing, encoding="utf8")


def drawn(
    sentence: ParsedSentence, outputs: PipelineOutputs, background: str | None = "white"
) -> str | None:
    """The drawing of a sentence's tree, with confidence if it is written; None without a tree."""
    if sentence.tree is None:
        return None
    confidence = node_confidence(sentence, outputs.spans_key) if outputs.confidence else {}
    return draw_tree_confidence(sentence.tree, confidence, background=background)


WRITERS |= {Format.svg: DrawingsWriter, Format.latex: LatexWriter, Format.terminal: TerminalWriter}

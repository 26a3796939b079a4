"""The formats of `spacy structparse parse` that draw: SVG, pages, LaTeX and the terminal."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
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
from ..files import folder_written_whole, write_atomically
from ..input_limits import GZIP_SUFFIX
from ..pipeline.confidence import enable_confidence
from ..trees.svg import scrolling
from ..viz.confidence import draw_parse
from ..viz.latex import LATEX_END, LATEX_START, latex_sections
from ..viz.page import PAGE_END, PAGE_START, PAGE_SUFFIXES, page_section
from ..viz.sentences import ParsedSentence
from ..viz.terminal import TerminalView
from .output_checks import check_suffix

DRAWING = ".svg"
COMPRESSED = (".bz2", ".xz", ".zst", ".zip")


def choose_format(wanted: Format | None, outputs: PipelineOutputs, nlp: Language) -> Format:
    """The wanted format, or the default one of the pipeline's outputs, dependencies first.

    Raises ValueError where the pipeline lacks the component for it.
    """
    trees = "a component for trees, such as seq2seq_constituency"
    heads = "a dependency parser, such as stack_lstm_dep"
    if wanted is Format.ptb and not outputs.trees:
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

    gold: Nothing is parsed.

    Raises ValueError, before anything is parsed, for an output that cannot be written.
    """
    style = wanted or format_by_suffix(output)
    if output.suffix in COMPRESSED:
        raise ValueError(f"--output {output}: parse writes .gz alone; compress the standard output")
    if style is None:
        check_suffix(output, [*(first for first, *_ in SUFFIXES.values()), GZIP_SUFFIX, ""])
    elif style is Format.text and not gold:
        raise ValueError("a text (.txt) has no parses: parse into FILE.conllu, or add --gold")
    elif style in (*BINARY, Format.svg) and str(output) == STANDARD_OUTPUT:
        raise ValueError(f"--format {style.value} needs --output FILE.{style.value}")
    elif style is Format.svg and output.is_dir() and any(output.iterdir()):
        raise ValueError(f"the folder {output} is not empty: remove it, or name another one")
    return style


def _shown(outputs: PipelineOutputs) -> dict[str, Any]:
    return {name: getattr(outputs, name) for name in ("heads", "trees", "confidence", "spans_key")}


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
        for sentence in sentences:
            yield self.view.sentence(sentence, **_shown(self.outputs))


class LatexWriter(TextWriter):
    """Writes LaTeX that draws arcs and trees."""

    start, end = LATEX_START, LATEX_END

    def texts(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> Iterator[str]:
        """Give the drawings of each sentence."""
        named = [(f"{name}-{place}", sentence) for place, sentence in enumerate(sentences, 1)]
        return latex_sections(named, trees=self.outputs.trees, heads=self.outputs.heads)


class PageWriter(TextWriter):
    """Writes a page of HTML with the drawings of sentences."""

    start, end = PAGE_START, PAGE_END

    def texts(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> Iterator[str]:
        """Give a section for each sentence."""
        for place, sentence in enumerate(sentences, 1):
            drawing = draw_parse(sentence, **_shown(self.outputs), background=None)
            words = [token.text for token in sentence.words]
            markup = scrolling(drawing, words) if drawing else None
            yield page_section(f"{name}-{place}", sentence, markup)


class DrawingsWriter(Writer):
    """Writes a folder with a drawing for every sentence; or a page or a single drawing, if the
    output is one.

    Names sort in the order of the sentences.
    """

    def __init__(self, folder: Path, outputs: PipelineOutputs) -> None:
        super().__init__(outputs)
        self._folder = folder

    @classmethod
    @contextmanager
    def open(cls, output: Path, outputs: PipelineOutputs, **settings: Any) -> Iterator[Writer]:
        """Open a folder, a page, or a drawing. Raises ValueError unless that is of one sentence."""
        if output.suffix in PAGE_SUFFIXES:
            with PageWriter.open(output, outputs) as writer:
                yield writer
        elif output.suffix == DRAWING:
            with TemporaryDirectory() as folder:
                yield cls(Path(folder), outputs)
                drawings = list(Path(folder).iterdir())
                if len(drawings) != 1:
                    raise ValueError(
                        f"{output} holds one drawing, and there are {len(drawings)}: give --output "
                        "FOLDER or PAGE.html"
                    )
                write_atomically(output, drawings[0].read_bytes())
        else:
            with folder_written_whole(output) as folder:
                yield cls(folder, outputs)

    def write_sentences(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> None:
        """Write a file for each sentence with something to draw."""
        for place, sentence in enumerate(sentences, 1):
            if drawing := draw_parse(sentence, **_shown(self.outputs)):
                path = self._folder / f"{self.documents:06}-{place:03}.svg"
                path.write_text(drawing, encoding="utf8")


WRITERS |= {Format.svg: DrawingsWriter, Format.latex: LatexWriter, Format.terminal: TerminalWriter}

"""Where `spacy structparse parse` writes to: a file, a folder or the standard output."""

import io
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TextIO

from spacy.tokens import Doc, DocBin

from ..corpora.docbins import UNSTORED, store_doc
from ..corpora.given_columns import GIVEN
from ..corpora.pipeline_outputs import PipelineOutputs
from ..files import folder_written_whole, written_whole
from ..trees.svg import draw_tree, draw_tree_html
from ..viz.confidence import labelled_tree, node_confidence, node_looks
from ..viz.latex import LATEX_END, LATEX_START, latex_sections
from ..viz.page import PAGE_END, PAGE_SUFFIXES, page_section, page_start
from ..viz.sentences import ParsedSentence
from ..viz.terminal import TerminalView
from .k_best_formats import format_k_best, k_best_drawings, k_best_lines, k_best_sections
from .output_checks import STANDARD_OUTPUT
from .parse_formats import Format, format_doc
from .parse_k_best import KBestParsers

COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")

Write = Callable[[Doc, list[ParsedSentence], int], object]
"""Takes a Doc, its sentences and its number, from 1."""


class ParseOutputError(ValueError):
    """An output that does not go with the format."""


def check_output(style: Format | None, output: Path) -> None:
    """Raise ParseOutputError for an output that cannot be written, before anything is parsed."""
    standard = str(output) == STANDARD_OUTPUT
    if output.suffix in COMPRESSED:
        raise ParseOutputError(
            f"--output {output} names a compressed file, and parse writes none: leave out "
            "--output, give --format, and let gzip or another program read the standard output; "
            "or use parse-corpus"
        )
    if style is Format.spacy and standard:
        raise ParseOutputError("--format spacy needs --output FILE.spacy")
    if style is not Format.svg or output.suffix in PAGE_SUFFIXES:
        if output.is_dir():
            raise ParseOutputError(f"--output {output} is a folder, where a file would go")
        return
    if standard or output.suffix == ".svg" or output.is_file():
        raise ParseOutputError(
            "--format svg draws each sentence into a file of its own: it needs --output FOLDER, "
            f"or --output PAGE.html for all of them on one page, not {output}"
        )
    if output.is_dir() and any(output.iterdir()):
        raise ParseOutputError(f"the folder {output} is not empty: remove it, or name another one")


@contextmanager
def open_output(
    style: Format,
    output: Path,
    gives: PipelineOutputs,
    notes: Counter[str] | None = None,
    k_best: KBestParsers | None = None,
    opened: TextIO | None = None,
) -> Iterator[Write]:
    """A function that writes a Doc. The output appears whole when the block ends, or not at all
    if it ends in an error.

    notes: counts what could not be written as it stands; see `doc_to_conllu` and `UNSTORED`.
    k_best: the parsers that find several parses; not for `spacy` and `latex`.
    opened: where to write text, in place of the output.
    """
    if style is Format.spacy:
        docs = DocBin(store_user_data=True)
        yield lambda doc, sentences, number: _store(docs, doc, notes)
        with written_whole(output) as file:
            file.write(docs.to_bytes())
    elif style is Format.svg and output.suffix in PAGE_SUFFIXES:
        with open_text(output) as page:
            page.write(page_start())
            yield lambda doc, sentences, number: page.writelines(
                k_best_sections(k_best, doc, sentences, number)
                if k_best
                else _sections(sentences, number, gives)
            )
            page.write(PAGE_END)
    elif style is Format.svg:
        with folder_written_whole(output) as folder:
            yield lambda doc, sentences, number: _write_drawings(
                k_best_drawings(k_best, doc, sentences) if k_best else _drawings(sentences, gives),
                number,
                folder,
            )
    elif style is Format.latex:
        with open_text(output) as target:
            target.write(LATEX_START)
            yield lambda doc, sentences, number: target.writelines(
                latex_sections(
                    [(f"{number}-{place}", one) for place, one in enumerate(sentences, 1)],
                    trees=gives.trees,
                    heads=gives.heads,
                )
            )
            target.write(LATEX_END)
    elif style is Format.terminal:
        with open_text(output) if opened is None else nullcontext(opened) as target:
            view = TerminalView.on(target) if target is sys.stdout else TerminalView()
            yield lambda doc, sentences, number: target.writelines(
                f"\n{lines}" if number > 1 or place else lines
                for place, lines in enumerate(
                    k_best_lines(k_best, view, doc, sentences, gives)
                    if k_best
                    else _lines(view, sentences, gives)
                )
            )
    else:
        format_text = partial(format_k_best, k_best) if k_best else format_doc
        with open_text(output) if opened is None else nullcontext(opened) as target:
            yield lambda doc, sentences, number: target.write(
                format_text(style, doc, sentences, number, gives, notes)
            )


def _store(docs: DocBin, doc: Doc, notes: Counter[str] | None) -> None:
    doc.user_data.pop(GIVEN, None)
    lost = store_doc(docs, doc)
    if lost and notes is not None:
        notes[UNSTORED] += lost


@contextmanager
def open_text(output: Path) -> Iterator[TextIO]:
    """A file that appears whole when the block ends, or the standard output for `-`."""
    if str(output) == STANDARD_OUTPUT:
        yield sys.stdout
        sys.stdout.flush()
        return
    with (
        written_whole(output) as file,
        io.TextIOWrapper(file, encoding="utf8", newline="\n") as target,
    ):
        yield target


def _lines(
    view: TerminalView, sentences: list[ParsedSentence], gives: PipelineOutputs
) -> Iterator[str]:
    """The sentences on a terminal."""
    for sentence in sentences:
        yield view.sentence(
            sentence,
            heads=gives.heads,
            trees=gives.trees,
            confidence=gives.confidence,
            spans_key=gives.spans_key,
        )


def _sections(
    sentences: list[ParsedSentence], number: int, gives: PipelineOutputs
) -> Iterator[str]:
    """The sentences as parts of the page."""
    for place, sentence in enumerate(sentences, 1):
        drawing = _drawn(draw_tree_html, sentence, gives)
        yield page_section(f"{number}-{place}", sentence.text, drawing)


def _drawings(sentences: list[ParsedSentence], gives: PipelineOutputs) -> Iterator[tuple[str, str]]:
    """The number of a sentence in its Doc and the drawing of its tree, for every tree."""
    for place, sentence in enumerate(sentences, 1):
        drawing = _drawn(draw_tree, sentence, gives)
        if drawing is not None:
            yield f"{place:03}", drawing


def _drawn(
    draw: Callable[..., str], sentence: ParsedSentence, gives: PipelineOutputs
) -> str | None:
    """The drawing of a sentence's tree, with confidence if it is written; None without a tree."""
    if sentence.tree is None:
        return None
    if not gives.confidence:
        return draw(sentence.tree)
    known = node_confidence(sentence, gives.spans_key)
    return draw(labelled_tree(sentence.tree, known), looks=node_looks(known))


def _write_drawings(drawings: Iterator[tuple[str, str]], number: int, folder: Path) -> None:
    """A file for every tree, in the order of the sentences when sorted by name."""
    for name, drawing in drawings:
        (folder / f"{number:06}-{name}.svg").write_text(drawing, encoding="utf8")

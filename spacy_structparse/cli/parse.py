"""`spacy structparse parse`: text files to CoNLL-U."""

import io
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, TextIO

import spacy
import typer
from spacy.cli._util import import_code, setup_gpu
from spacy.language import Language
from spacy.tokens import Doc
from tqdm import tqdm
from wasabi import Printer

from ..corpora.conllu_writer import doc_to_conllu
from ..files import written_whole
from . import app

SENTENCE_SPLITTERS = ("sentencizer", "senter", "parser")


@app.command("parse")
def parse_cli(
    model: Annotated[str, typer.Argument(help="Path or name of a trained pipeline")],
    source: Annotated[
        Path, typer.Argument(help="Text file, a paragraph a line, or - for the standard input")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="CoNLL-U file, or - for the standard output")
    ] = Path("-"),
    show: Annotated[
        int, typer.Option("--show", "-s", help="Print this many parses as tables", min=0)
    ] = 0,
    split_sentences: Annotated[
        bool | None,
        typer.Option(
            "--split-sentences/--one-sentence",
            help="Cut lines into sentences by punctuation, or parse each line as one sentence. "
            "Without either they are cut unless the pipeline has a component that does it",
        ),
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option("--batch-size", "-b", help="Lines a batch", min=1)
    ] = None,
    n_process: Annotated[
        int, typer.Option("--n-process", "-p", help="Worker processes", min=1)
    ] = 1,
    gpu_id: Annotated[int, typer.Option("--gpu-id", "-g", help="GPU id, or -1 for the CPU")] = -1,
    code: Annotated[
        Path | None, typer.Option("--code", help="Python file to import before loading")
    ] = None,
) -> None:
    """Parse a text file line by line and write CoNLL-U.

    Any length of file does: lines are read, parsed and written in a stream. The output is written
    whole or not at all.
    """
    msg = Printer(no_print=str(output) == "-" and not show)
    import_code(code)
    setup_gpu(gpu_id, silent=True)
    try:
        nlp = spacy.load(model)
    except (OSError, ValueError) as error:
        Printer().fail(f"The pipeline '{model}' cannot be loaded", str(error), exits=1)
    _set_sentence_splitter(nlp, split_sentences)
    n_lines = n_sentences = 0
    shown: list[Doc] = []
    try:
        with ExitStack() as files:
            lines = _read_lines(source, files)
            target = _open_output(output, files)
            bar = tqdm(unit=" lines", disable=not sys.stderr.isatty())
            for doc in nlp.pipe(lines, batch_size=batch_size, n_process=n_process):
                n_lines += 1
                block = doc_to_conllu(doc, sent_id=str(n_lines))
                target.write(block)
                n_sentences += block.count("\n\n")
                if sum(_n_sentences(seen) for seen in shown) < show:
                    shown.append(doc)
                bar.update()
            bar.close()
    except (OSError, UnicodeDecodeError) as error:
        Printer().fail("Parsing failed", f"{source}: {error}", exits=1)
    _print_parses(msg, shown, show)
    if str(output) != "-":
        msg.good(f"{output}: {n_sentences} sentences of {n_lines} lines")


def _set_sentence_splitter(nlp: Language, wanted: bool | None) -> None:
    factories = [nlp.get_pipe_meta(name).factory for name in nlp.pipe_names]
    if wanted is None:
        wanted = not any(factory in SENTENCE_SPLITTERS for factory in factories)
    if wanted and "sentencizer" not in factories:
        nlp.add_pipe("sentencizer", first=True)


def _read_lines(source: Path, files: ExitStack) -> Iterator[str]:
    """Lines that are not empty."""
    stream: TextIO = sys.stdin
    if str(source) != "-":
        stream = files.enter_context(source.open(encoding="utf8"))
    return (line.strip() for line in stream if line.strip())


def _open_output(output: Path, files: ExitStack) -> TextIO:
    if str(output) == "-":
        return sys.stdout
    file = files.enter_context(written_whole(output))
    return files.enter_context(io.TextIOWrapper(file, encoding="utf8", newline="\n"))


def _n_sentences(doc: Doc) -> int:
    return len(list(doc.sents))


def _print_parses(msg: Printer, docs: list[Doc], show: int) -> None:
    sentences = [sentence for doc in docs for sentence in doc.sents][:show]
    for sentence in sentences:
        rows = [
            (token.i - sentence.start + 1, token.text, token.dep_, token.head.text)
            for token in sentence
            if not token.is_space
        ]
        msg.text(f"\n{sentence.text}")
        msg.table(rows, header=("", "Word", "Label", "Head"), aligns=("r", "l", "l", "l"))

"""`spacy structparse parse`: texts, treebanks and `.spacy` files to parses in eight formats."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.cli._util import import_code
from spacy.tokens import Doc
from tqdm import tqdm

from ..corpora.options import ReadOptions
from ..corpora.pipeline_outputs import PipelineOutputs, columns_to_keep, strip_predictions
from ..corpora.readers import TEXTS
from ..corpora.report import ConversionReport, Problem
from ..corpora.writers import STANDARD_OUTPUT, Format, format_by_suffix, open_writer
from ..errors import ConstraintError
from ..pipeline.sentences import set_sentence_splitter
from .app import PARSE, app
from .completion import Completion, warn_of_conflicts
from .drawings import add_confidence, check_output, choose_format
from .k_best_writers import KBestParsers, open_k_best
from .loading import choose_device, load_pipeline
from .messages import msg
from .output_checks import check_outputs, refuse_inputs
from .parse_inputs import files_of, find_inputs, read_named, warn_of_notes, warn_of_problems
from .parse_options import SPLIT_LEMMAS, Complete, Confidence, EndOfTexts, KindOfInputs
from .parse_workers import pipe
from .removed import removed_options
from .shared_options import GpuId

REMOVED = {
    "--resume": "parse-corpus goes on where it was interrupted",
    "--show": "use --format terminal",
}


@app.command("parse", rich_help_panel=PARSE, cls=removed_options(REMOVED))
def parse_cli(
    model: Annotated[str, typer.Argument(help="Path or name of a trained pipeline")],
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT...",
            help="Treebanks (.conllu, .conllup, .conll, .ptb, .mrg, .psd), .spacy or parquet files "
            "or folders of them, text (.txt), words (.words), JSON lines (.jsonl, objects with a "
            "text); - for text from the standard input. A text in quotes: an argument with white "
            "space or a sentence mark at the end that looks like no path",
            show_default=False,
        ),
    ] = None,
    texts: Annotated[
        list[str] | None,
        typer.Option(
            "--text", "-t", help="A text to parse, whatever it looks like", show_default=False
        ),
    ] = None,
    input_format: KindOfInputs = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="File (text is compressed if it ends in .gz), or folder for svg; - for the "
            "standard output",
        ),
    ] = Path(STANDARD_OUTPUT),
    style: Annotated[
        Format | None,
        typer.Option(
            "--format",
            "-f",
            help="conllu: dependencies. ptb: a bracketed tree a line. json: a document a line. "
            "svg: a drawing of each tree, or all of them on a page if the output is an .html file. "
            "latex: a document that draws arcs and trees. spacy: a DocBin. parquet: a row a "
            "sentence. terminal: a table of dependencies and a drawing of the tree in text. "
            "By default what the output is named after; terminal on a terminal and for a TEXT; "
            "otherwise conllu, or ptb without a dependency parser",
        ),
    ] = None,
    split_sentences: Annotated[
        bool | None,
        typer.Option(
            "--split-sentences/--one-sentence",
            help="Cut lines into sentences by punctuation, or parse each line as one sentence. "
            "Without either they are cut unless the pipeline has a component that does it. "
            "Sentences of treebanks and words, and sentence starts of .spacy files, are kept",
        ),
    ] = None,
    paragraphs: EndOfTexts = None,
    keep: Annotated[
        str,
        typer.Option(
            "--keep",
            metavar="COLUMNS",
            help="Columns of treebanks and .spacy files to keep in CoNLL-U: lemma, upos, xpos, "
            "feats, with commas between. The comment given_columns names them. Without it they "
            "are as predicted, or empty. For heads and labels see --complete",
        ),
    ] = "",
    complete: Complete = False,
    k_best: Annotated[
        int | None,
        typer.Option(
            "--k-best",
            "-k",
            metavar="K",
            help="Write the K most probable parses of each sentence, best first, with their log "
            "probabilities: of the dependency parser (conllu), of the constituency parser (ptb), "
            "or of each (json, terminal)",
            min=1,
            max=1000,
        ),
    ] = None,
    confidence: Confidence = False,
    n_process: Annotated[
        int, typer.Option("--n-process", "-p", help="Worker processes", min=1, max=1024)
    ] = 1,
    gpu_id: GpuId = -1,
    gold: Annotated[
        bool,
        typer.Option(
            "--gold",
            hidden=True,
            help="Write the annotation of treebanks and .spacy files as it came in. Nothing is "
            "predicted, and MODEL is not loaded: it may be -",
        ),
    ] = False,
    split_lemmas: Annotated[
        bool, typer.Option("--split-lemmas", hidden=True, help=SPLIT_LEMMAS)
    ] = False,
    batch_size: Annotated[
        int | None,
        typer.Option(
            "--batch-size", "-b", hidden=True, help="Documents a batch", min=1, max=100_000
        ),
    ] = None,
    code: Annotated[
        Path | None,
        typer.Option("--code", hidden=True, help="Python file to import before loading"),
    ] = None,
    no_clobber: Annotated[
        bool,
        typer.Option("--no-clobber", hidden=True, help="Stop before the work if an output exists"),
    ] = False,
) -> None:
    """Parse treebanks, the documents of .spacy files, or texts, by default a document a line.

    Treebanks, .spacy files and words keep their tokens and sentences. What the pipeline predicts
    replaces their annotation. CoNLL-U output has the comments, multiword tokens, empty nodes, DEPS
    and MISC of CoNLL-U input.

    A text can be given in place of a file: parse MODEL "Time flies like an arrow."

    Any length of input does: documents are read, parsed and written in a stream (.spacy files, and
    --format spacy, are held in memory). The output is written whole or not at all.
    docs/output-formats.md describes the kinds of files and rarer options: --gold, --split-lemmas,
    --batch-size, --code, --no-clobber.
    """
    check_outputs(no_clobber, output, standard=True)
    is_standard = str(output) == STANDARD_OUTPUT
    on_terminal = is_standard and sys.stdout.isatty()
    with _messages(output):
        annotated_for = "--gold" if gold else "--complete" if complete else ""
        inputs = find_inputs(
            sources or (), input_format, texts=texts or (), annotated_for=annotated_for
        )
        refuse_inputs(files_of(inputs), output)
        kept = columns_to_keep(keep, gold=gold)
        style = style or format_by_suffix(output)
        check_output(style, output)
        import_code(code)
        choose_device(gpu_id, n_process=n_process)
        nlp = spacy.blank("xx") if gold else load_pipeline(model)
        outputs = PipelineOutputs.of_gold() if gold else PipelineOutputs.of(nlp)
        has_text = any(isinstance(one, str) for one in inputs)
        if style is None and is_standard and not kept and (on_terminal or has_text):
            style = Format.terminal
        style = choose_format(style, outputs, nlp)
        if kept and style is not Format.conllu:
            raise ValueError(f"--keep is for --format conllu, not {style.value}")
        completion = Completion.of(nlp, outputs, inputs) if complete else None
        if confidence:
            outputs = add_confidence(nlp, style, outputs, k_best)
        parsers = None if k_best is None else KBestParsers.of(nlp, k_best, style, outputs)
        if parsers and n_process > 1:
            raise ValueError("--k-best finds parses in one process: leave out --n-process")
        if not gold:
            set_sentence_splitter(nlp, split_sentences)
    report = ConversionReport()
    conflicts: list[Problem] = []
    options = ReadOptions(
        bad_heads="skip" if complete else "words", paragraphs=paragraphs, split_lemmas=split_lemmas
    )

    def unparsed() -> Iterator[str | Doc]:
        for place, source, is_annotated in read_named(inputs, nlp, report, options):
            if isinstance(source, Doc) and is_annotated:
                if completion and not completion.prepare(source, place, report):
                    continue
                if not gold:
                    source = strip_predictions(source, outputs, kept)
            yield source

    try:
        with (
            open_k_best(style, output, outputs, parsers)
            if parsers
            else open_writer(style, output, outputs) as writer,
            # A bar on the terminal, unless parses are written there.
            tqdm(unit=" documents", disable=on_terminal or not sys.stderr.isatty()) as bar,
        ):
            docs = pipe(
                nlp,
                unparsed(),
                batch_size=batch_size,
                n_process=n_process,
                # Docs of files with annotation share the strings of their file.
                forget_words=all(isinstance(one, str) or one[1] in TEXTS for one in inputs),
                on_conflict=conflicts.append if completion else None,
            )
            for doc in docs:
                if completion and not parsers:  # the k best parses keep what is known, too
                    completion.finish(doc)
                writer.write(doc)
                bar.update()
            with _messages(output):
                warn_of_problems(report, conflicts)
                warn_of_conflicts([*report.problems, *conflicts], writer.documents)
    except ConstraintError as error:
        remedy = "With --complete such documents are left out and named, and the others parsed"
        raise ConstraintError(f"{error}\n{remedy}") from error
    with _messages(output):
        for text in completion.warnings() if completion else ():
            msg.warn(text)
        warn_of_notes(writer.notes)
        shows_trees = outputs.trees and not (gold and style in (Format.conllu, Format.spacy))
        if shows_trees and writer.without_tree:
            msg.warn(f"{writer.without_tree} of {writer.sentences} sentences have no tree")
        if not is_standard:
            msg.good(f"{output}: {writer.sentences} sentences of {writer.documents} documents")


def _messages(output: Path) -> AbstractContextManager:
    """Within it messages go to the standard error if parses go to the standard output."""
    return redirect_stdout(sys.stderr) if str(output) == STANDARD_OUTPUT else nullcontext()

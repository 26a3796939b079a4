"""`spacy structparse parse`: texts, treebanks and `.spacy` files to parses in seven formats."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from itertools import islice
from pathlib import Path
from typing import Annotated, NoReturn

import spacy
import typer
from spacy.cli._util import import_code
from spacy.tokens import Doc
from tqdm import tqdm

from ..constraints import ConstraintError
from ..corpora.given_columns import KeepError, columns_to_keep, set_apart
from ..corpora.pipeline_outputs import PipelineOutputs
from ..pipeline.confidence import ConfidenceError
from ..pipeline.sentence_splitter import set_sentence_splitter
from ..resuming import ResumeError
from ..trees import TreeAlignmentError
from ..viz.sentences import ParsedSentence, parsed_sentences
from .app import app
from .completion import Complete, Completion, CompletionError, count_conflicts
from .confidence import Confidence, add_confidence
from .gpu import choose_device
from .input_formats import TEXTS
from .loading import LoadingError, load_pipeline
from .messages import msg
from .output_checks import STANDARD_OUTPUT, check_outputs, refuse_inputs
from .parse_formats import Format, FormatError, choose_format, format_by_suffix
from .parse_inputs import (
    READING_ERRORS,
    EndOfTexts,
    InputFormatError,
    InputReader,
    KindOfInputs,
    Paragraphs,
    SplitLemmas,
    files_of,
    find_inputs,
)
from .parse_k_best import KBestError, add_k_best
from .parse_outputs import ParseOutputError, check_output, open_output
from .parse_report import print_parse, warn_of_notes
from .parse_run import check_resumable, describe_run
from .parse_workers import LostParserError, pipe
from .partial_output import Written, open_partial
from .problems import list_problems
from .shared_options import Code, GpuId, NoClobber

REFUSED = (
    LoadingError,
    FormatError,
    ParseOutputError,
    KeepError,
    ConfidenceError,
    KBestError,
    CompletionError,
    ResumeError,
)
PARSING_ERRORS = (
    OSError,
    *READING_ERRORS,
    TreeAlignmentError,
    LostParserError,
    KBestError,
)


@app.command("parse")
def parse_cli(
    model: Annotated[str, typer.Argument(help="Path or name of a trained pipeline")],
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT...",
            help="Treebanks (.conllu, .conll, .ptb, .mrg, .psd), .spacy files or folders of them, "
            "text (.txt, see --paragraphs), JSON lines (.jsonl, objects with a text); - for text "
            "from the standard input. --input-format names another kind. A text in quotes: an "
            "argument with white space or a sentence mark at the end that looks like no path",
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
        typer.Option("--output", "-o", help="File, or folder for svg; - for the standard output"),
    ] = Path(STANDARD_OUTPUT),
    style: Annotated[
        Format | None,
        typer.Option(
            "--format",
            "-f",
            help="conllu: dependencies. ptb: a bracketed tree a line. json: a document a line. "
            "svg: a drawing of each tree, or all of them on a page if the output is an .html file. "
            "latex: a document that draws arcs and trees. "
            "spacy: a DocBin. terminal: a table of dependencies and a drawing of the tree in text. "
            "By default what the output is named after (.conllu, .ptb, .json, .html, .tex, "
            ".spacy); "
            "terminal on a terminal and for a TEXT; otherwise conllu, or ptb without a dependency "
            "parser",
        ),
    ] = None,
    show: Annotated[
        int,
        typer.Option(
            "--show", "-s", help="Print the parses of this many sentences", min=0, max=1_000_000
        ),
    ] = 0,
    split_sentences: Annotated[
        bool | None,
        typer.Option(
            "--split-sentences/--one-sentence",
            help="Cut lines into sentences by punctuation, or parse each line as one sentence. "
            "Without either they are cut unless the pipeline has a component that does it. "
            "Sentences of treebanks and sentence starts of .spacy files are kept",
        ),
    ] = None,
    paragraphs: EndOfTexts = None,
    split_lemmas: SplitLemmas = False,
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
    gold: Annotated[
        bool,
        typer.Option(
            "--gold",
            help="Write the annotation of treebanks and .spacy files as it came in. Nothing is "
            "predicted, and MODEL is not loaded: it may be -",
        ),
    ] = False,
    k_best: Annotated[
        int | None,
        typer.Option(
            "--k-best",
            "-k",
            metavar="K",
            help="Write the K most probable parses of each sentence, best first, with their log "
            "probabilities: of the dependency parser (conllu), of the constituency parser (ptb, "
            "svg), or of each (json, terminal)",
            min=1,
            max=1000,
        ),
    ] = None,
    confidence: Confidence = False,
    batch_size: Annotated[
        int | None, typer.Option("--batch-size", "-b", help="Documents a batch", min=1, max=100_000)
    ] = None,
    n_process: Annotated[
        int, typer.Option("--n-process", "-p", help="Worker processes", min=1, max=1024)
    ] = 1,
    gpu_id: GpuId = -1,
    code: Code = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Keep what is written if the run is interrupted, in OUTPUT.partial, and go on "
            "there if it was. Not for --format spacy, svg and latex",
        ),
    ] = False,
    no_clobber: NoClobber = False,
) -> None:
    """Parse treebanks, the documents of .spacy files, or texts, by default a document a line.

    Treebanks and .spacy files keep their tokens and sentences. What the pipeline predicts replaces
    their annotation. CoNLL-U output has the comments, multiword tokens, empty nodes, DEPS and MISC
    of CoNLL-U input.

    A text can be given in place of a file: parse MODEL "Time flies like an arrow."

    Any length of input does: documents are read, parsed and written in a stream (.spacy files, and
    --format spacy, are held in memory). The output is written whole or not at all; with --resume,
    an interrupted run goes on.
    """
    check_outputs(no_clobber, output, standard=True)
    on_terminal = str(output) == STANDARD_OUTPUT and sys.stdout.isatty()
    with _messages(output):
        try:
            inputs = find_inputs(
                sources or (), input_format, texts=texts or (), gold=gold, complete=complete
            )
            refuse_inputs(files_of(inputs), output)
            kept = columns_to_keep(keep, gold=gold)
            style = style or format_by_suffix(output)
            check_output(style, output)
        except (*READING_ERRORS, InputFormatError, KeepError, ParseOutputError) as error:
            _fail("Nothing was parsed", error)
        import_code(code)
        choose_device(gpu_id, n_process=n_process)
        try:
            nlp = spacy.blank("xx") if gold else load_pipeline(model)
            gives = PipelineOutputs.of_gold() if gold else PipelineOutputs.of(nlp)
            by_default = style is None and not kept and str(output) == STANDARD_OUTPUT
            style = choose_format(style, gives, nlp)
            if by_default and (on_terminal or any(isinstance(one, str) for one in inputs)):
                style = Format.terminal
            check_output(style, output)
            if kept and style is not Format.conllu:
                raise KeepError(f"--keep is for --format conllu, not {style.value}")
            completion = Completion.of(nlp, gives, inputs) if complete else None
            if confidence:
                gives = add_confidence(nlp, style, gives, k_best)
            parsers = None if k_best is None else add_k_best(nlp, k_best, style, gives)
            if resume:
                check_resumable(style, output, inputs)
        except REFUSED as error:
            _fail("Nothing was parsed", error)
    if not gold:
        set_sentence_splitter(nlp, split_sentences)
    written = Written()
    shown: list[ParsedSentence] = []

    def prepare(doc: Doc) -> Doc:
        if completion:
            completion.prepare(doc)
        return doc if gold else set_apart(doc, gives.columns, kept, gives.trees_key)

    reader = InputReader(
        nlp,
        prepare=prepare,
        to_complete=complete,
        paragraphs=paragraphs,
        split_lemmas=split_lemmas,
    )
    options = {
        "--format": style.value,
        "--paragraphs": (paragraphs or Paragraphs.line).value,
        "--split-lemmas": split_lemmas,
        "--split-sentences": split_sentences,
        "--keep": list(kept),
        "--complete": complete,
        "--gold": gold,
        "--k-best": k_best,
        "--confidence": confidence,
        "--code": code,
    }
    size = batch_size or nlp.batch_size
    try:
        with (
            open_partial(output, describe_run(inputs, nlp, options), written)
            if resume
            else nullcontext() as partial,
            open_output(
                style, output, gives, written.notes, parsers, partial.text if partial else None
            ) as write,
            _progress(hidden=on_terminal) as bar,
        ):
            bar.update(written.documents)
            unparsed = islice(reader.read_named(inputs), written.done, None)
            docs = pipe(
                nlp,
                unparsed,
                batch_size=size,
                n_process=n_process,
                # Docs of files with annotation share the strings of their file.
                forget_words=not show and all(isinstance(i, str) or i[1] in TEXTS for i in inputs),
                on_conflict=written.left_out.append if completion else None,
            )
            for doc in docs:
                if completion:
                    completion.finish(doc)
                sentences = parsed_sentences(doc, trees=gives.trees, spans_key=gives.spans_key)
                written.count(sentences)
                write(doc, sentences, written.documents)
                shown += sentences[: show - len(shown)]
                bar.update()
                # Whole batches, so that the run which goes on has the batches of one that did not
                # stop: rounding can depend on them.
                if partial and written.done % size == 0:
                    partial.record()
            problems = [*reader.problems, *written.left_out]
            conflicts = count_conflicts(problems, written.documents) if completion else ""
    except BrokenPipeError:
        raise  # the reader of the output has enough, as `head` has: the command ends quietly
    except CompletionError as error:
        with _messages(output):
            list_problems(msg, problems)
            _fail("Nothing was completed", error)
    except PARSING_ERRORS as error:
        with _messages(output):
            _fail("Parsing failed", error)
    except ConstraintError as error:
        remedy = "With --complete such documents are left out and named, and the others parsed"
        with _messages(output):
            _fail("Parsing failed", ConstraintError(f"{error}\n{remedy}"))
    except ResumeError as error:
        _fail("Nothing was parsed", error)
    with _messages(output):
        for sentence in shown:
            print_parse(sentence, style, gives)
        reader.warn(written.left_out)
        if conflicts:
            msg.warn(conflicts)
        for text in completion.warnings() if completion else ():
            msg.warn(text)
        warn_of_notes(written.notes)
        shown_trees = gives.trees and not (gold and style in (Format.conllu, Format.spacy))
        if shown_trees and written.without_tree:
            lacking = f"{written.without_tree} of {written.sentences} sentences have no tree"
            msg.warn(f"{lacking}{_stand_in(style)}")
        if str(output) != STANDARD_OUTPUT:
            msg.good(f"{output}: {written.sentences} sentences of {written.documents} documents")


def _messages(output: Path) -> AbstractContextManager:
    """Within it messages go to the standard error if parses go to the standard output."""
    return redirect_stdout(sys.stderr) if str(output) == STANDARD_OUTPUT else nullcontext()


def _fail(title: str, error: Exception) -> NoReturn:
    msg.fail(title, str(error))
    raise typer.Exit(1)


@contextmanager
def _progress(*, hidden: bool) -> Iterator[tqdm]:
    """A bar on the terminal, unless parses are written there."""
    with tqdm(unit=" documents", disable=hidden or not sys.stderr.isatty()) as bar:
        yield bar


def _stand_in(style: Format) -> str:
    if style is Format.ptb:
        return ", and a line of (TOP …) over their words alone"
    return ", and no drawing" if style is Format.svg else ""

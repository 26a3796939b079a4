"""`spacy structparse parse`: texts, treebanks and `.spacy` files to parses in nine formats."""

from pathlib import Path
from typing import Annotated

import spacy
import typer

from ..corpora.options import ReadOptions
from ..corpora.pipeline_outputs import PipelineOutputs, columns_to_keep
from ..corpora.readers import TEXTS
from ..corpora.report import ConversionReport, Problem
from ..corpora.writers import STANDARD_OUTPUT, Format
from ..errors import ConstraintError
from ..pipeline.sentences import set_sentence_splitter
from . import shared_options as shared
from .app import PARSE, app
from .completion import check_completion, documents_to_parse, forget_annotation, warn_of_conflicts
from .conversion_report import print_parsed
from .drawings import choose_format, named_format
from .k_best_writers import open_output
from .loading import load_pipeline
from .messages import messages_beside
from .output_checks import check_outputs, is_terminal, refuse_inputs
from .parse_inputs import files_of, find_inputs, read_named, warn_of_problems
from .parse_workers import pipe
from .progress import document_progress
from .shared_options import count

Sources = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="INPUT",
        help="Treebanks (.conllu, .conllup, .conll, .ptb, .mrg, .psd), .spacy or parquet files or "
        "folders of them, text (.txt), words (.words), JSON lines (.jsonl, objects with a text); - "
        "for text from the standard input; or a sentence in quotes",
        show_default=False,
    ),
]
Texts = Annotated[
    list[str] | None,
    typer.Option(
        "--text", "-t", help="A text to parse, even if it looks like a file", show_default=False
    ),
]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="File (compressed if it ends in .gz), or folder for svg; - for the standard output",
    ),
]
Style = Annotated[
    Format | None,
    typer.Option(
        "--format",
        "-f",
        help="conllu: dependencies. ptb: a bracketed tree a line. json: a document a line. svg: "
        "drawings of arcs and trees in a folder, on a page (.html), or of one sentence (.svg). "
        "latex: the same for LaTeX. spacy: a DocBin. parquet: a row a sentence. terminal: a "
        "table and a drawn tree. text: with --gold the text of treebanks. By default the "
        "output's suffix decides; without one terminal for a sentence or on a terminal, else "
        "conllu, or ptb without a dependency parser",
    ),
]
Keep = Annotated[
    str,
    typer.Option(
        metavar="COLUMNS",
        help="Keep these columns of treebanks and .spacy files in CoNLL-U: lemma, upos, xpos, "
        "feats, with commas between. For heads and labels use --complete",
    ),
]
Complete = Annotated[
    bool,
    typer.Option(
        "--complete",
        help="Complete treebanks and .spacy files that are annotated in part: the heads, labels, "
        "brackets and constraints that they have are kept, and the rest is predicted. Sentences "
        "whose annotation no parse keeps are left out and named",
    ),
]
KBest = Annotated[
    int | None,
    count(
        "Write the K most probable parses of each sentence, best first, with their log "
        "probabilities: dependencies (conllu), trees (ptb), or both (json, terminal)",
        "--k-best",
        "-k",
        metavar="K",
    ),
]
Processes = Annotated[int, count("Worker processes", "--n-process", "-p", most=1024)]
Gold = Annotated[bool, typer.Option("--gold", hidden=True)]
SplitLemmas = Annotated[bool, typer.Option("--split-lemmas", hidden=True)]
BatchSize = Annotated[int | None, count("", "--batch-size", "-b", most=100_000, hidden=True)]
Code = Annotated[Path | None, typer.Option(hidden=True)]
NoClobber = Annotated[bool, typer.Option("--no-clobber", hidden=True)]


@app.command("parse", rich_help_panel=PARSE)
def parse_cli(
    model: shared.Model,
    sources: Sources = None,
    texts: Texts = None,
    input_format: shared.KindOfInputs = None,
    output: Output = Path(STANDARD_OUTPUT),
    style: Style = None,
    split_sentences: shared.SplitSentences = None,
    paragraphs: shared.EndOfTexts = None,
    keep: Keep = "",
    complete: Complete = False,
    k_best: KBest = None,
    confidence: shared.Confidence = False,
    n_process: Processes = 1,
    gpu_id: shared.GpuId = -1,
    gold: Gold = False,
    split_lemmas: SplitLemmas = False,
    batch_size: BatchSize = None,
    code: Code = None,
    no_clobber: NoClobber = False,
) -> None:
    """Parse texts, treebanks and .spacy files.

    Each line of a text is a document unless --paragraphs says otherwise. Treebanks, .spacy files
    and words keep their tokens and sentences. What the pipeline predicts replaces their annotation.
    CoNLL-U output has the comments, multiword tokens, empty nodes, DEPS and MISC of CoNLL-U input.

    You can also pass a sentence: parse MODEL "Time flies like an arrow."

    Input may be of any length: documents are read, parsed and written in a stream (.spacy files,
    and --format spacy, are held in memory). The output is written whole or not at all.
    docs/output-formats.md describes the kinds of files and rarer options: --gold, --split-lemmas,
    --batch-size, --code, --no-clobber.
    """
    check_outputs(no_clobber, output, standard=True)
    on_terminal = is_terminal(output)
    with messages_beside(output):
        annotated_for = "--gold" if gold else "--complete" if complete else ""
        inputs = find_inputs(sources, input_format, texts=texts, annotated_for=annotated_for)
        refuse_inputs(files_of(inputs), output)
        columns = columns_to_keep(keep, gold=gold)
        style = named_format(style, output, gold=gold)
        if gold:
            nlp, outputs = spacy.blank("xx"), PipelineOutputs.of_gold()
        else:
            nlp = load_pipeline(model, code=code, gpu_id=gpu_id, n_process=n_process)
            outputs = PipelineOutputs.of(nlp)
        if style is None and str(output) == STANDARD_OUTPUT and not columns:
            has_text = any(isinstance(source, str) for source, _ in inputs)
            style = Format.terminal if on_terminal or has_text else None
        style = choose_format(style, outputs, nlp)
        if columns and style is not Format.conllu:
            raise ValueError(f"--keep is for --format conllu, not {style.value}")
        if complete:
            check_completion(nlp, outputs, inputs)
        opened = open_output(style, output, outputs, nlp, k_best=k_best, confidence=confidence)
        if k_best is not None and n_process > 1:
            raise ValueError("--k-best finds parses in one process: leave out --n-process")
        if not gold:
            set_sentence_splitter(nlp, split_sentences)
    report = ConversionReport()
    conflicts: list[Problem] = []
    options = ReadOptions(
        bad_heads="skip" if complete else "words", paragraphs=paragraphs, split_lemmas=split_lemmas
    )
    try:
        with opened as writer, document_progress(inputs, hidden=on_terminal) as progress:
            documents = progress.reading(read_named(inputs, nlp, report, options))
            docs = pipe(
                nlp,
                documents_to_parse(documents, report, outputs, columns, complete),
                batch_size=batch_size,
                n_process=n_process,
                # Docs of files with annotation share the strings of their file.
                forget_words=all(kind in TEXTS for _, kind in inputs),
                conflicts=conflicts if complete else None,
            )
            for doc in progress.finishing(docs):
                if complete and k_best is None:  # the k best parses keep what is known, too
                    forget_annotation(doc, outputs)
                writer.write(doc)
            with messages_beside(output):
                warn_of_problems(report, conflicts)
                warn_of_conflicts([*report.problems, *conflicts], writer.documents)
    except ConstraintError as error:
        remedy = "With --complete such documents are left out and named, and the others parsed"
        raise ConstraintError(f"{error}\n{remedy}") from error
    with messages_beside(output):
        print_parsed(output, writer, style)

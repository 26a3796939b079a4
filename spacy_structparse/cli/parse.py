"""`spacy structparse parse`: texts, treebanks and `.spacy` files to parses in nine formats."""

from pathlib import Path

import spacy

from ..corpora.options import ReadOptions
from ..corpora.pipeline_outputs import PipelineOutputs, columns_to_keep
from ..corpora.readers import TEXTS
from ..corpora.report import ConversionReport, Problem
from ..corpora.writers import STANDARD_OUTPUT, Format
from ..errors import ConstraintError
from ..pipeline.sentences import set_sentence_splitter
from . import parse_options as option
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


@app.command("parse", rich_help_panel=PARSE)
def parse_cli(
    model: shared.Model,
    sources: option.Sources = None,
    texts: option.Texts = None,
    input_format: shared.KindOfInputs = None,
    output: option.Output = Path(STANDARD_OUTPUT),
    style: option.Style = None,
    split_sentences: shared.SplitSentences = None,
    paragraphs: shared.EndOfTexts = None,
    keep: option.Keep = "",
    complete: option.Complete = False,
    k_best: option.KBest = None,
    confidence: shared.Confidence = False,
    n_process: option.Processes = 1,
    gpu_id: shared.GpuId = -1,
    gold: option.Gold = False,
    split_lemmas: option.SplitLemmas = False,
    batch_size: option.BatchSize = None,
    code: option.Code = None,
    no_clobber: option.NoClobber = False,
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

"""`spacy structparse silver`: training data from sentences on which parsers agree."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import spacy
import typer
from spacy.cli._util import import_code
from spacy.language import Language
from spacy.tokens import Doc
from tqdm import tqdm

from ....cli.app import app
from ....cli.gpu import choose_device
from ....cli.loading import LoadingError, load_pipeline
from ....cli.messages import msg
from ....cli.output_checks import check_outputs, docbins_of, refuse_inputs
from ....cli.parse_inputs import (
    Input,
    files_of,
    find_files,
    find_inputs,
    read_input,
    warn_of_problems,
)
from ....cli.parse_options import EndOfTexts, KindOfInputs
from ....cli.shared_options import MAX_SEED, Code, GpuId, NoClobber, finite
from ....corpora.docbins import read_docs
from ....corpora.folders import distinct_names
from ....corpora.given_columns import words_alone
from ....corpora.json_lines import TEXT, json_texts, record_of
from ....corpora.options import ReadOptions
from ....corpora.readers import InputFormat
from ....corpora.report import ConversionReport, ReadError
from ....corpora.text_lines import name_of
from ....files import write_atomically
from ....pipeline.confidence import ConfidenceError, computes_confidence, enable_confidence
from ....pipeline.sentence_splitter import set_sentence_splitter
from ....printable import json_text
from ..agreement import Agreement, Rule
from ..duplicates import (
    Fingerprint,
    MissingExtraError,
    fingerprint,
    keys_of,
    near_fingerprint,
)
from ..lengths import count_lengths
from ..parsers import Parser, SilverError, choose_rule
from ..parts import is_file
from ..report import SilverReport
from ..selection import Filters, Source, make_silver
from .silver_report import print_report

GENRE = "genre"
"""The field of JSON lines, beside the text, that names its genre."""
REFUSED = (LoadingError, SilverError, MissingExtraError, ConfidenceError)


@app.command("silver")
def silver_cli(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT...",
            help="What to parse, as in parse: text (.txt, see --paragraphs), JSON lines (.jsonl, "
            "objects with a text and maybe a genre), treebanks, .spacy files or folders of them; - "
            "for text from the standard input",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Argument(
            help="The .spacy file to write, or, with another name, a folder for .spacy files of "
            "10,000 sentences each. A file is held in memory",
            show_default=False,
        ),
    ],
    models: Annotated[
        list[str],
        typer.Option(
            "--models",
            "-m",
            help="Path or name of a trained pipeline. Repeat it for each: the first makes tokens "
            "and sentences, and its parses are written; the others parse the same tokens",
        ),
    ],
    agree: Annotated[
        Agreement | None,
        typer.Option(
            "--agree",
            "-a",
            help="What of the parses is compared: brackets with their labels, heads with their "
            "labels, or heads alone. Without it trees, or dependencies where a pipeline writes no "
            "trees",
        ),
    ] = None,
    share: Annotated[
        float | None,
        typer.Option(
            "--share",
            help="The least share that must be the same as in the parse of the first pipeline: "
            "bracket F1, or LAS (UAS for unlabelled). Without it all of it",
            min=0.0,
            max=1.0,
            callback=finite,
        ),
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(
            "--confidence",
            help="The least parse confidence of the first pipeline, beside any agreement. If none "
            "of its parsers has confidence = true, all of them compute it",
            min=0.0,
            max=1.0,
            callback=finite,
        ),
    ] = None,
    exclude: Annotated[
        list[Path] | None,
        typer.Option(
            "--exclude",
            "-x",
            help="Held-out sentences that are dropped: .spacy file, treebank, or text with a "
            "sentence a line; repeatable",
            show_default=False,
        ),
    ] = None,
    like: Annotated[
        Path | None,
        typer.Option(
            "--like",
            help="A .spacy file, or folder of them: the sentences are sampled so that their "
            "lengths are distributed as in it",
        ),
    ] = None,
    near: Annotated[
        bool,
        typer.Option(
            "--near-duplicates/--exact-duplicates",
            help="Drop sentences that share most pairs of neighbouring words too (extra silver), "
            "or only those that are equal but for case, digits and space",
        ),
    ] = False,
    remembered: Annotated[
        int,
        typer.Option(
            "--remembered",
            help="The number of sentences among which duplicates are found",
            min=1,
            max=1_000_000_000,
        ),
    ] = 500_000,
    seed: Annotated[
        int, typer.Option("--seed", "-s", help="Seed of the sample", min=0, max=MAX_SEED)
    ] = 0,
    report: Annotated[
        Path | None, typer.Option("--report", help="JSON file for the counts", dir_okay=False)
    ] = None,
    input_format: KindOfInputs = None,
    paragraphs: EndOfTexts = None,
    split_sentences: Annotated[
        bool | None,
        typer.Option(
            "--split-sentences/--one-sentence",
            help="Cut lines into sentences by punctuation, or parse each line as one sentence. "
            "Without either they are cut unless the first pipeline has a component that does it",
        ),
    ] = None,
    n_process: Annotated[
        int,
        typer.Option(
            "--n-process",
            "-p",
            help="Worker processes, of one thread each. The output is the same",
            min=1,
            max=1024,
        ),
    ] = 1,
    gpu_id: GpuId = -1,
    code: Code = None,
    no_clobber: NoClobber = False,
) -> None:
    """Parse a corpus with several pipelines, and write the sentences on which they agree.

    The output trains parsers, beside a treebank (spacy-structparse.Corpus.v1). Sentences that came
    before, and held-out ones, are dropped.

    Any length of input does: documents are read and parsed in a stream (.spacy files are held in
    memory). The output is written whole or not at all. Documents that fail are counted and listed.
    """
    check_outputs(no_clobber, output, report)
    try:
        inputs = find_inputs(sources, input_format)
        excluded = find_files(exclude or (), None)
    except ReadError as error:
        msg.fail("Nothing was parsed", str(error), exits=1)
    read = chain(files_of(inputs), files_of(excluded), docbins_of(like))
    refuse_inputs(read, output, report)
    try:
        _check_output(output)
        import_code(code)
        choose_device(gpu_id, n_process=n_process)
        parsers = [Parser.of(model, load_pipeline(model)) for model in models]
        if confidence is not None and not computes_confidence(parsers[0].nlp):
            enable_confidence(parsers[0].nlp)
        rule = choose_rule(parsers, agree, share, confidence)
        keys = near_fingerprint() if near else fingerprint
        held_out = frozenset(_held_out(excluded, keys))
        wanted = None if like is None else _lengths(like)
    except (*REFUSED, ReadError, OSError) as error:
        msg.fail("Nothing was parsed", str(error), exits=1)
    set_sentence_splitter(parsers[0].nlp, split_sentences)
    reading = ConversionReport()
    options = ReadOptions(paragraphs, skip_bad_lines=True)
    found = _sources(inputs, parsers[0].nlp, reading, options)
    try:
        made = make_silver(
            tqdm(found, unit=" documents", disable=not sys.stderr.isatty()),
            parsers,
            rule,
            output,
            filters=Filters(keys, held_out, remembered),
            like=wanted,
            seed=seed,
            n_process=n_process,
        )
    except (ReadError, SilverError, OSError) as error:
        msg.fail("No silver data was written", str(error), exits=1)
    warn_of_problems(reading)
    print_report(made)
    msg.good(f"{output}: {made.sentences['written']:,} sentences")
    if report is not None:
        try:
            _write_report(report, made, parsers, rule)
        except OSError as error:
            msg.fail("The report was not written", str(error), exits=1)


def _check_output(output: Path) -> None:
    """Find out before the work whether the output can be written."""
    if is_file(output) and output.is_dir():
        raise SilverError(f"{output} is a folder, and a .spacy file is to be written there")
    if not is_file(output) and output.is_file():
        raise SilverError(f"{output} is a file: the output is a file only if it ends in .spacy")
    if not is_file(output) and output.is_dir() and any(output.iterdir()):
        raise SilverError(f"the folder {output} is not empty: name another one, or remove it")


def _sources(
    inputs: Sequence[Input], nlp: Language, report: ConversionReport, options: ReadOptions
) -> Iterator[Source]:
    """The documents, with the genre that their record names, or else the name of their file."""
    paths = files_of(inputs)
    genres = dict(zip(paths, distinct_names(paths), strict=True))
    for one in inputs:
        if isinstance(one, str):
            yield Source(one, TEXT, f"{TEXT}, document 1")
            continue
        path, kind = one
        name = name_of(path)
        if kind is InputFormat.jsonl:
            for line, text, record, error in json_texts(path):
                yield Source(text, _genre(record, genres[path]), f"{name}: line {line}", error)
            continue
        for number, (_, source, is_annotated) in enumerate(
            read_input(one, nlp, report, options), 1
        ):
            record = record_of(source) if isinstance(source, Doc) else {}
            document = words_alone(source) if isinstance(source, Doc) and is_annotated else source
            yield Source(document, _genre(record, genres[path]), f"{name}, document {number}")


def _genre(record: Mapping[str, Any], otherwise: str) -> str:
    genre = record.get(GENRE)
    return genre if isinstance(genre, str) else otherwise


def _held_out(files: Iterable[tuple[Path, InputFormat]], keys: Fingerprint) -> Iterator[int]:
    """The keys of all sentences of files. A line of a text is a sentence."""
    nlp = spacy.blank("xx")
    nlp.max_length = sys.maxsize  # it only finds tokens, and no sentence may be missed
    report, options = ConversionReport(), ReadOptions()
    found = (one.source for file in files for one in read_input(file, nlp, report, options))
    docs = (nlp.make_doc(text) if isinstance(text, str) else text for text in found)
    return keys_of(docs, keys)


def _lengths(treebank: Path) -> Counter[int]:
    """The number of sentences in each bucket of length."""
    counts = count_lengths(read_docs(treebank, spacy.blank("xx").vocab, spans=False))
    if not counts:
        raise SilverError(f"{treebank} has no sentences whose lengths could be followed")
    return counts


def _write_report(path: Path, made: SilverReport, parsers: Sequence[Parser], rule: Rule) -> None:
    content = {
        "models": [parser.name for parser in parsers],
        "agree": rule.agree and rule.agree.value,
        "share": rule.share,
        "confidence": rule.confidence,
        **made.to_dict(),
    }
    write_atomically(path, f"{json_text(content, indent=2)}\n".encode())

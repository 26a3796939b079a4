"""`spacy structparse silver`: training data from sentences on which parsers agree."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.cli._util import import_code
from spacy.language import Language
from spacy.tokens import Doc

from ...cli.app import app
from ...cli.loading import choose_device, load_pipeline
from ...cli.messages import msg
from ...cli.output_checks import check_outputs, docbins_of, refuse_inputs
from ...cli.parse_inputs import find_files, read_input, warn_of_problems
from ...cli.progress import progress_bar
from ...cli.shared_options import Code, GpuId, NoClobber, Seed, finite
from ...corpora.docbins import SUFFIX, read_docs
from ...corpora.input_files import InputFile
from ...corpora.options import ReadOptions
from ...corpora.pipeline_outputs import words_alone
from ...corpora.report import ConversionReport
from ...files import write_atomically
from ...pipeline.confidence import computes_confidence, enable_confidence
from ...pipeline.sentences import set_sentence_splitter
from .agreement import Agreement, Parser, choose_rule
from .duplicates import fingerprint, keys_of, near_fingerprint
from .lengths import count_lengths
from .selection import OUTCOMES, Silver, make_silver

N_LISTED = 20


@app.command("silver", rich_help_panel="Data")
def silver_cli(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="TEXT",
            help="Texts (a document a line), treebanks, .spacy files, or folders of them; - is the "
            "standard input",
        ),
    ],
    output: Annotated[Path, typer.Argument(help="The .spacy file to write", dir_okay=False)],
    models: Annotated[
        list[str],
        typer.Option(
            "--models",
            "-m",
            help="Path or name of a trained pipeline; repeatable. The first makes tokens and "
            "sentences, and its parses are written; the others parse the same tokens",
        ),
    ],
    agree: Annotated[
        Agreement | None,
        typer.Option(
            "--agree",
            "-a",
            help="What is compared. Without it trees, or dependencies if a pipeline has no trees",
        ),
    ] = None,
    share: Annotated[
        float | None,
        typer.Option(
            help="Least bracket F1, LAS, or UAS (unlabelled) against the parse of the first "
            "pipeline. Without it all must be the same",
            min=0.0,
            max=1.0,
            callback=finite,
        ),
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(
            help="Least parse confidence of the first pipeline, beside any agreement",
            min=0.0,
            max=1.0,
            callback=finite,
        ),
    ] = None,
    exclude: Annotated[
        list[Path] | None,
        typer.Option("--exclude", "-x", help="File of held-out sentences to drop; repeatable"),
    ] = None,
    like: Annotated[
        Path | None,
        typer.Option(help=".spacy file or folder: sample sentences so that lengths are as in it"),
    ] = None,
    near_duplicates: Annotated[
        bool,
        typer.Option(
            "--near-duplicates",
            help="Also drop sentences that share most pairs of words (extra silver)",
        ),
    ] = False,
    seed: Seed = 0,
    gpu_id: GpuId = -1,
    code: Code = None,
    no_clobber: NoClobber = False,
) -> None:
    """Parse a corpus with several pipelines, and write the sentences on which they agree.

    The output trains parsers, beside a treebank (spacy-structparse.Corpus.v1). Sentences that came
    before are dropped, in other case, with other digits or space too. Failures are listed.
    """
    check_outputs(no_clobber, output)
    inputs, excluded = find_files(sources, None), find_files(exclude or (), None)
    files = [path for path, _ in (*inputs, *excluded)]
    refuse_inputs([*files, *docbins_of(like)], output)
    if output.suffix != SUFFIX:
        raise ValueError(f"{output} is no {SUFFIX} file: the output is one")
    import_code(code)
    choose_device(gpu_id)
    parsers = [Parser(model, load_pipeline(model)) for model in models]
    first = parsers[0].nlp
    if confidence is not None and not computes_confidence(first):
        enable_confidence(first)
    rule = choose_rule(parsers, agree, share, confidence)
    keys = near_fingerprint() if near_duplicates else fingerprint
    held_out = frozenset(keys_of(_held_out(excluded), keys))
    wanted = None
    if like is not None:
        wanted = count_lengths(read_docs(like, spacy.blank("xx").vocab, spans=False))
        if not wanted:
            raise ValueError(f"{like} has no sentences whose lengths could be followed")
    set_sentence_splitter(first, None)
    report = ConversionReport()
    documents = _documents(inputs, first, report)
    made = make_silver(
        progress_bar("documents", iterable=documents),
        parsers,
        rule,
        keys=keys,
        held_out=held_out,
        like=wanted,
        seed=seed,
    )
    write_atomically(output, made.docs.to_bytes())
    warn_of_problems(report)
    _print_counts(made)
    msg.good(f"{output}: {made.sentences['written']:,} sentences")


def _documents(
    files: Iterable[InputFile], nlp: Language, report: ConversionReport
) -> Iterator[str | Doc]:
    """Read the texts and the words of files. A line that cannot be read is left out."""
    options = ReadOptions(skip_bad_lines=True)
    for file in files:
        for _, source, is_annotated in read_input(file, nlp, report, options):
            yield words_alone(source) if isinstance(source, Doc) and is_annotated else source


def _held_out(files: Iterable[InputFile]) -> Iterator[Doc]:
    """Read the Docs of files whose sentences are dropped. A line of a text is a sentence."""
    nlp = spacy.blank("xx")
    nlp.max_length = sys.maxsize  # it only finds tokens, and no sentence may be missed
    for file in files:
        for _, source, _ in read_input(file, nlp, ConversionReport(), ReadOptions()):
            yield nlp.make_doc(source) if isinstance(source, str) else source


def _print_counts(made: Silver) -> None:
    """Print what became of the sentences, and the first failures."""
    rows = [(name, f"{made.sentences[name]:,}") for name in OUTCOMES]
    msg.table(rows, header=("Sentences", ""), aligns=("l", "r"), divider=True)
    for failure in made.failures[:N_LISTED]:
        msg.warn(failure)
    if len(made.failures) > N_LISTED:
        msg.warn(f"{len(made.failures) - N_LISTED} more failures")

"""`spacy structparse debug`: a check of a treebank before training."""

from itertools import chain
from pathlib import Path
from typing import Annotated

import spacy
import typer

from ..corpora.docbins import read_docs
from ..corpora.statistics import TreeStatistics
from ..files import write_atomically
from ..printable import json_text
from ..trees import SPANS_KEY
from .app import DATA, app
from .debug_findings import Layers, judge, judge_components, report
from .debug_report import print_corpora, print_findings, print_labels
from .multiword_findings import multiword_warnings
from .output_checks import check_outputs, docbins_of, refuse_inputs
from .parser_settings import GivenConfig, read_parser_settings
from .shared_options import NoClobber


@app.command("debug", rich_help_panel=DATA)
def debug_cli(
    train: Annotated[Path, typer.Argument(help="Training data: a .spacy file or a folder of them")],
    dev: Annotated[Path | None, typer.Argument(help="Development data")] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            "-c",
            help="A training config, or a pipeline: its folder or package",
        ),
    ] = None,
    json_path: Annotated[
        Path | None,
        typer.Option("--json", help="JSON file for all counts and all places", dir_okay=False),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print problems only")] = False,
    no_clobber: NoClobber = False,
) -> None:
    """Look into treebanks: what `spacy debug data` does not know of.

    Labels, crossing arcs, sentences a parser cannot learn from, trees, lengths, unknown words, and
    where dependencies and trees disagree. The exit code is 1 only where training is impossible.
    """
    check_outputs(no_clobber, json_path)
    refuse_inputs(chain([config], docbins_of(train, dev)), json_path)
    given = None if config is None else GivenConfig.read(config)
    parsers = None if given is None else read_parser_settings(given)
    keys = [parser.spans_key for parser in parsers or () if parser.learns == "trees"]
    paths = {"train": train} if dev is None else {"train": train, "dev": dev}
    layers = {name: _read(path, keys[0] if keys else SPANS_KEY) for name, path in paths.items()}
    findings = judge(layers["train"], layers.get("dev"), parsers)
    corpus = layers["train"].corpus
    if given is not None and not given.is_saved:  # a saved pipeline has learned already
        judge_components(given, corpus, findings)
    if given is not None and corpus.multiword_tokens:
        findings.warnings += multiword_warnings(given, train, dev)
    if json_path is not None:
        everything = report(layers["train"], layers.get("dev"), findings)
        write_atomically(json_path, f"{json_text(everything, indent=2)}\n".encode())
    if not quiet:
        print_corpora(layers)
        print_labels(layers)
    print_findings(findings, json_path is not None)
    if findings.errors:
        raise typer.Exit(1)


def _read(path: Path, spans_key: str) -> Layers:
    layers = Layers(trees=TreeStatistics(spans_key))
    vocab = spacy.blank("xx").vocab
    for number, doc in enumerate(read_docs(path, vocab)):
        layers.corpus.add(doc, number)
        layers.dependencies.add(doc, number)
        layers.trees.add(doc, number)
    return layers

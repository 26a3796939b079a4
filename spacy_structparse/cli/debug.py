"""`spacy structparse debug`: a check of a treebank before training."""

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from ..corpora.statistics import unknown_words
from ..escaping import json_text
from ..files import write_atomically
from ..trees import SPANS_KEY
from .app import DATA, app
from .debug_config import GivenConfig
from .debug_findings import Findings, judge, report
from .debug_statistics import Layers
from .messages import msg
from .output_checks import check_outputs, docbins_of, refuse_inputs
from .shared_options import NoClobber


@app.command("debug", rich_help_panel=DATA)
def debug_cli(
    train: Annotated[Path, typer.Argument(help="Training data: a .spacy file or a folder of them")],
    dev: Annotated[Path | None, typer.Argument(help="Development data")] = None,
    config: Annotated[
        str | None,
        typer.Option(
            "--config", "-c", help="A training config, or a pipeline: its folder or package"
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
    parsers = [] if given is None else given.parsers()
    spans_key = next((parser.spans_key for parser in parsers if parser.trees), SPANS_KEY)
    paths = {"train": train} if dev is None else {"train": train, "dev": dev}
    layers = {name: Layers.read(path, spans_key) for name, path in paths.items()}
    findings = judge(layers["train"], layers.get("dev"), given)
    if given is not None and layers["train"].corpus.multiword_tokens:
        findings.warnings += given.multiword_warnings(paths)
    if json_path is not None:
        everything = report(layers["train"], layers.get("dev"), findings)
        write_atomically(json_path, f"{json_text(everything, indent=2)}\n".encode())
    if not quiet:
        _print_counts(layers)
    _print_findings(findings, json_path is not None)
    if findings.errors:
        raise typer.Exit(1)


def _print_counts(layers: Mapping[str, Layers]) -> None:
    """Print what the corpora have, by their names: train and perhaps dev."""
    counts = [_counts(corpus) for corpus in layers.values()]
    rows = [[name, *(column.get(name, 0) for column in counts)] for name in counts[0]]
    rows = [row for row in rows if any(row[1:])]
    header, aligns = ("", *layers), ("l", *"r" * len(layers))
    msg.table(rows, header=header, divider=True, aligns=aligns)
    if "dev" in layers:
        new = unknown_words(*(corpus.corpus.word_counts for corpus in layers.values()))
        msg.info(
            f"{new['tokens']:.1%} of dev's words are unknown to train ({new['types']:.1%} of the "
            "different ones)"
        )


def _counts(layers: Layers) -> dict[str, int]:
    """The numbers of the JSON file, and how many there are of what it lists."""
    counts: dict[str, int] = {}
    for layer, content in layers.to_dict().items():
        for key, value in content.items():
            name = f"{layer}: {key.replace('_', ' ')}"
            if key in ("sentence_lengths", "depths"):
                counts |= {f"{name}, {quantile}": length for quantile, length in value.items()}
            elif not isinstance(value, str):
                counts[name] = value if isinstance(value, int) else len(value)
    return counts


def _print_findings(findings: Findings, has_json: bool) -> None:
    """Print the errors and warnings; has_json: all places are in a file."""
    if not findings.errors and not findings.warnings:
        msg.good("No problems found")
    for warning in findings.warnings:
        msg.warn(warning)
    for error in findings.errors:
        msg.fail(error)
    if findings.warnings and not has_json:
        msg.text("--json FILE lists all places")

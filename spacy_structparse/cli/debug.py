"""`spacy structparse debug`: a check of a treebank before training."""

from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from ..trees import SPANS_KEY
from .app import DATA, app
from .debug_findings import corpus_statistics, find_faults, read_learners
from .messages import msg
from .output_checks import check_outputs, docbins_of, save_json
from .shared_options import NoClobber


@app.command("debug", rich_help_panel=DATA)
def debug_cli(
    train: Annotated[Path, typer.Argument(help="Training data: a .spacy file or a folder of them")],
    dev: Annotated[Path | None, typer.Argument(help="Development data")] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config", "-c", help="A training config, or the folder of a pipeline", exists=True
        ),
    ] = None,
    json_path: Annotated[
        Path | None,
        typer.Option("--json", help="JSON file for all counts and all places", dir_okay=False),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print problems only")] = False,
    no_clobber: NoClobber = False,
) -> None:
    """Check treebanks before training.

    Beyond what `spacy debug data` looks at you see labels, crossing arcs, trees, lengths, unknown
    words, sentences that a parser cannot learn from, and where dependencies and trees disagree. The
    exit code is 1 only where training is impossible.
    """
    check_outputs(no_clobber, json_path, inputs=chain([config], docbins_of(train, dev)))
    learners = None if config is None else read_learners(config)
    sections = [section for layer, section in (learners or {}).values() if layer == "trees"]
    spans_key = sections[0].get("spans_key", SPANS_KEY) if sections else SPANS_KEY
    statistics = corpus_statistics(train, dev, spans_key)
    errors, warnings = find_faults(statistics, learners)
    save_json(json_path, {**statistics, "errors": errors, "warnings": warnings})
    if not quiet:
        _print_counts(statistics)
    if not errors and not warnings:
        msg.good("No problems found")
    for warning in warnings:
        msg.warn(warning)
    for error in errors:
        msg.fail(error)
    if warnings and json_path is None:
        msg.text("--json FILE lists all places")
    if errors:
        raise typer.Exit(1)


def _print_counts(statistics: dict[str, Any]) -> None:
    """Print the numbers of the corpora, and how many there are of what is listed."""
    columns = [_counts(corpus) for corpus in statistics.values()]
    counts = [[name, *(column.get(name, 0) for column in columns)] for name in columns[0]]
    header, aligns = ("", *statistics), ("l", *"r" * len(columns))
    present = [row for row in counts if any(row[1:])]
    msg.table(present, header=header, divider=True, aligns=aligns)
    if "dev" in statistics:
        new = statistics["dev"]["unknown_words"]
        msg.info(
            f"{new['tokens']:.1%} of dev's words are unknown to train ({new['types']:.1%} of the "
            "different ones)"
        )


def _counts(corpus: dict[str, Any]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for layer in ("corpus", "dependencies", "trees"):
        for key, value in corpus[layer].items():
            name = f"{layer}: {key.replace('_', ' ')}"
            if key in ("sentence_lengths", "depths"):
                counts |= {f"{name}, {quantile}": length for quantile, length in value.items()}
            elif not isinstance(value, str):
                counts[name] = value if isinstance(value, int) else len(value)
    return counts

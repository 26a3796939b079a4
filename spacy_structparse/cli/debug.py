"""`spacy structparse debug`: a check of a treebank before training."""

from collections import Counter
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import spacy
import typer

from ..corpora.docbins import read_docs
from ..corpora.statistics import TreeStatistics, unknown_words
from ..files import write_atomically
from ..printable import json_text
from ..trees import SPANS_KEY
from .annotation_findings import judge_components
from .app import app
from .debug_findings import RARE, Findings, Layers, judge, report
from .messages import Messages
from .multiword_findings import multiword_warnings
from .output_checks import check_outputs, docbins_of, refuse_inputs
from .parser_settings import GivenConfig, read_parser_settings
from .shared_options import NoClobber

OPEN_ENDED = ("Labels that lifting makes", "Unary chains")
N_LISTED = 20


@app.command("debug")
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
    try:
        given = None if config is None else GivenConfig.read(config)
    except (ValueError, OSError) as error:
        Messages().fail("The config cannot be read", str(error), exits=1)
    try:
        parsers = None if given is None else read_parser_settings(given)
        keys = [parser.spans_key for parser in parsers or () if parser.learns == "trees"]
        spans_key = keys[0] if keys else SPANS_KEY
        of_train = _read(train, spans_key)
        of_dev = None if dev is None else _read(dev, spans_key)
        findings = judge(of_train, of_dev, parsers)
        if given is not None and not given.is_saved:  # a saved pipeline has learned already
            judge_components(given, of_train.corpus, findings)
    except (ValueError, OSError) as error:
        Messages().fail("The data cannot be read", str(error), exits=1)
    if given is not None and of_train.corpus.multiword_tokens:
        findings.warnings += multiword_warnings(given, train, dev)
    if json_path is not None:
        everything = report(of_train, of_dev, findings)
        write_atomically(json_path, f"{json_text(everything, indent=2)}\n".encode())
    if not quiet:
        _print_corpora(of_train, of_dev)
        _print_labels(of_train, of_dev)
    _print_findings(findings, json_path is not None)
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


def _print_corpora(train: Layers, dev: Layers | None) -> None:
    columns = [_overview(train)] + ([] if dev is None else [_overview(dev)])
    msg = Messages()
    msg.divider("Corpus")
    rows = [[name, *(column[name] for column in columns)] for name in columns[0]]
    msg.table(
        rows, header=("", "train", "dev")[: len(columns) + 1], divider=True, aligns=("l", "r", "r")
    )
    if dev is not None:
        new = unknown_words(train.corpus.word_counts, dev.corpus.word_counts)
        msg.info(
            f"{new['tokens']:.1%} of dev's words are unknown to train ({new['types']:.1%} of the "
            "different ones)"
        )
    msg.divider("Sentence lengths")
    histograms = [part.corpus.to_dict() for part in (train, dev) if part is not None]
    longest = max((part["sentence_length_histogram"] for part in histograms), key=len)
    msg.table(
        [
            [bin_, *(part["sentence_length_histogram"].get(bin_, 0) for part in histograms)]
            for bin_ in longest
        ],
        header=("words", "train", "dev")[: len(columns) + 1],
        divider=True,
        aligns=("l", "r", "r"),
    )


def _overview(layers: Layers) -> dict[str, Any]:
    corpus, dependencies, trees = layers.corpus, layers.dependencies, layers.trees
    lengths, depths = corpus.to_dict()["sentence_lengths"], trees.to_dict()["depths"]
    unary = trees.unary_chains
    return {
        "docs": corpus.docs,
        "sentences": len(corpus.sentence_lengths),
        "words": corpus.words,
        "different words": len(corpus.word_counts),
        "whitespace tokens": corpus.whitespace_tokens,
        "multiword tokens": corpus.multiword_tokens,
        "words without tag": corpus.words_without_tag,
        "words a sentence: median": lengths.get("median", 0),
        "words a sentence: 99 %": lengths.get("99 %", 0),
        "words a sentence: most": lengths.get("longest", 0),
        "sentences with all heads": dependencies.complete,
        "sentences with some heads": len(dependencies.partial),
        "sentences without heads": dependencies.unannotated,
        "sentences that can be learned": dependencies.learnable,
        "dependency labels": len(dependencies.labels),
        "non-projective sentences": dependencies.nonprojective_sentences,
        "non-projective arcs": dependencies.nonprojective_arcs,
        "labels that lifting makes": len(dependencies.lifted_labels),
        "sentences with trees": trees.trees,
        "bracket labels": len(trees.labels),
        "unary chains (kinds)": f"{unary.total()} ({len(unary)})",
        "depth of trees: median": depths.get("median", 0),
        "depth of trees: most": depths.get("longest", 0),
    }


def _print_labels(train: Layers, dev: Layers | None) -> None:
    tables = (
        ("Dependency labels", lambda layers: layers.dependencies.labels),
        ("Labels of roots", lambda layers: layers.dependencies.root_labels),
        ("Labels that lifting makes", lambda layers: layers.dependencies.lifted_labels),
        ("Bracket labels", lambda layers: layers.trees.labels),
        ("Unary chains", lambda layers: layers.trees.unary_chains),
    )
    msg = Messages()
    for title, counts_of in tables:
        counts: Counter[str] = counts_of(train)
        others: Counter[str] = Counter() if dev is None else counts_of(dev)
        if not counts and not others:
            continue
        msg.divider(title)
        names = [name for name, _ in (counts + others).most_common()]
        shown = names[: N_LISTED if title in OPEN_ENDED else None]
        rows = [
            [name, counts[name], *([] if dev is None else [others[name]]), _remark(name, counts)]
            for name in shown
        ]
        header = ("", "train", "") if dev is None else ("", "train", "dev", "")
        msg.table(rows, header=header, divider=True, aligns=tuple("lrl" if dev is None else "lrrl"))
        if len(shown) < len(names):
            msg.text(f"and {len(names) - len(shown)} more")


def _remark(name: str, counts: Mapping[str, int]) -> str:
    if not counts[name]:
        return "only in dev"
    return "rare" if counts[name] < RARE else ""


def _print_findings(findings: Findings, has_json: bool) -> None:
    msg = Messages()
    if not findings.errors and not findings.warnings:
        msg.good("No problems found")
    for warning in findings.warnings:
        msg.warn(warning)
    for error in findings.errors:
        msg.fail(error)
    if findings.warnings and not has_json:
        msg.text("--json FILE lists all places")

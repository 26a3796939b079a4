"""`spacy structparse report`: attachment scores of pipelines by sentence length, distance of
heads and coarse tag."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import srsly
import typer
from spacy.cli._util import import_code
from spacy.training import Example

from ..corpora.docbins import DocBinError
from ..corpora.reader import create_corpus_reader
from ..files import write_atomically
from ..pipeline.confidence import ConfidenceSettings
from ..scoring.breakdown import Breakdown, as_figures, break_down, columns_of
from ..scoring.calibration import Outcomes, arc_outcomes, bracket_outcomes
from ..viz.breakdown import draw_breakdown
from ..viz.pictures import MissingMatplotlibError, figure_bytes, picture_format
from ..viz.reliability import draw_reliability
from .app import app
from .gpu import choose_device
from .loading import LoadingError, load_pipeline
from .messages import echo, msg
from .output_format import check_format
from .shared_options import Code, GoldPreproc, GpuId, NoClobber, refuse_existing

FORMATS = (".png", ".svg", ".json")
COUNTED = "tokens with gold UPOS PUNCT are left out, subtypes of labels count."
TITLES = {"length": "words", "distance": "to head", "found": "to found", "pos": "tag"}


class Metric(StrEnum):
    """The scores of a drawing."""

    las = "las"
    uas = "uas"


@app.command("report")
def report_cli(
    data: Annotated[Path, typer.Argument(help="A .spacy file or a folder of them, annotated")],
    models: Annotated[
        list[str],
        typer.Argument(metavar="MODEL...", help="Trained pipelines, each as PATH or NAME=PATH"),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="A .png or .svg picture, or the figures as .json", dir_okay=False
        ),
    ] = None,
    reliability: Annotated[
        Path | None,
        typer.Option(
            "--reliability",
            "-r",
            help="An .svg picture of reliability diagrams: how many decisions are right, by the "
            "confidence of the pipelines' parsers, which compute it for this",
            dir_okay=False,
        ),
    ] = None,
    metric: Annotated[Metric, typer.Option("--metric", "-m", help="What is shown")] = Metric.las,
    gold_preproc: GoldPreproc = True,
    code: Code = None,
    use_gpu: GpuId = -1,
    no_clobber: NoClobber = False,
) -> None:
    """Compare dependency parsers by the length of sentences, by how far heads are, and by coarse
    tag.

    Of heads at some distance two scores are shown: how many of the right ones are found ("to
    head", a recall), and how many of those that a pipeline finds are right ("to found", a
    precision). Tokens whose gold UPOS is PUNCT are left out. Any pipeline with a parser
    will do, spaCy's own too. Tables go to the terminal, a picture or the figures to --output.
    With --reliability a pipeline may have a parser of trees alone.
    """
    refuse_existing(no_clobber, output, reliability)
    import_code(code)
    choose_device(use_gpu)
    of_parsers: dict[str, Breakdown] = {}
    sure: dict[str, dict[str, Outcomes]] = {}
    try:
        if output is not None:
            check_format(output, FORMATS)
        if reliability is not None:
            check_format(reliability, (".svg",))
        for name, model in _named(models).items():
            examples = _parsed(model, data, gold_preproc, confidence=reliability is not None)
            if reliability is not None:
                sure[name] = _outcomes(model, examples)
            if reliability is not None and not _has_dependencies(examples):
                continue
            of_parsers[name] = break_down(examples)
            if not of_parsers[name].length:
                raise ValueError(f"no token in {data} has a gold head")
    except (LoadingError, DocBinError, OSError, ValueError) as error:
        msg.fail("Nothing was reported", str(error), exits=1)
    if of_parsers:
        echo(f"{metric.value.upper()}, no PUNCT: {COUNTED}")
        figures = as_figures(of_parsers)
        for kind, title in TITLES.items():
            _print(title, columns_of(kind, figures[kind], [metric.value]))
    try:
        if output is not None:
            write_atomically(output, _content(of_parsers, metric, output.suffix))
            msg.good(str(output))
        if reliability is not None:
            write_atomically(reliability, draw_reliability(sure).encode("utf-8"))
            msg.good(str(reliability))
    except (MissingMatplotlibError, OSError) as error:
        msg.fail("No report was written", str(error), exits=1)


def _named(models: list[str]) -> dict[str, str]:
    """Pipelines by the names under which they are shown: by default their folders'."""
    named: dict[str, str] = {}
    for model in models:
        name, given, path = model.partition("=")
        if not given:
            folder = Path(model).resolve()
            best = folder.name in ("model-best", "model-last")
            name, path = folder.parent.name if best else folder.name, model
        if name in named:
            raise ValueError(f"two pipelines are called '{name}': give names, as in NAME={path}")
        named[name] = path
    return named


def _parsed(model: str, data: Path, gold_preproc: bool, confidence: bool) -> list[Example]:
    nlp = load_pipeline(model)
    for _, pipe in nlp.pipeline:
        if confidence and isinstance(pipe, ConfidenceSettings):
            pipe.confidence = True
    examples = list(create_corpus_reader(data, gold_preproc=gold_preproc)(nlp))
    docs = nlp.pipe([example.predicted for example in examples])
    for example, doc in zip(examples, docs, strict=True):
        example.predicted = doc
    if not confidence and not _has_dependencies(examples):
        raise ValueError(f"the pipeline '{model}' writes no dependencies")
    return examples


def _has_dependencies(examples: list[Example]) -> bool:
    return any(example.predicted.has_annotation("DEP") for example in examples)


def _outcomes(model: str, examples: list[Example]) -> dict[str, Outcomes]:
    """The decisions of a pipeline with confidence, by their kind."""
    heads, labels = arc_outcomes(examples)
    found = {"heads": heads, "heads and labels": labels, "brackets": bracket_outcomes(examples)}
    if not any(len(one.right) for one in found.values()):
        raise ValueError(
            f"the pipeline '{model}' gives no confidence, or the data has no gold annotation to "
            "compare its parses with"
        )
    return found


def _print(title: str, columns: dict[str, list[Any]]) -> None:
    shown = [[_cell(value) for value in column] for column in columns.values()]
    _, *header = columns
    aligns = ("l", *"r" * len(header))
    rows = list(zip(*shown, strict=True))
    msg.table(rows, header=(title, *header), aligns=aligns, divider=True)


def _cell(value: str | int | float | None) -> str:
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def _content(of_parsers: dict[str, Breakdown], metric: Metric, suffix: str) -> bytes:
    if suffix == ".json":
        return srsly.json_dumps(as_figures(of_parsers), indent=2).encode("utf-8")
    return figure_bytes(draw_breakdown(of_parsers, metric.value), picture_format(suffix))

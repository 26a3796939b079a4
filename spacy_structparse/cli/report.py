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
from ..scoring.breakdown import Breakdown, as_figures, break_down, columns_of
from ..viz.breakdown import draw_breakdown
from ..viz.pictures import MissingMatplotlibError, figure_bytes, picture_format
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
    """
    refuse_existing(no_clobber, output)
    import_code(code)
    choose_device(use_gpu)
    of_parsers: dict[str, Breakdown] = {}
    try:
        if output is not None:
            check_format(output, FORMATS)
        for name, model in _named(models).items():
            examples = _parsed(model, data, gold_preproc)
            of_parsers[name] = break_down(examples)
            if not of_parsers[name].length:
                raise ValueError(f"no token in {data} has a gold head")
    except (LoadingError, DocBinError, OSError, ValueError) as error:
        msg.fail("Nothing was reported", str(error), exits=1)
    echo(f"{metric.value.upper()}, no PUNCT: {COUNTED}")
    figures = as_figures(of_parsers)
    for kind, title in TITLES.items():
        _print(title, columns_of(kind, figures[kind], [metric.value]))
    if output is None:
        return
    try:
        write_atomically(output, _content(of_parsers, metric, output.suffix))
    except (MissingMatplotlibError, OSError) as error:
        msg.fail("No report was written", str(error), exits=1)
    msg.good(str(output))


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


def _parsed(model: str, data: Path, gold_preproc: bool) -> list[Example]:
    nlp = load_pipeline(model)
    examples = list(create_corpus_reader(data, gold_preproc=gold_preproc)(nlp))
    docs = nlp.pipe([example.predicted for example in examples])
    for example, doc in zip(examples, docs, strict=True):
        example.predicted = doc
    if not any(example.predicted.has_annotation("DEP") for example in examples):
        raise ValueError(f"the pipeline '{model}' writes no dependencies")
    return examples


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

"""`spacy structparse report`: scores of pipelines by sentence length and by parts of a parse."""

from pathlib import Path
from typing import Annotated, Any

import srsly
import typer
from spacy.cli._util import import_code

from ....cli.app import app
from ....cli.gold_examples import read_examples
from ....cli.gpu import choose_device
from ....cli.loading import LoadingError, load_pipeline
from ....cli.messages import msg
from ....cli.output_checks import check_outputs, docbins_of, refuse_inputs
from ....cli.shared_options import Code, GoldPreproc, GpuId, NoClobber
from ....corpora.docbins import DocBinError
from ....corpora.pipeline_outputs import PipelineOutputs
from ....files import write_atomically
from ....pipeline.confidence import ConfidenceSettings
from ....scoring.calibration import Outcomes, arc_outcomes, bracket_outcomes
from ..pictures import MissingMatplotlibError, figure_bytes, picture_format
from ..reliability import draw_reliability
from .output_format import check_format
from .report_kinds import Metric, Parsed, Report, check_metric, report_of

FORMATS = (".png", ".svg", ".json")


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
    metric: Annotated[
        Metric,
        typer.Option(
            "--metric", "-m", help="LAS or UAS of dependency parsers, F1 of constituency parsers"
        ),
    ] = Metric.las,
    gold_preproc: GoldPreproc = True,
    code: Code = None,
    use_gpu: GpuId = -1,
    no_clobber: NoClobber = False,
) -> None:
    """Compare parsers by the length of sentences and by parts of a parse.

    Dependency parsers (--metric las or uas): by how far heads are and by coarse tag, too. Of heads
    at some distance two scores are shown: how many of the right ones are found ("to head", a
    recall), and how many of those that a pipeline finds are right ("to found", a precision). Tokens
    whose gold UPOS is PUNCT are left out. Any pipeline with a parser will do, spaCy's own too.

    Constituency parsers (--metric f1): of all sentences up to some length together, by the labels
    of brackets and by how many words they have. Brackets are counted as `spacy structparse
    evaluate` does by default.

    Tables go to the terminal, a picture or the figures to --output. With --reliability alone, a
    pipeline without the kind of parser that the metric is for has only its diagrams.
    """
    check_outputs(no_clobber, output, reliability)
    refuse_inputs(docbins_of(data), output, reliability)
    import_code(code)
    choose_device(use_gpu)
    report = report_of(metric)
    sure: dict[str, dict[str, Outcomes]] = {}
    try:
        if output is not None:
            check_format(output, FORMATS)
        if reliability is not None:
            check_format(reliability, (".svg",))
        for name, model in _named(models).items():
            parsed = _parsed(model, data, gold_preproc, confidence=reliability is not None)
            if reliability is not None:
                sure[name] = _outcomes(parsed)
                if output is None and not parsed.has_parser(metric):
                    continue
            check_metric(metric, parsed)
            report.add(name, parsed, data)
    except (LoadingError, DocBinError, OSError, ValueError) as error:
        msg.fail("Nothing was reported", str(error), exits=1)
    figures = report.figures()
    report.show(figures)
    try:
        if output is not None:
            write_atomically(output, _content(report, figures, output.suffix))
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


def _parsed(model: str, data: Path, gold_preproc: bool, confidence: bool) -> Parsed:
    nlp = load_pipeline(model)
    for _, pipe in nlp.pipeline:
        if confidence and isinstance(pipe, ConfidenceSettings):
            pipe.confidence = True
    examples = read_examples(nlp, data, gold_preproc=gold_preproc)
    docs = nlp.pipe([example.predicted for example in examples])
    for example, doc in zip(examples, docs, strict=True):
        example.predicted = doc
    return Parsed(model, examples, PipelineOutputs.of(nlp).spans_key)


def _outcomes(parsed: Parsed) -> dict[str, Outcomes]:
    """The decisions of a pipeline with confidence, by their kind."""
    heads, labels = arc_outcomes(parsed.examples)
    brackets = bracket_outcomes(parsed.examples, parsed.spans_key)
    found = {"heads": heads, "heads and labels": labels, "brackets": brackets}
    if not any(len(one.right) for one in found.values()):
        raise ValueError(
            f"the pipeline '{parsed.model}' gives no confidence, or the data has no gold "
            "annotation to compare its parses with"
        )
    return found


def _content(report: Report, figures: dict[str, Any], suffix: str) -> bytes:
    if suffix == ".json":
        return srsly.json_dumps(figures, indent=2).encode("utf-8")
    return figure_bytes(report.draw(), picture_format(suffix))

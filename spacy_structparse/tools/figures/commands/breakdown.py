"""`spacy structparse breakdown`: scores of pipelines by sentence length and by parts of a parse."""

from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import srsly
import typer
from spacy.cli._util import import_code
from spacy.training import Example

from ....cli.app import app
from ....cli.gold_examples import read_examples, warn_of_untagged_trees
from ....cli.loading import choose_device, load_pipeline
from ....cli.messages import echo, msg
from ....cli.output_checks import check_outputs, docbins_of, output_file, refuse_inputs
from ....cli.shared_options import Code, GoldPreproc, GpuId, NoClobber
from ....corpora.pipeline_outputs import PipelineOutputs
from ....files import write_atomically
from ....pipeline.confidence import confident_parsers
from ....scoring.calibration import Outcomes, arc_outcomes, bracket_outcomes
from ....scoring.table import UNSCORED
from ..breakdown import draw_breakdown
from ..breakdown_scores import (
    ATTACHMENT,
    BRACKETS,
    Figures,
    Grouping,
    as_figures,
    break_down,
    break_down_brackets,
    columns_of,
)
from ..reliability import draw_reliability
from .pictures import PICTURES, write_figure

FORMATS = (*PICTURES, ".json")
WHOLE = {
    "sentences": "Sentences with a gold tree",
    "without_gold": "Without one, left out",
    "skipped": "Nothing to score",
    "failed": UNSCORED,
    "unparsed": "No brackets predicted",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
}


Metric = Literal["las", "uas", "f1"]


@app.command("breakdown", rich_help_panel="Score")
def breakdown_cli(
    data: Annotated[Path, typer.Argument(help="A .spacy file or a folder of them, annotated")],
    models: Annotated[
        list[str],
        typer.Argument(metavar="MODEL", help="Trained pipelines, each as PATH or NAME=PATH"),
    ],
    output: Annotated[
        Path | None, output_file("A .png or .svg picture, or the figures as .json", FORMATS)
    ] = None,
    reliability: Annotated[
        Path | None,
        output_file(
            "A .png or .svg picture of reliability diagrams: how many decisions are right, by the "
            "confidence of the pipelines' parsers, which compute it for this",
            PICTURES,
            "--reliability",
            "-r",
        ),
    ] = None,
    metric: Annotated[
        Metric,
        typer.Option(
            "--metric", "-m", help="LAS or UAS of dependency parsers, F1 of constituency parsers"
        ),
    ] = "las",
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
    breakdowns: dict[str, dict[str, Grouping]] = {}
    outcomes: dict[str, dict[str, Outcomes]] = {}
    for name, model in _named(models).items():
        parsed = _parsed(model, data, gold_preproc, confidence=reliability is not None)
        if reliability is not None:
            outcomes[name] = _outcomes(parsed)
            if output is None and not parsed.has_parser(metric):
                continue
        if metric == "f1" and not breakdowns:
            gold = [example.reference for example in parsed.examples]
            warn_of_untagged_trees(msg, gold, data, parsed.spans_key)
        breakdowns[name] = _broken_down(metric, parsed, data)
    figures = as_figures(breakdowns)
    if breakdowns:
        _show(metric, figures)
    if output is not None and output.suffix == ".json":
        write_atomically(output, srsly.json_dumps(figures, indent=2).encode("utf-8"))
        msg.good(str(output))
    elif output is not None:
        write_figure(draw_breakdown(figures, metric), output)
    if reliability is not None:
        write_figure(draw_reliability(outcomes), reliability)


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


class Parsed(NamedTuple):
    """A corpus that a pipeline has parsed.

    Attributes:
        model: The pipeline's path or name.
        examples: Gold and predicted Docs.
        spans_key: The span group of the trees.
    """

    model: str
    examples: list[Example]
    spans_key: str

    def has_parser(self, metric: Metric) -> bool:
        """Return True if the pipeline has the kind of parser that a metric is for."""
        docs = [example.predicted for example in self.examples]
        if metric == "f1":
            return any(self.spans_key in doc.spans for doc in docs)
        return any(doc.has_annotation("DEP") for doc in docs)


def _parsed(model: str, data: Path, gold_preproc: bool, confidence: bool) -> Parsed:
    nlp = load_pipeline(model)
    for pipe in confident_parsers(nlp).values():
        pipe.confidence |= confidence
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


def _broken_down(metric: Metric, parsed: Parsed, data: Path) -> dict[str, Grouping]:
    """The scores of a pipeline. Raises ValueError without its parses, or gold annotation."""
    if not parsed.has_parser(metric):
        kind = "constituency" if metric == "f1" else "dependency"
        raise ValueError(
            f"--metric {metric} does not fit the pipeline '{parsed.model}', which has no {kind} "
            "parser: choose f1 for trees, las or uas for dependencies"
        )
    if metric != "f1":
        attachment = break_down(parsed.examples)
        if not attachment["length"]:
            raise ValueError(f"no token in {data} has a gold head")
        return attachment
    brackets = break_down_brackets(parsed.examples, spans_key=parsed.spans_key)
    if not brackets["all"]["sentences"]:
        raise ValueError(
            f"no sentence in {data} has a gold tree in doc.spans[{parsed.spans_key!r}]"
        )
    return brackets


def _show(metric: Metric, figures: dict[str, Figures]) -> None:
    """Print the tables."""
    of_brackets = metric == "f1"
    if of_brackets:
        echo("F1 of brackets: as `spacy structparse evaluate` counts brackets by default.")
    else:
        counted = "tokens with gold UPOS PUNCT are left out, subtypes of labels count."
        echo(f"{metric.upper()}, no PUNCT: {counted}")
    for view in BRACKETS if of_brackets else ATTACHMENT:
        _print(columns_of(view, figures[view.kind], metric))
    if of_brackets:
        per_cent = {
            name: [100 * one[key] if isinstance(one[key], float) else one[key] for key in WHOLE]
            for name, one in figures["all"].items()
        }
        _print({"all": list(WHOLE.values()), **per_cent})


def _print(columns: dict[str, list[Any]]) -> None:
    """Print columns, of which the first has the names of the rows."""
    rows = [[_cell(value) for value in row] for row in zip(*columns.values(), strict=True)]
    aligns = ("l", *"r" * (len(columns) - 1))
    msg.table(rows, header=tuple(columns), aligns=aligns, divider=True)


def _cell(value: str | int | float | None) -> str:
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)

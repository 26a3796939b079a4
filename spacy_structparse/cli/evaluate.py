"""Pipelines and gold annotation: `evaluate`, `calibrate`, and `table` of several runs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import srsly
import typer

from ..pipeline.confidence import calibrate, enable_confidence
from ..scoring.table import attachment_note, check_scores, flatten_scores, score_rows
from ..training.atomic_to_disk import check_replaceable, save_atomically
from . import shared_options as option
from .app import PIPELINES, PLUMBING, SCORE, app
from .gold_examples import read_examples, warn_of_unknown_labels, warn_of_untagged_trees
from .loading import load_pipeline
from .messages import msg
from .output_checks import check_outputs, docbins_of, save_json
from .progress import progress_bar


@app.command("evaluate", rich_help_panel=SCORE)
def evaluate_cli(
    model: option.Model,
    data: option.GoldData,
    output: option.FiguresOutput = None,
    gold_preproc: option.GoldPreproc = True,
    code: option.Code = None,
    use_gpu: option.GpuId = -1,
    no_clobber: option.NoClobber = False,
) -> None:
    """Score every component of a pipeline.

    Trees are scored too, which `spacy evaluate --gold-preproc` loses as it cuts documents into
    sentences. The JSON is that of `spacy evaluate --per-component`.
    """
    check_outputs(no_clobber, output, inputs=docbins_of(data))
    nlp = load_pipeline(model, code=code, gpu_id=use_gpu)
    examples = read_examples(nlp, data, gold_preproc=gold_preproc)
    gold = [example.reference for example in examples]
    warn_of_untagged_trees(msg, gold, data)
    warn_of_unknown_labels(msg, nlp, gold)
    pipe: Any = nlp.pipe
    nlp.pipe = lambda docs, **settings: progress_bar(  # type: ignore[assignment]
        "documents", iterable=pipe(docs, **settings), total=len(examples)
    )
    scores = nlp.evaluate(examples, per_component=True)
    print_scores({"Value": flatten_scores(scores)})
    save_json(output, scores)
    if output is not None:
        msg.good(f"Saved results to {output}")


@app.command("calibrate", rich_help_panel=PIPELINES)
def calibrate_cli(
    model: option.Model,
    data: option.GoldData,
    output: option.PipelineOutput,
    confidence: Annotated[
        bool,
        typer.Option(
            "--confidence/--no-confidence",
            help="Let the parsers of OUTPUT compute confidence whenever they parse",
        ),
    ] = False,
    gold_preproc: option.GoldPreproc = True,
    code: option.Code = None,
    use_gpu: option.GpuId = -1,
    no_clobber: option.NoClobber = False,
) -> None:
    """Calibrate the confidence of parsers.

    Of the arcs of OUTPUT with a confidence of 0.8, four out of five are right. OUTPUT is MODEL with
    three numbers more for heads, for heads with labels and for brackets, fitted to DATA, the
    development part: not data that MODEL was trained on. The table has the expected calibration
    error on DATA.
    """
    check_outputs(no_clobber, output)
    check_replaceable(output, [model])
    nlp = load_pipeline(model, code=code, gpu_id=use_gpu)
    fitted = calibrate(nlp, read_examples(nlp, data, gold_preproc=gold_preproc))
    if confidence:
        enable_confidence(nlp)
    save_atomically(nlp, output)
    rows = [
        (fit.component, fit.kind, f"{fit.decisions:,}", f"{fit.before:.4f}", f"{fit.after:.4f}")
        for fit in fitted
    ]
    header = ("Component", "Of", "Decisions", "ECE before", "ECE after")
    msg.table(rows, header=header, aligns=("l", "l", "r", "r", "r"), divider=True)
    msg.good(f"{output}: calibrated on {data}")


@app.command("table", rich_help_panel=PLUMBING, hidden=True)
def table_cli(
    metrics: Annotated[
        list[Path], option.existing_file("JSON files of `spacy structparse evaluate --output`")
    ],
) -> None:
    """Print a table of scores, a column per metrics file.

    The files are those of `spacy structparse evaluate`, or of `spacy evaluate --per-component`.
    """
    runs = {}
    for path in metrics:
        try:
            scores = flatten_scores(dict(srsly.read_json(path)))
            check_scores(scores)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path} has no scores of `evaluate --output`: {error}") from error
        runs[path.stem if path.stem not in runs else str(path)] = scores
    if not print_scores(runs):
        raise ValueError(f"no score in {', '.join(map(str, metrics))}")


def print_scores(runs: Mapping[str, Mapping[str, Any]]) -> bool:
    """Print the scores of runs side by side, by their names. Return whether there are any."""
    rows = score_rows(runs)
    if rows:
        right = ("l", *"r" * len(runs))
        msg.table(rows, header=("Score", *runs), aligns=right, divider=True)
    if note := attachment_note(rows):
        msg.text(note)
    return bool(rows)

"""`spacy structparse evaluate`, trees included, on gold tokens; and `table` of several runs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import srsly
import typer

from ..scoring.table import attachment_note, check_scores, flatten_scores, score_rows
from .app import PLUMBING, SCORE, app
from .gold_examples import read_examples, warn_of_unknown_labels, warn_of_untagged_trees
from .loading import load_pipeline
from .messages import msg
from .output_checks import check_outputs, docbins_of, refuse_inputs, save_json
from .shared_options import Code, FiguresOutput, GoldData, GoldPreproc, GpuId, Model, NoClobber


@app.command("evaluate", rich_help_panel=SCORE)
def evaluate_cli(
    model: Model,
    data: GoldData,
    output: FiguresOutput = None,
    gold_preproc: GoldPreproc = True,
    code: Code = None,
    use_gpu: GpuId = -1,
    no_clobber: NoClobber = False,
) -> None:
    """Score every component of a pipeline, and print the scores.

    `spacy evaluate --gold-preproc` cuts documents into sentences and loses their trees on the way;
    this command keeps them. The JSON is that of `spacy evaluate --per-component`.
    """
    check_outputs(no_clobber, output)
    refuse_inputs(docbins_of(data), output)
    nlp = load_pipeline(model, code=code, gpu_id=use_gpu)
    examples = read_examples(nlp, data, gold_preproc=gold_preproc)
    gold = [example.reference for example in examples]
    warn_of_untagged_trees(msg, gold, data)
    warn_of_unknown_labels(msg, nlp, gold)
    scores = nlp.evaluate(examples, per_component=True)
    print_scores({"Value": flatten_scores(scores)})
    save_json(output, scores)
    if output is not None:
        msg.good(f"Saved results to {output}")


@app.command("table", rich_help_panel=PLUMBING, hidden=True)
def table_cli(
    metrics: Annotated[
        list[Path],
        typer.Argument(
            help="JSON files of `spacy structparse evaluate --output`", exists=True, dir_okay=False
        ),
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

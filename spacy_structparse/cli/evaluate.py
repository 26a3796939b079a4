"""`spacy structparse evaluate`: the scores of a pipeline, trees included, on gold tokens."""

from pathlib import Path
from typing import Annotated

import srsly
import typer
from spacy.cli._util import import_code

from ..files import write_atomically
from ..scoring.table import attachment_note, flatten_scores, score_rows
from .app import SCORE, app
from .displacy_pages import drawn_annotation, write_pages
from .gold_examples import read_examples, warn_of_unknown_labels, warn_of_untagged_trees
from .loading import choose_device, load_pipeline
from .messages import msg
from .output_checks import check_outputs, docbins_of, refuse_inputs
from .shared_options import Code, GoldData, GoldPreproc, GpuId, Model, NoClobber


@app.command("evaluate", rich_help_panel=SCORE)
def evaluate_cli(
    model: Model,
    data: GoldData,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="JSON file to write all scores to", dir_okay=False),
    ] = None,
    displacy_path: Annotated[
        Path | None,
        typer.Option(
            "--displacy-path",
            "-dp",
            file_okay=False,
            help="Folder for pages with drawings of the parses: parses.html (dependencies), "
            "trees.html, entities.html",
        ),
    ] = None,
    displacy_limit: Annotated[
        int,
        typer.Option(
            "--displacy-limit", "-dl", help="Documents that are drawn", min=1, max=1_000_000
        ),
    ] = 25,
    gold_preproc: GoldPreproc = True,
    code: Code = None,
    use_gpu: GpuId = -1,
    no_clobber: NoClobber = False,
) -> None:
    """Score every component of a pipeline, and print the scores.

    `spacy evaluate --gold-preproc` cuts documents into sentences and loses their trees on the way;
    this command keeps them. The JSON is that of `spacy evaluate --per-component`.
    """
    check_outputs(no_clobber, output, displacy_path)
    refuse_inputs(docbins_of(data), output, displacy_path)
    import_code(code)
    choose_device(use_gpu)
    nlp = load_pipeline(model)
    if displacy_path is not None:
        drawn_annotation(nlp)
    examples = read_examples(nlp, data, gold_preproc=gold_preproc)
    gold = [example.reference for example in examples]
    warn_of_untagged_trees(msg, gold, data)
    warn_of_unknown_labels(msg, nlp, gold)
    scores = nlp.evaluate(examples, per_component=True)
    rows = score_rows({"Value": flatten_scores(scores)})
    msg.table(rows, header=("Score", "Value"), aligns=("l", "r"), divider=True)
    note = attachment_note(rows)
    if note:
        msg.text(note)
    if output is not None:
        write_atomically(output, srsly.json_dumps(scores, indent=2).encode("utf-8"))
        msg.good(f"Saved results to {output}")
    if displacy_path is not None:
        docs = list(nlp.pipe(example.predicted for example in examples[:displacy_limit]))
        written = write_pages(nlp, docs, displacy_path, title=model)
        msg.good(f"Drew the parses of {len(docs)} documents: {', '.join(map(str, written))}")

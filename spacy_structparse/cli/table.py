"""`spacy structparse table`: scores of several runs side by side."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import srsly
import typer
from spacy.vocab import Vocab

from ..corpora.docbins import read_docs
from ..scoring.table import (
    attachment_note,
    check_scores,
    count_brackets,
    count_labels,
    flatten_scores,
    label_rows,
    score_rows,
    sentence_speed,
)
from .app import PLUMBING, app
from .messages import msg


@app.command("table", rich_help_panel=PLUMBING, hidden=True)
def table_cli(
    metrics: Annotated[
        list[Path],
        typer.Argument(
            help="JSON files of `spacy structparse evaluate --output`", exists=True, dir_okay=False
        ),
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            "-d",
            help="The evaluated .spacy file: adds counts of labels and sentences per second",
            exists=True,
        ),
    ] = None,
    labels: Annotated[
        int, typer.Option("--labels", "-l", help="How many labels to list", min=0, max=1_000_000)
    ] = 10,
) -> None:
    """Print a table of scores, a column per metrics file, and tables of labels.

    The files are those of `spacy structparse evaluate`, or of `spacy evaluate --per-component`.
    """
    runs = {}
    for path in metrics:
        name = path.stem if path.stem not in runs else str(path)
        runs[name] = _read_scores(path)
    docs = list(read_docs(data, Vocab())) if data else []
    rows = score_rows(runs)
    if not rows:
        raise ValueError(f"no score in {', '.join(map(str, metrics))}")
    if docs:
        n_words = sum(len(doc) for doc in docs)
        n_sentences = sum(len(list(doc.sents)) for doc in docs if doc.has_annotation("SENT_START"))
        speeds = [sentence_speed(scores, n_words, n_sentences) for scores in runs.values()]
        rows.append(("Sentences/s", *(f"{speed:,.0f}" if speed else "-" for speed in speeds)))
    right = ("l", *"r" * len(runs))
    msg.table(rows, header=("Score", *runs), aligns=right, divider=True)
    note = attachment_note(rows)
    if note:
        msg.text(note)
    tables: tuple[tuple[str, str, Counter[str]], ...] = (
        ("dep_las_per_type", "LAS, spaCy,", count_labels(docs)),
        ("const_f_per_type", "F1", count_brackets(docs)),
    )
    for key, score, counts in tables:
        listed = label_rows(runs, counts, labels, key)
        if listed:
            header = (
                "Label",
                *(["Count"] if counts else []),
                *(f"{score} {name}" for name in runs),
            )
            aligns = ("l", *"r" * (len(header) - 1))
            msg.table(listed, header=header, aligns=aligns, divider=True)


def _read_scores(path: Path) -> dict[str, Any]:
    """The scores of a file by name. Raises ValueError, which names it."""
    try:
        scores = srsly.read_json(path)
    except ValueError as error:
        raise ValueError(f"{path} is no JSON file ({error})") from error
    if not isinstance(scores, dict):
        raise ValueError(f"{path} holds no scores: make it with `spacy structparse evaluate -o`")
    flat = flatten_scores(scores)
    try:
        check_scores(flat)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    return flat

"""The arguments and options of `spacy structparse parse`."""

from pathlib import Path
from typing import Annotated

import typer

from ..corpora.writers import Format
from .shared_options import count

Sources = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="INPUT",
        help="Treebanks (.conllu, .conllup, .conll, .ptb, .mrg, .psd), .spacy or parquet files or "
        "folders of them, text (.txt), words (.words), JSON lines (.jsonl, objects with a text); - "
        "for text from the standard input; or a sentence in quotes",
        show_default=False,
    ),
]
Texts = Annotated[
    list[str] | None,
    typer.Option(
        "--text", "-t", help="A text to parse, even if it looks like a file", show_default=False
    ),
]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="File (compressed if it ends in .gz), or folder for svg; - for the standard output",
    ),
]
Style = Annotated[
    Format | None,
    typer.Option(
        "--format",
        "-f",
        help="conllu: dependencies. ptb: a bracketed tree a line. json: a document a line. svg: "
        "drawings of arcs and trees in a folder, on a page (.html), or of one sentence (.svg). "
        "latex: the same for LaTeX. spacy: a DocBin. parquet: a row a sentence. terminal: a "
        "table and a drawn tree. text: with --gold the text of treebanks. By default the "
        "output's suffix decides; without one terminal for a sentence or on a terminal, else "
        "conllu, or ptb without a dependency parser",
    ),
]
Keep = Annotated[
    str,
    typer.Option(
        metavar="COLUMNS",
        help="Keep these columns of treebanks and .spacy files in CoNLL-U: lemma, upos, xpos, "
        "feats, with commas between. For heads and labels use --complete",
    ),
]
Complete = Annotated[
    bool,
    typer.Option(
        "--complete",
        help="Complete treebanks and .spacy files that are annotated in part: the heads, labels, "
        "brackets and constraints that they have are kept, and the rest is predicted. Sentences "
        "whose annotation no parse keeps are left out and named",
    ),
]
KBest = Annotated[
    int | None,
    count(
        "Write the K most probable parses of each sentence, best first, with their log "
        "probabilities: dependencies (conllu), trees (ptb), or both (json, terminal)",
        "--k-best",
        "-k",
        metavar="K",
    ),
]
Processes = Annotated[int, count("Worker processes", "--n-process", "-p", most=1024)]
Gold = Annotated[bool, typer.Option("--gold", hidden=True)]
SplitLemmas = Annotated[bool, typer.Option("--split-lemmas", hidden=True)]
BatchSize = Annotated[int | None, count("", "--batch-size", "-b", most=100_000, hidden=True)]
Code = Annotated[Path | None, typer.Option(hidden=True)]
NoClobber = Annotated[bool, typer.Option("--no-clobber", hidden=True)]

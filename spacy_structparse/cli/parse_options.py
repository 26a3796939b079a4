"""The arguments and options of `spacy structparse parse`."""

from pathlib import Path
from typing import Annotated

import typer

from ..corpora.writers import Format
from .shared_options import count

Sources = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="INPUT...",
        help="Treebanks (.conllu, .conllup, .conll, .ptb, .mrg, .psd), .spacy or parquet files "
        "or folders of them, text (.txt), words (.words), JSON lines (.jsonl, objects with a "
        "text); - for text from the standard input. A text in quotes: an argument with white "
        "space or a sentence mark at the end that looks like no path",
        show_default=False,
    ),
]
Texts = Annotated[
    list[str] | None,
    typer.Option(
        "--text", "-t", help="A text to parse, whatever it looks like", show_default=False
    ),
]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="File (text is compressed if it ends in .gz), or folder for svg; - for the standard "
        "output",
    ),
]
Style = Annotated[
    Format | None,
    typer.Option(
        "--format",
        "-f",
        help="conllu: dependencies. ptb: a bracketed tree a line. json: a document a line. svg: a "
        "drawing of each tree, or all of them on a page if the output is an .html file. latex: a "
        "document that draws arcs and trees. spacy: a DocBin. parquet: a row a sentence. "
        "terminal: a table of dependencies and a drawing of the tree in text. By default what the "
        "output is named after; terminal on a terminal and for a TEXT; otherwise conllu, or ptb "
        "without a dependency parser",
    ),
]
SplitSentences = Annotated[
    bool | None,
    typer.Option(
        "--split-sentences/--one-sentence",
        help="Cut lines into sentences by punctuation, or parse each line as one sentence. "
        "Without either they are cut unless the pipeline has a component that does it. Sentences "
        "of treebanks and words, and sentence starts of .spacy files, are kept",
    ),
]
Keep = Annotated[
    str,
    typer.Option(
        metavar="COLUMNS",
        help="Columns of treebanks and .spacy files to keep in CoNLL-U: lemma, upos, xpos, feats, "
        "with commas between. The comment given_columns names them. Without it they are as "
        "predicted, or empty. For heads and labels see --complete",
    ),
]
Complete = Annotated[
    bool,
    typer.Option(
        "--complete",
        help="Complete treebanks and .spacy files that are annotated in part: their heads and "
        "labels (not _ in CoNLL-U), their brackets and their constraints stay in each parse, and "
        "the rest of it is predicted. A sentence of which no parse keeps them is left out and "
        "named. For other columns see --keep",
    ),
]
KBest = Annotated[
    int | None,
    count(
        "Write the K most probable parses of each sentence, best first, with their log "
        "probabilities: of the dependency parser (conllu), of the constituency parser (ptb), or "
        "of each (json, terminal)",
        "--k-best",
        "-k",
        metavar="K",
    ),
]
Processes = Annotated[int, count("Worker processes", "--n-process", "-p", most=1024)]
Gold = Annotated[
    bool,
    typer.Option(
        "--gold",
        hidden=True,
        help="Write the annotation of treebanks and .spacy files as it came in. Nothing is "
        "predicted, and MODEL is not loaded: it may be -",
    ),
]
SplitLemmas = Annotated[bool, typer.Option("--split-lemmas", hidden=True)]
BatchSize = Annotated[
    int | None, count("Documents a batch", "--batch-size", "-b", most=100_000, hidden=True)
]
Code = Annotated[Path | None, typer.Option(hidden=True)]
NoClobber = Annotated[bool, typer.Option("--no-clobber", hidden=True)]

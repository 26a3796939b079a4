"""`spacy structparse convert`: treebank files to `.spacy`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..corpora.convert import convert_treebank
from ..corpora.input_files import plan_outputs
from ..corpora.options import ConversionOptions, Labels, TagColumn
from ..escaping import escape_control
from ..trees import SPANS_KEY
from .app import DATA, app
from .conversion_report import print_conversion
from .messages import Messages
from .output_checks import check_outputs, check_suffix, refuse_standard_output, save_json
from .progress import progress_bar
from .shared_options import NoClobber, Quiet, SplitLemmas, count

Inputs = typer.Argument(
    help="Penn-bracket files (.ptb, .mrg, .psd), CoNLL-U/CoNLL-X files (.conllu, .conll, .conllx), "
    "or folders of them"
)
Output = typer.Argument(help="A .spacy file, or a folder for one file per input (train, dev, …)")
NSents = count("Sentences per Doc, fewer at a paragraph's end", "--n-sents", "-n", most=10**9)
Tags = typer.Option(
    help="CoNLL-U column that becomes token.tag_. Without XPOS the trees' tags do, or else UPOS"
)
LabelParts = typer.Option(
    help="Labels of brackets: bare (NP), with function tags (NP-SBJ), or full with indices "
    "(NP-SBJ-1). Traces are always removed"
)
Heads = typer.Option(help="Skip sentences whose heads are no tree, or keep their words alone")
Differing = typer.Option(
    help="Where tree and dependencies are over different tokens, keep the dependencies, or skip",
    hidden=True,
)
Quotes = typer.Option(
    "--straight-quotes", help="In trees alone, make `` and '' the text's quotes", hidden=True
)
WhPhrases = typer.Option(
    "--wh-phrases",
    help="Label the NP of a relative or interrogative word WHNP, as the Penn Treebank does",
)
SpansKey = typer.Option(help="Span group for the trees, the parser's setting", hidden=True)
Only = typer.Option(
    metavar="REGEX", help="Keep the sentences whose sent_id matches, for example some genres"
)
Report = typer.Option(help="JSON file for the counts and every problem", dir_okay=False)


@app.command("convert", rich_help_panel=DATA)
def convert_cli(
    inputs: Annotated[list[Path], Inputs],
    output: Annotated[Path, Output],
    n_sents: Annotated[int, NSents] = 1,
    tags: Annotated[TagColumn, Tags] = "xpos",
    labels: Annotated[Labels, LabelParts] = "bare",
    bad_heads: Annotated[Literal["skip", "words"], Heads] = "skip",
    mismatch: Annotated[Literal["dependencies", "skip"], Differing] = "dependencies",
    straight_quotes: Annotated[bool, Quotes] = False,
    split_lemmas: SplitLemmas = False,
    wh_phrases: Annotated[bool, WhPhrases] = False,
    spans_key: Annotated[str, SpansKey] = SPANS_KEY,
    only: Annotated[str, Only] = "",
    report: Annotated[Path | None, Report] = None,
    quiet: Quiet = False,
    no_clobber: NoClobber = False,
) -> None:
    """Convert treebanks to spaCy's .spacy format.

    Trees and dependencies of the same sentences are joined: give both files, or a folder where
    they share a stem (train.ptb, train.conllu).
    """
    refuse_standard_output(output)
    if output.suffix[1:].isalpha() and not output.is_dir():  # the name of a file
        check_suffix(output, (".spacy",))
    options = ConversionOptions(
        n_sents=n_sents,
        tag_column=tags,
        labels=labels,
        bad_heads=bad_heads,
        mismatch=mismatch,
        split_lemmas=split_lemmas,
        straight_quotes=straight_quotes,
        wh_phrases=wh_phrases,
        spans_key=spans_key,
        only=only,
    )
    planned = plan_outputs(inputs, output)
    sources = [path for parts in planned.values() for part in parts for path in part.paths]
    check_outputs(no_clobber, *planned, report, inputs=sources)
    counts: dict[str, object] = {}
    for target, parts in planned.items():
        with progress_bar("sentences", desc=escape_control(target.name), hidden=quiet) as bar:
            done = convert_treebank(parts, target, options, progress=bar.update)
        counts[str(target)] = done.to_dict()
        print_conversion(Messages(no_print=quiet), target, done)
    save_json(report, counts)

"""`spacy structparse convert`: treebank files to `.spacy`."""

import sys
from pathlib import Path
from typing import Annotated, Literal

from tqdm import tqdm

from ..corpora.convert import convert_treebank
from ..corpora.input_files import plan_outputs
from ..corpora.options import ConversionOptions, Labels, TagColumn
from ..escaping import escape_control, json_text
from ..files import write_atomically
from ..trees import SPANS_KEY
from .app import DATA, app
from .conversion_options import (
    Differing,
    Heads,
    Inputs,
    LabelParts,
    NSents,
    Only,
    Output,
    Quotes,
    Report,
    SpansKey,
    Tags,
    WhPhrases,
)
from .conversion_report import print_conversion
from .messages import Messages
from .output_checks import check_outputs, refuse_inputs, refuse_standard_output
from .parse_options import SplitLemmas
from .removed import removed_options
from .shared_options import NoClobber, Quiet

_REMOVED = {
    "--merge-multiword": "`spacy convert --merge-subtokens` merges them",
    "--n-process": "leave it out",
    "-p": "leave it out",
}


@app.command("convert", rich_help_panel=DATA, cls=removed_options(_REMOVED))
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
    check_outputs(no_clobber, *planned, report)
    refuse_inputs([path for parts in planned.values() for p in parts for path in p.paths], report)
    counts: dict[str, object] = {}
    hidden = quiet or not sys.stderr.isatty()
    for target, parts in planned.items():
        with tqdm(desc=escape_control(target.name), unit=" sentences", disable=hidden) as bar:
            done = convert_treebank(parts, target, options, progress=bar.update)
        counts[str(target)] = done.to_dict()
        print_conversion(Messages(no_print=quiet), target, done)
    if report is not None:
        write_atomically(report, f"{json_text(counts, indent=2)}\n".encode())

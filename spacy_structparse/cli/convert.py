"""`spacy structparse convert`: treebank files to `.spacy`."""

import sys
from enum import Enum
from pathlib import Path
from typing import Annotated, Optional

import typer
from tqdm import tqdm

from ..corpora.conllu import ConlluReadError
from ..corpora.convert import convert_treebank
from ..corpora.input_files import plan_outputs
from ..corpora.join import glued_lemmas
from ..corpora.options import ConversionError, ConversionOptions
from ..corpora.report import ConversionReport
from ..files import write_atomically
from ..printable import json_text, printable
from ..trees import SPANS_KEY, TreeReadError
from .app import app
from .messages import Messages
from .output_checks import check_outputs, refuse_inputs, refuse_standard_output
from .parse_inputs import list_problems
from .parse_options import SplitLemmas
from .shared_options import NoClobber

N_SPLIT = 5
NOTES = {
    "sentences_skipped": "sentences skipped",
    "sentences_not_chosen": "sentences that --only leaves out",
    "dependencies_left_out": "without their dependencies",
    "trees_left_out": "without their trees",
    "sentences_respelled": "with other spellings in tree and CoNLL-U (the CoNLL-U's is kept)",
    "tags_that_differ": "tokens with another tag in the tree (the CoNLL-U's is kept)",
    "texts_that_differ": "whose `text` comment differs from the tokens",
    "multiword_tokens": "multiword tokens",
    "empty_nodes": "empty nodes, which are no tokens",
    "tokens_with_upos_as_tag": "tokens with their UPOS as tag_, since there is no XPOS",
    "tokens_with_tree_tag": "tokens with the tree's tag as tag_, since there is no XPOS",
    "tokens_with_foreign_upos": "tokens whose UPOS is not one of UD's",
    "tokens_with_foreign_feats": "tokens whose FEATS are not Name=Value",
}


class TagColumn(str, Enum):
    """The CoNLL-U column that becomes ``token.tag_``."""

    xpos = "xpos"
    upos = "upos"


class Labels(str, Enum):
    """The part of a bracket's label that is kept."""

    bare = "bare"
    functions = "functions"
    full = "full"


class BadHeads(str, Enum):
    """The treatment of a sentence whose heads are no tree."""

    skip = "skip"
    words = "words"


class Mismatch(str, Enum):
    """The treatment of a sentence whose layers disagree."""

    dependencies = "dependencies"
    skip = "skip"


@app.command("convert")
def convert_cli(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            help="Penn-bracket files (.ptb, .mrg, .psd), CoNLL-U/CoNLL-X files (.conllu, .conll, "
            ".conllx), or folders of them"
        ),
    ],
    output: Annotated[
        Path,
        typer.Argument(
            help="A .spacy file, or a folder for one .spacy file per input stem (train, dev, …)"
        ),
    ],
    n_sents: Annotated[
        int,
        typer.Option(
            "--n-sents",
            "-n",
            help="Sentences per Doc, fewer at a paragraph's end",
            min=1,
            max=1_000_000_000,
        ),
    ] = 1,
    tags: Annotated[
        TagColumn,
        typer.Option(
            "--tags",
            help="CoNLL-U column that becomes token.tag_. Without any XPOS the tags of the trees "
            "stand in for it, without trees UPOS",
        ),
    ] = TagColumn.xpos,
    labels: Annotated[
        Labels,
        typer.Option(
            "--labels",
            help="Brackets' labels: bare (NP), with function tags (NP-SBJ), or in full with "
            "indices (NP-SBJ-1). Traces are no tokens and always go, with what they leave empty",
        ),
    ] = Labels.bare,
    merge_multiword: Annotated[
        bool,
        typer.Option(
            "--merge-multiword/--split-multiword",
            help="Make a CoNLL-U multiword token (3-4 don't) one token, or its words",
        ),
    ] = False,
    bad_heads: Annotated[
        BadHeads,
        typer.Option(
            "--bad-heads",
            help="Skip a sentence whose heads are no tree, or keep its words without heads",
        ),
    ] = BadHeads.skip,
    mismatch: Annotated[
        Mismatch,
        typer.Option(
            "--mismatch",
            help="Where tree and dependencies are over different tokens, keep the dependencies "
            "without the tree, or skip the sentence",
        ),
    ] = Mismatch.dependencies,
    straight_quotes: Annotated[
        bool,
        typer.Option(
            "--straight-quotes", help="In trees read alone, make `` and '' the quotes of the text"
        ),
    ] = False,
    split_lemmas: SplitLemmas = False,
    wh_phrases: Annotated[
        bool,
        typer.Option(
            "--wh-phrases",
            help="Label the NP of a relative or an interrogative word WHNP, as in the Penn "
            "Treebank (GUM has NP there)",
        ),
    ] = False,
    spans_key: Annotated[
        str,
        typer.Option("--spans-key", help="Span group for the trees, that of the parser's setting"),
    ] = SPANS_KEY,
    only: Annotated[
        str,
        typer.Option(
            "--only",
            metavar="REGEX",
            help="Keep the sentences whose sent_id it matches from the beginning, such as those of "
            "some genres",
        ),
    ] = "",
    n_process: Annotated[
        int, typer.Option("--n-process", "-p", help="Worker processes", min=1, max=1024)
    ] = 1,
    report_path: Annotated[
        Optional[Path],  # noqa: UP045  (Typer reads the annotation at run time)
        typer.Option("--report", help="JSON file for the counts and every problem", dir_okay=False),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only")] = False,
    no_clobber: NoClobber = False,
) -> None:
    """Convert treebanks to spaCy's .spacy format.

    Trees and dependencies of the same sentences are joined: give both files, or a folder where
    they share a stem (train.ptb, train.conllu).
    """
    refuse_standard_output(output)
    msg = Messages(no_print=quiet)
    reports: dict[str, object] = {}
    try:
        options = ConversionOptions(
            n_sents=n_sents,
            tag_column=tags.value,
            labels=labels.value,
            merge_multiword=merge_multiword,
            bad_heads=bad_heads.value,
            mismatch=mismatch.value,
            split_lemmas=split_lemmas,
            straight_quotes=straight_quotes,
            wh_phrases=wh_phrases,
            spans_key=spans_key,
            only=only,
        )
        planned = plan_outputs(inputs, output)
        check_outputs(no_clobber, *planned, report_path)
        read = [path for parts in planned.values() for part in parts for path in part.paths]
        refuse_inputs(read, report_path)
        for target, parts in planned.items():
            with tqdm(
                desc=printable(target.name),
                unit=" sentences",
                disable=quiet or not sys.stderr.isatty(),
            ) as bar:
                report = convert_treebank(
                    parts, target, options, n_process=n_process, progress=bar.update
                )
            reports[str(target)] = report.to_dict()
            _print_report(msg, target, report)
    except (ConversionError, ConlluReadError, TreeReadError, OSError) as error:
        Messages().fail("Conversion failed", str(error), exits=1)
    if report_path is not None:
        write_atomically(report_path, f"{json_text(reports, indent=2)}\n".encode())


def _print_report(msg: Messages, target: Path, report: ConversionReport) -> None:
    counts = report.counts
    msg.good(
        f"{target}: {counts['sentences_written']} of {counts['sentences_read']} sentences "
        f"({counts['dependencies']} with dependencies, {counts['trees']} with trees), "
        f"{counts['tokens']} tokens, {counts['docs']} docs"
    )
    notes = [f"{counts[key]} {text}" for key, text in NOTES.items() if counts[key]]
    if notes:
        msg.info("; ".join(notes))
    if glued := glued_lemmas(counts):
        msg.warn(glued)
    if report.split_words:
        msg.info(_split_words(report))
    list_problems(msg, report.problems, "; --report FILE lists them all")


def _split_words(report: ConversionReport) -> str:
    listed = report.split_words.most_common(N_SPLIT)
    more = len(report.split_words) - len(listed)
    return (
        f"{report.split_words.total()} multiword tokens were split into their words: "
        + ", ".join(f"{split} ({count})" for split, count in listed)
        + (f", and {more} more (--report FILE)" if more else "")
        + ". A tokenizer that does not split them gives a parser other words than it was trained "
        "on. Add the tokenizer spacy-structparse.mwt_splitter.v1 to the config, or convert with "
        "--merge-multiword"
    )

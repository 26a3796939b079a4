"""The lines that `convert` and `parse` print about a written file."""

from pathlib import Path

from ..corpora.penn_brackets import glued_lemmas
from ..corpora.report import ConversionReport
from ..corpora.writers import STANDARD_OUTPUT, Format, Writer
from .messages import Messages, msg
from .parse_inputs import list_problems, warn_of_notes

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


def print_conversion(msg: Messages, target: Path, report: ConversionReport) -> None:
    """Print the counts of a written file, and the first problems."""
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
        frequent = report.split_words.most_common(N_SPLIT)
        msg.info(
            f"{report.split_words.total()} multiword tokens were split into their words: "
            f"{', '.join(f'{split} ({count})' for split, count in frequent)}. The "
            "tokenizers segmenter and mwt_splitter learn to split them in texts"
        )
    list_problems(msg, report.problems, "; --report FILE lists them all")


def print_parsed(output: Path, writer: Writer, style: Format) -> None:
    """Print the counts of written parses, and warn of what they lack."""
    warn_of_notes(writer.notes)
    outputs = writer.outputs
    may_lack_trees = outputs.gold and style in (Format.conllu, Format.spacy, Format.text)
    if outputs.trees and writer.without_tree and not may_lack_trees:
        msg.warn(f"{writer.without_tree} of {writer.sentences} sentences have no tree")
    if str(output) != STANDARD_OUTPUT:
        msg.good(f"{output}: {writer.sentences} sentences of {writer.documents} documents")

"""Treebank files to one `.spacy` file, sentence by sentence."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from srsly.msgpack import Packer

from ..errors import ReadError
from ..files import write_atomically
from .conllu import has_xpos
from .docs import build_doc, group_sentences
from .join import read_sentences
from .options import ConversionOptions, TreebankPart
from .report import ConversionReport, Place

# NORM is left out, so that the reading pipeline's own norms hold; entities no treebank has.
DOCBIN_ATTRS = ("ORTH", "TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START")
# From so many on, a majority of mismatches means that the files are shifted or unrelated.
MIN_SHIFTED = 10


def convert_treebank(
    parts: Sequence[TreebankPart],
    output: Path,
    options: ConversionOptions,
    *,
    progress: Callable[[int], object] = lambda n_sentences: None,
) -> ConversionReport:
    """Convert `parts`, in order, to the one file `output`, written whole or not at all.

    `progress` is called with the number of sentences of each Doc. Raises `ReadError` where
    nothing could be converted.
    """
    report = ConversionReport()
    # Packed here: spaCy would look for plugins of msgpack anew for every Doc.
    docs, user_data, packer = DocBin(attrs=DOCBIN_ATTRS), [], Packer(use_bin_type=True)
    vocab, n_read = Vocab(), 0
    for _, doc in treebank_docs(parts, options, vocab, report):
        docs.add(doc)
        user_data.append(packer.pack(doc.user_data))
        progress(report.counts["sentences_read"] - n_read)
        n_read = report.counts["sentences_read"]
    docs.store_user_data, docs.user_data = True, user_data
    if not len(docs):
        files = ", ".join(str(path) for part in parts for path in part.paths)
        first = f" The first problem: {report.problems[0]}" if report.problems else ""
        if report.counts["sentences_not_chosen"] == report.counts["sentences_read"] > 0:
            first = f" No sent_id begins with what '{options.only}' matches."
        raise ReadError(f"No sentence could be converted from {files}.{first}")
    mismatches = [problem for problem in report.problems if problem.is_mismatch]
    chosen = report.counts["sentences_read"] - report.counts["sentences_not_chosen"]
    if len(mismatches) >= MIN_SHIFTED and len(mismatches) > chosen / 2:
        raise ReadError(
            f"{len(mismatches)} of {chosen} trees are over other tokens than the dependencies: "
            "the files do not hold the same sentences in the same order. "
            f"The first: {mismatches[0]}"
        )
    write_atomically(output, docs.to_bytes())
    return report


def treebank_docs(
    parts: Sequence[TreebankPart],
    options: ConversionOptions,
    vocab: Vocab,
    report: ConversionReport,
    name: str = "",
) -> Iterator[tuple[Place, Doc]]:
    """Read the Docs of treebank files, one by one, with the places of their first sentences.

    Args:
        parts: The files.
        options: How sentences become Docs.
        vocab: The vocabulary of the Docs.
        report: Counts what was read, and lists what was left out.
        name: The name of the file in messages and places. Empty: its path.
    """
    # One tagset in one output: UPOS stands in for XPOS in all of the files or in none.
    files = [part.conllu for part in parts if part.conllu is not None]
    without_xpos = options.tag_column == "xpos" and not has_xpos(files)
    for part in parts:
        sentences = read_sentences(part, options, report, without_xpos, name)
        for group in group_sentences(sentences, options.n_sents):
            doc = build_doc(vocab, group, options.spans_key)
            report.counts["docs"] += 1
            report.counts["tokens"] += len(doc)
            report.counts["sentences_written"] += len(group)
            report.counts["trees"] += sum(sentence.tree is not None for sentence in group)
            report.counts["dependencies"] += sum(sentence.heads is not None for sentence in group)
            first = group[0]
            yield Place(first.file, first.line, first.sent_id), doc

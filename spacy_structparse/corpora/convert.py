"""Treebank files to one `.spacy` file, chunk by chunk, in this process or in several."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from srsly.msgpack import Packer

from ..files import write_atomically
from ..processes import LostWorkerError, results_in_order
from .chunks import NoTree, Task, part_tasks
from .conllu import has_xpos
from .docs import build_doc, group_sentences
from .join import read_sentences
from .options import ConversionError, ConversionOptions, TreebankPart
from .report import ConversionReport, Document, Place

# NORM is left out, so that the reading pipeline's own norms hold; entities no treebank has.
DOCBIN_ATTRS = ("ORTH", "TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START")
CHUNK_SENTENCES = 500
# From so many on, a majority of mismatches means that the files are shifted or unrelated.
MIN_SHIFTED = 10


def convert_treebank(
    parts: Sequence[TreebankPart],
    output: Path,
    options: ConversionOptions,
    *,
    n_process: int = 1,
    progress: Callable[[int], None] | None = None,
) -> ConversionReport:
    """Convert `parts`, in order, to the one file `output`, written whole or not at all.

    The output is the same whatever `n_process`. `progress` is called with the number of
    sentences of each finished chunk. Raises `ConversionError` where nothing could be converted.
    """
    report = ConversionReport()
    docs = DocBin(attrs=DOCBIN_ATTRS, store_user_data=True)
    for chunk_bin, chunk_report in _converted_chunks(
        treebank_tasks(parts, options), options, n_process
    ):
        chunk_bin.store_user_data = True  # a DocBin from another process has lost the setting
        docs.merge(chunk_bin)
        report += chunk_report
        if progress is not None:
            progress(chunk_report.counts["sentences_read"])
    if not len(docs):
        files = ", ".join(str(path) for part in parts for path in part.paths)
        first = f" The first problem: {report.problems[0]}" if report.problems else ""
        if report.counts["sentences_not_chosen"] == report.counts["sentences_read"] > 0:
            first = f" No sent_id begins with what '{options.only}' matches."
        raise ConversionError(f"No sentence could be converted from {files}.{first}")
    mismatches = [problem for problem in report.problems if problem.is_mismatch]
    chosen = report.counts["sentences_read"] - report.counts["sentences_not_chosen"]
    if len(mismatches) >= MIN_SHIFTED and len(mismatches) > chosen / 2:
        raise ConversionError(
            f"{len(mismatches)} of {chosen} trees are over other tokens "
            "than the dependencies: the files do not hold the same sentences in the same order. "
            f"The first: {mismatches[0]}"
        )
    write_atomically(output, docs.to_bytes())
    return report


def treebank_tasks(parts: Sequence[TreebankPart], options: ConversionOptions) -> Iterator[Task]:
    """Chunks of whole Docs."""
    size = max(1, CHUNK_SENTENCES // options.n_sents) * options.n_sents
    # One tagset in one output: UPOS stands in for XPOS in all of the files or in none.
    files = [part.conllu for part in parts if part.conllu is not None]
    without_xpos = options.tag_column == "xpos" and not has_xpos(files)
    for part in parts:
        for task in part_tasks(part, size):
            yield replace(task, without_xpos=without_xpos)


def _converted_chunks(
    tasks: Iterator[Task], options: ConversionOptions, n_process: int
) -> Iterator[tuple[DocBin, ConversionReport]]:
    if n_process <= 1:
        yield from (convert_chunk(task, options) for task in tasks)
        return
    # Spawned, since forking a process in which torch has started threads can hang.
    work = partial(convert_chunk, options=options)
    try:
        yield from results_in_order(work, tasks, n_process, start_method="spawn")
    except LostWorkerError as error:
        raise ConversionError(
            f"A worker process was killed or crashed; the first sentences without a result are "
            f"those of {_place(error.task)}. If memory ran out, take a smaller --n-process."
        ) from error


def _place(task: Task) -> str:
    """Where a chunk begins."""
    if task.dependencies is not None:
        return f"{task.dependencies.file}, from line {task.dependencies.first_line} on"
    lines = [tree[0] for tree in task.trees or () if not isinstance(tree, NoTree)]
    return task.tree_file + (f", from line {lines[0]} on" if lines else "")


def convert_chunk(task: Task, options: ConversionOptions) -> tuple[DocBin, ConversionReport]:
    """The Docs of one chunk, and the report on it."""
    report = ConversionReport()
    docs = DocBin(attrs=DOCBIN_ATTRS)
    packer = Packer(use_bin_type=True)
    for _, doc, _ in chunk_docs(task, options, Vocab(), report):
        assert isinstance(doc, Doc)
        docs.add(doc)
        docs.user_data.append(packer.pack(doc.user_data))
    docs.store_user_data = True
    return docs, report


def chunk_docs(
    task: Task, options: ConversionOptions, vocab: Vocab, report: ConversionReport
) -> Iterator[Document]:
    """The Docs of one chunk, one by one, with the places of their first sentences; counts and
    problems go to the report."""
    for group in group_sentences(read_sentences(task, options, report), options.n_sents):
        doc = build_doc(vocab, group, options.spans_key)
        report.counts["docs"] += 1
        report.counts["tokens"] += len(doc)
        report.counts["sentences_written"] += len(group)
        report.counts["trees"] += sum(sentence.tree is not None for sentence in group)
        report.counts["dependencies"] += sum(sentence.heads is not None for sentence in group)
        first = group[0]
        place = Place(first.file, first.line, first.sent_id)
        yield Document(place, doc, is_annotated=True)

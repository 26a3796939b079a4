"""An output that is written in several runs: what is whole stays, and the next run goes on there.

Beside `OUTPUT` stand `OUTPUT.partial`, with what is written, and the journal
`OUTPUT.partial.json`: how many documents and bytes of it are whole, and of which run. The data is
on the disk before the journal counts it. So what the journal counts is there, whenever the process
or the power ends, and what follows it is cut off by the next run.
"""

import io
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TextIO

from ..corpora.report import Problem
from ..files import full_disk_names, make_folder, put_in_place, write_atomically
from ..resuming import ResumeError, difference, locked
from ..viz.sentences import ParsedSentence
from .messages import msg


@dataclass
class Written:
    """Counts of what is written.

    Attributes:
        documents: Documents.
        sentences: Their sentences.
        without_tree: Those of them that have no tree.
        left_out: Documents that are not written, since no parse keeps their constraints.
        notes: What could not be written as it stands; see `open_output`.
    """

    documents: int = 0
    sentences: int = 0
    without_tree: int = 0
    left_out: list[Problem] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)

    @property
    def done(self) -> int:
        """The number of documents that were parsed, written or left out."""
        return self.documents + len(self.left_out)

    def count(self, sentences: Sequence[ParsedSentence]) -> None:
        """Count a document with these sentences."""
        self.documents += 1
        self.sentences += len(sentences)
        self.without_tree += sum(sentence.tree is None for sentence in sentences)


@dataclass
class PartialOutput:
    """An output that another run may go on with.

    Attributes:
        text: Where to write.
        written: Counts of what has been written to it, by this run and those before.
        journal: The file that says how much is whole.
        run: The run, as `describe_run` has it.
        recorded: The documents that the journal counts, as `Written.done` does.
    """

    text: TextIO
    written: Written
    journal: Path
    run: Mapping[str, Any]
    recorded: int = 0

    def record(self) -> None:
        """Count all that has been written as whole.

        Raises OSError if it cannot be brought to the disk.
        """
        self.text.flush()
        os.fsync(self.text.fileno())
        size = os.fstat(self.text.fileno()).st_size
        record = {"bytes": size, "written": asdict(self.written), "run": self.run}
        write_atomically(self.journal, json.dumps(record, indent=2).encode())
        self.recorded = self.written.done


@contextmanager
def open_partial(output: Path, run: Mapping[str, Any], written: Written) -> Iterator[PartialOutput]:
    """Open an output where a run that was interrupted has ended, or at its beginning.

    The output is in its place when the block ends. If it ends in an error, what is recorded stays.

    Args:
        output: The file.
        run: The run, as `describe_run` has it.
        written: Is set to the counts of what has been written.

    Raises:
        ResumeError: What is there is of another run, damaged, or being written.
        OSError: It cannot be written.
    """
    target = output.resolve()
    make_folder(target.parent)
    path = target.with_name(f"{target.name}.partial")
    journal = path.with_name(f"{path.name}.json")
    partial = None
    try:
        with full_disk_names(path), locked(path) as file:
            size = _read_journal(path, journal, run, written)
            file.truncate(size)
            file.seek(size)
            with io.TextIOWrapper(file, encoding="utf8", newline="\n") as text:
                partial = PartialOutput(text, written, journal, run, written.done)
                if written.done:
                    msg.info(f"{path} has {written.done} documents: going on after them")
                else:
                    partial.record()  # a journal of an earlier run must not count these bytes
                yield partial
        put_in_place(path, output)
        journal.unlink()
    except BaseException:
        if partial is not None and partial.recorded:
            msg.info(f"{path} has {partial.recorded} documents: the same command goes on there")
        elif partial is not None:
            path.unlink(missing_ok=True)
            journal.unlink(missing_ok=True)
        raise


def _read_journal(path: Path, journal: Path, run: Mapping[str, Any], written: Written) -> int:
    """Set the counts to those of the journal. Returns the bytes that are whole."""
    there = path.stat().st_size
    if not there:
        return 0  # new, or in its place since the journal was written
    remedy = f"To begin again, remove {path.name} and {journal.name} in {path.parent}"
    try:
        record = json.loads(journal.read_bytes())
        size, counts = int(record["bytes"]), Written(**record["written"])
        counts.left_out = [Problem(**problem) for problem in record["written"]["left_out"]]
        differs = difference(record["run"], run) if counts.done else None
    except FileNotFoundError:
        raise ResumeError(f"{path} has no {journal.name} beside it. {remedy}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ResumeError(f"{journal} is damaged. {remedy}") from error
    if not counts.done:
        return 0
    if differs is not None:
        raise ResumeError(f"{path} is of another run: {differs}. {remedy}")
    if there < size:
        raise ResumeError(f"{path} is damaged: it has less than {size} bytes. {remedy}")
    written.documents, written.sentences = counts.documents, counts.sentences
    written.without_tree, written.left_out = counts.without_tree, counts.left_out
    written.notes.update(counts.notes)
    return size

"""Parsing in several processes, of which a lost one is an error.

`Language.pipe(n_process=…)` waits for ever for a worker that was killed, as a system does that is
out of memory.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.tokens.underscore import Underscore
from spacy.util import minibatch

from ..corpora.memory_zone import in_memory_zones, memory_zone, text_batches
from ..corpora.report import Problem, problem_at
from ..errors import ConstraintError, WorkerError
from ..processes import open_workers

# In a worker process, its pipeline and the Docs of the batch that were left out.
_worker: list[tuple[Language, list[Problem]]] = []


def pipe(
    nlp: Language,
    texts: Iterable[str | Doc],
    *,
    batch_size: int | None = None,
    n_process: int = 1,
    forget_words: bool = False,
    conflicts: list[Problem] | None = None,
) -> Iterator[Doc]:
    """Parse texts as `Language.pipe` does, in order.

    Args:
        nlp: The pipeline.
        texts: The texts, or their Docs.
        batch_size: Documents a batch. None: as the pipeline says. A batch of long texts is parsed
            in parts, see `text_batches`.
        n_process: The number of worker processes. 1: none, the work is done here.
        forget_words: Let the vocabulary forget the words of each batch, and give free memory back
            (see `in_memory_zones`), so that memory does not grow with the text. The Docs of a batch
            cannot be used once the next one is asked for. The texts must be read as they are asked
            for, and share no strings between batches.
        conflicts: Gets the Docs whose constraints no parse keeps, which are left out; the pipeline
            goes on to leave them out. The Docs must have places (see `problem_at`). None: a
            conflict is an error.

    Raises:
        WorkerError: A worker was killed, or crashed. The error names its documents.
        ConstraintError: No parse keeps the constraints of a Doc.
    """
    size = batch_size or nlp.batch_size
    if n_process > 1:
        batches = _parsed_by_workers(nlp, texts, size, n_process, conflicts)
    else:
        if conflicts is not None:
            _leave_out_conflicts(nlp, conflicts)
        batches = (_pipe_batch(nlp, batch, size) for batch in minibatch(texts, size))
    for docs in in_memory_zones(batches, nlp) if forget_words else batches:
        yield from docs


def _parsed_by_workers(
    nlp: Language,
    texts: Iterable[str | Doc],
    size: int,
    n_process: int,
    conflicts: list[Problem] | None,
) -> Iterator[Iterator[Doc]]:
    """The Docs of each batch, as worker processes have parsed them."""
    packed = (text.to_bytes() if isinstance(text, Doc) else text for text in texts)
    initargs = nlp, Underscore.get_state(), conflicts is not None
    try:
        with open_workers(n_process, initializer=_start_worker, initargs=initargs) as workers:
            parse = partial(_parse_batch, size=size)
            for parsed, left_out in workers.in_order(parse, minibatch(packed, size)):
                if conflicts is not None:
                    conflicts += left_out
                yield (Doc(nlp.vocab).from_bytes(data) for data in parsed)
    except WorkerError as error:
        first = (error.number - 1) * size + 1
        raise WorkerError(
            f"a worker process was killed or crashed: documents {first} to "
            f"{first + len(error.task) - 1} have no parse. If memory ran out, take a smaller "
            "--batch-size or --n-process"
        ) from error


def _pipe_batch(nlp: Language, batch: Iterable[str | Doc], size: int) -> Iterator[Doc]:
    """Parse a batch of at most ``size`` texts, in parts where they are long."""
    for part in text_batches(batch, size):
        yield from nlp.pipe(part, batch_size=len(part))


def _leave_out_conflicts(nlp: Language, conflicts: list[Problem]) -> None:
    """Let a pipeline leave out the Docs whose constraints no parse keeps, and list them."""

    def leave_out(name: str, component: object, docs: list[Doc], error: Exception) -> None:
        if not isinstance(error, ConstraintError):
            raise error
        conflicts.extend(problem_at(doc, "constraints", str(error)) for doc in docs)

    handler: Any = leave_out  # spaCy's type has no handler that returns
    nlp.set_error_handler(handler)


def _start_worker(
    nlp: Language, extensions: tuple[dict, dict, dict], leaves_out_conflicts: bool
) -> None:
    Underscore.load_state(extensions)
    _worker.append((nlp, []))
    if leaves_out_conflicts:
        _leave_out_conflicts(*_worker[0])


def _parse_batch(batch: list[str | bytes], size: int) -> tuple[list[bytes], list[Problem]]:
    nlp, conflicts = _worker[0]
    conflicts.clear()
    with memory_zone(nlp):
        docs = (Doc(nlp.vocab).from_bytes(doc) if isinstance(doc, bytes) else doc for doc in batch)
        return [doc.to_bytes() for doc in _pipe_batch(nlp, docs, size)], conflicts

"""Parsing in several processes, of which a lost one is an error.

`Language.pipe(n_process=…)` waits for ever for a worker that was killed, as a system does that is
out of memory.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import partial
from itertools import islice
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.tokens.underscore import Underscore
from spacy.util import minibatch

from ..corpora.report import Problem, problem_at
from ..corpora.word_zones import text_batches, word_zone
from ..errors import ConstraintError, WorkerError
from ..processes import give_back_memory, memory_used, results_in_order

GIVE_BACK_ABOVE = 1_000_000_000
"""Bytes of memory above which what is free goes back to the system after each batch. Asking for it
again takes a twelfth of the time of a fast parser."""
_pipelines: list[Language] = []  # that of a worker process


def pipe(
    nlp: Language,
    texts: Iterable[str | Doc],
    *,
    batch_size: int | None = None,
    n_process: int = 1,
    forget_words: bool = False,
    on_conflict: Callable[[Problem], object] | None = None,
) -> Iterator[Doc]:
    """Parse texts as `Language.pipe` does, in order.

    Args:
        nlp: The pipeline.
        texts: The texts, or their Docs.
        batch_size: Documents a batch. None: as the pipeline says. A batch of long texts is parsed
            in parts, see `text_batches`.
        n_process: The number of worker processes. 1: none, the work is done here.
        forget_words: Let the vocabulary forget the words of each batch, and give free memory back
            above `GIVE_BACK_ABOVE`, so that memory does not grow with the text. The Docs of a batch
            cannot be used once the next one is asked for. The texts must be read as they are asked
            for, and share no strings between batches.
        on_conflict: Called for each Doc whose constraints no parse keeps, before the parses of its
            batch are yielded. The Docs must have places (see `problem_at`). None: it is an error.

    Raises:
        WorkerError: A worker was killed, or crashed. The error names its documents.
        ConstraintError: No parse keeps the constraints of a Doc.
    """
    size = batch_size or nlp.batch_size
    if n_process == 1:
        yield from _pipe_here(nlp, texts, size, forget_words, on_conflict)
        return
    batches = minibatch(
        (text.to_bytes() if isinstance(text, Doc) else text for text in texts), size
    )
    try:
        for parsed, conflicts in results_in_order(
            partial(_parse_batch, size=size, skip_conflicts=on_conflict is not None),
            batches,
            n_process,
            initializer=_take_pipeline,
            initargs=(nlp, Underscore.get_state()),
        ):
            for conflict in conflicts:
                assert on_conflict is not None
                on_conflict(conflict)
            with word_zone(nlp) if forget_words else nullcontext():
                for data in parsed:
                    yield Doc(nlp.vocab).from_bytes(data)
    except WorkerError as error:
        first = (error.number - 1) * size + 1
        raise WorkerError(
            f"a worker process was killed or crashed; the first documents without a parse are "
            f"{first} to {first + len(error.task) - 1}. If memory ran out, take a smaller "
            "--batch-size or a smaller --n-process"
        ) from error


def _pipe_here(
    nlp: Language,
    texts: Iterable[str | Doc],
    size: int,
    forget_words: bool,
    on_conflict: Callable[[Problem], object] | None,
) -> Iterator[Doc]:
    """Each batch is read and parsed, in a memory zone of its own if its words are forgotten."""
    rest = iter(texts)
    is_last = False
    while not is_last:
        with word_zone(nlp) if forget_words else nullcontext():
            batch = list(islice(rest, size))
            is_last = len(batch) < size
            if on_conflict is None:
                yield from _pipe_batch(nlp, batch, size)
            else:
                docs, conflicts = _without_conflicts(nlp, batch, size)
                for conflict in conflicts:
                    on_conflict(conflict)
                yield from docs
        if forget_words and memory_used() > GIVE_BACK_ABOVE:
            give_back_memory()


def _without_conflicts(
    nlp: Language, batch: Iterable[str | Doc], size: int
) -> tuple[list[Doc], list[Problem]]:
    """The Docs of a batch with parses that keep their constraints, and what is wrong with the
    others."""
    conflicts: list[Problem] = []

    def leave_out(name: str, component: object, docs: list[Doc], error: Exception) -> None:
        if not isinstance(error, ConstraintError):
            raise error
        conflicts.extend(problem_at(doc, "constraints", str(error)) for doc in docs)

    handler: Any = leave_out  # spaCy's type has no handler that returns
    before = nlp.default_error_handler
    nlp.set_error_handler(handler)
    try:
        return list(_pipe_batch(nlp, batch, size)), conflicts
    finally:
        nlp.set_error_handler(before)


def _pipe_batch(nlp: Language, batch: Iterable[str | Doc], size: int) -> Iterator[Doc]:
    """Parse a batch of at most ``size`` texts, in parts where they are long."""
    for part in text_batches(batch, size):
        yield from nlp.pipe(part, batch_size=len(part))


def _take_pipeline(nlp: Language, extensions: tuple[dict, dict, dict]) -> None:
    Underscore.load_state(extensions)
    _pipelines.append(nlp)


def _parse_batch(
    batch: list[str | bytes], size: int, skip_conflicts: bool
) -> tuple[list[bytes], list[Problem]]:
    nlp = _pipelines[0]
    with word_zone(nlp):
        docs = (Doc(nlp.vocab).from_bytes(one) if isinstance(one, bytes) else one for one in batch)
        if skip_conflicts:
            parsed, conflicts = _without_conflicts(nlp, docs, size)
            return [doc.to_bytes() for doc in parsed], conflicts
        return [doc.to_bytes() for doc in _pipe_batch(nlp, docs, size)], []

"""``spacy-structparse.ParallelCorpus.v1``: two aligned text files as training Examples."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, zip_longest
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.training import Example

from .. import extensions  # noqa: F401 registers doc._.translation
from .text_lines import text_lines


def create_parallel_corpus_reader(
    source: Path | None,
    target: Path | None,
    *,
    target_lang: str | None = None,
    max_length: int = 0,
    limit: int = 0,
) -> Callable[[Language], Iterable[Example]]:
    """A reader of two text files; line i of ``target`` translates line i of ``source``.

    The translation is in ``example.reference._.translation``. Pairs with an empty side are left
    out, and counted in a warning.

    Args:
        source: The text to translate, UTF-8. The pipeline's tokenizer splits it.
        target: The translation, UTF-8.
        target_lang: Language code of the spaCy tokenizer that splits ``target``. ``null``: spaces
            separate its words.
        max_length: Maximum number of words on either side; longer pairs are left out. 0: no limit.
        limit: Maximum number of lines that are read. 0: no limit.

    Raises:
        ValueError: A file is not given, is no UTF-8 text or is longer than the other.
    """
    for setting, path in (("source", source), ("target", target)):
        if path is None:
            raise ValueError(
                f"[corpora] spacy-structparse.ParallelCorpus.v1: {setting} is null, where a text "
                "file should be"
            )
    return ParallelCorpus(
        Path(source),  # type: ignore[arg-type]
        Path(target),  # type: ignore[arg-type]
        target_lang=target_lang,
        max_length=max_length,
        limit=limit,
    )


class ParallelCorpus:
    """See :func:`create_parallel_corpus_reader`."""

    def __init__(
        self,
        source: Path,
        target: Path,
        *,
        target_lang: str | None,
        max_length: int,
        limit: int,
    ) -> None:
        self.source, self.target = source, target
        self.target_lang = target_lang
        self.max_length, self.limit = max_length, limit
        self._warned = False

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Yield the pairs as Examples."""
        split = spacy.blank(self.target_lang).tokenizer if self.target_lang else None
        n_empty = 0
        for source, target in self._lines():
            if not source or not target:
                n_empty += 1
                continue
            doc = nlp.make_doc(source)
            words = target.split()
            if split is not None:
                words = [token.text for token in split(target) if not token.is_space]
            if self.max_length and max(len(doc), len(words)) > self.max_length:
                continue
            reference = doc.copy()
            reference._.translation = " ".join(words)
            yield Example(doc, reference)
        if n_empty and not self._warned:  # a corpus is read many times
            self._warned = True
            warnings.warn(
                f"{n_empty} pairs of {self.source} and {self.target} were left out: one side is "
                "empty",
                stacklevel=2,
            )

    def _lines(self) -> Iterator[tuple[str, str]]:
        """The pairs of lines, stripped, up to the limit."""
        pairs = zip_longest(text_lines(self.source), text_lines(self.target))
        for number, (source, target) in enumerate(
            islice(pairs, self.limit) if self.limit else pairs, start=1
        ):
            if source is None or target is None:
                ended, other = (
                    (self.source, self.target) if source is None else (self.target, self.source)
                )
                raise ValueError(
                    f"{ended} ends before line {number}, which {other} has: line i of the one "
                    "must translate line i of the other"
                )
            yield source, target

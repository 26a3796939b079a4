"""``spacy-structparse.ParallelCorpus.v1``: two aligned text files as training Examples."""

import warnings
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path

from spacy.language import Language
from spacy.training import Example

from .. import extensions  # noqa: F401 registers doc._.translation
from ..removed_settings import removed_settings
from .text_lines import text_lines


@removed_settings("Separate the words by spaces.", target_lang=None)
@removed_settings("Set discard_oversize of the batcher.", max_length=0)
@removed_settings("Cut the files.", limit=0)
def create_parallel_corpus_reader(
    source: Path | None, target: Path | None
) -> Callable[[Language], Iterator[Example]]:
    """A reader of two text files; line i of ``target`` translates line i of ``source``.

    The translation is in ``example.reference._.translation``. Pairs with an empty side are left
    out, and counted in a warning.

    Args:
        source: The text to translate, UTF-8. The pipeline's tokenizer splits it.
        target: The translation, UTF-8. Spaces separate its words.

    Raises:
        ValueError: A file is not given, is no UTF-8 text or is longer than the other.
    """
    if source is None or target is None:
        raise ValueError(f"source is {source} and target {target}, where two text files should be")
    paths = Path(source), Path(target)
    warned = False

    def read(nlp: Language) -> Iterator[Example]:
        nonlocal warned
        n_empty = 0
        for line, translation in _pairs(*paths):
            if not line or not translation:
                n_empty += 1
                continue
            doc = nlp.make_doc(line)
            reference = doc.copy()
            reference._.translation = " ".join(translation.split())
            yield Example(doc, reference)
        if n_empty and not warned:  # a corpus is read many times
            warned = True
            warnings.warn(
                f"{n_empty} pairs of {paths[0]} and {paths[1]} were left out: one side is empty",
                stacklevel=2,
            )

    return read


def _pairs(source: Path, target: Path) -> Iterator[tuple[str, str]]:
    """The pairs of lines, stripped."""
    pairs = zip_longest(text_lines(source), text_lines(target))
    for number, (line, translation) in enumerate(pairs, start=1):
        if line is None or translation is None:
            ended, other = (source, target) if line is None else (target, source)
            raise ValueError(
                f"{ended} ends before line {number}, which {other} has: line i of the one must "
                "translate line i of the other"
            )
        yield line, translation

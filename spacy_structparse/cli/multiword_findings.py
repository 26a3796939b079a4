"""Multiword tokens of treebanks that the tokenizer of a pipeline does not split."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..corpora.docbins import read_docs
from ..extensions.multiword import MULTIWORD, surface_offsets, surface_text
from ..tokenization.mwt_splitter import MwtSplitter
from .parser_settings import GivenConfig

N_FORMS = 8


def multiword_warnings(config: GivenConfig, train: Path, dev: Path | None) -> list[str]:
    """What the tokenizer of a config file or of a pipeline's folder does not split.

    A splitter that a config names has learned nothing yet: it learns from the training data.
    """
    try:
        nlp = _read_tokenizer(config)
    except (ValueError, OSError, ImportError) as error:
        return [
            f"the multiword tokens were not looked at: {config.path} has no usable tokenizer: "
            f"{error}"
        ]
    splits = isinstance(nlp.tokenizer, MwtSplitter)
    if isinstance(nlp.tokenizer, MwtSplitter) and not config.is_saved:
        nlp.tokenizer.initialize(lambda: _examples(train, nlp), nlp=nlp)
    warnings = []
    for name, path in (("train", train), ("dev", dev)):
        if path is None:
            continue
        total, missed = _missed(read_docs(path, nlp.vocab), nlp.tokenizer)
        if missed:
            forms = ", ".join(f"{form} ({n})" for form, n in missed.most_common(N_FORMS))
            warnings.append(
                f"{name}: the tokenizer of {config.path} does not split {missed.total()} of "
                f"{total} multiword tokens as the data does: {forms}"
                + (", …" if len(missed) > N_FORMS else "")
                + ("" if splits else ". " + _REMEDY)
            )
    return warnings


_REMEDY = (
    "From text the parser will get other words than it is trained on: add the tokenizer "
    "spacy-structparse.mwt_splitter.v1"
)


def _read_tokenizer(config: GivenConfig) -> Language:
    """A pipeline without components that has the tokenizer."""
    given: dict[str, Any] = config.content.get("nlp", {})
    tokenizer = {"tokenizer": given["tokenizer"]} if given.get("tokenizer") else {}
    nlp = spacy.blank(given.get("lang") or "xx", config={"nlp": tokenizer})
    if config.is_saved:
        nlp.tokenizer.from_disk(config.path / "tokenizer", exclude=["vocab"])  # type: ignore[union-attr]
    return nlp


def _examples(train: Path, nlp: Language) -> Iterator[Example]:
    for doc in read_docs(train, nlp.vocab):
        yield Example(doc, doc)


def _missed(docs: Iterator[Doc], tokenizer: Callable[[str], Doc]) -> tuple[int, Counter[str]]:
    """The number of multiword tokens, and the forms of those whose words the tokenizer misses."""
    total = 0
    missed: Counter[str] = Counter()
    for gold in docs:
        spans = gold.spans.get(MULTIWORD, ())
        if not len(spans):
            continue
        total += len(spans)
        found = tokenizer(surface_text(gold))
        limits, gold_limits = surface_offsets(found), surface_offsets(gold)
        for span in spans:
            start, end = gold_limits[span.start]
            words = [
                token.text
                for token, (first, last) in zip(found, limits, strict=True)
                if start <= first and last <= end
            ]
            if words != [token.text for token in span]:
                missed[span.label_] += 1
    return total, missed

"""The old place and name of :class:`~spacy_structparse.pipeline.sentence_pipe.SentencePipe`."""

import warnings
from typing import Any

from .sentence_pipe import SentencePipe


def __getattr__(name: str) -> Any:
    if name != "SentenceParser":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(
        "spacy_structparse.pipeline.parser.SentenceParser is now "
        "spacy_structparse.pipeline.sentence_pipe.SentencePipe; the old name will be removed in "
        "the next release",
        DeprecationWarning,
        stacklevel=2,
    )
    return SentencePipe

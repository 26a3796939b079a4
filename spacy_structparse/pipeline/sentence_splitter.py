"""A component that cuts texts into sentences, where a pipeline has none."""

import warnings

from spacy.language import Language

from .sentence_starts import SeveralSentencesWarning

SENTENCE_SPLITTERS = ("sentencizer", "senter", "parser")


def set_sentence_splitter(nlp: Language, wanted: bool | None) -> None:
    """Cut texts into sentences by punctuation, or not; None: where no component of it does it."""
    if wanted is False:
        warnings.simplefilter("ignore", SeveralSentencesWarning)
    factories = [nlp.get_pipe_meta(name).factory for name in nlp.pipe_names]
    if wanted is None:
        wanted = not any(factory in SENTENCE_SPLITTERS for factory in factories)
    if wanted and "sentencizer" not in factories:
        nlp.add_pipe("sentencizer", first=True)


def cuts_before(nlp: Language, name: str) -> bool:
    """Whether a component of a pipeline before the named one cuts texts into sentences."""
    before = nlp.pipe_names[: nlp.pipe_names.index(name)] if name in nlp.pipe_names else []
    return any(nlp.get_pipe_meta(one).factory in SENTENCE_SPLITTERS for one in before)

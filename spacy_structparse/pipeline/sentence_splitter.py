"""A component that cuts texts into sentences, where a pipeline has none."""

from collections.abc import Iterable

from spacy.language import Language

SENTENCE_SPLITTERS = ("sentencizer", "senter", "parser")
_NEVER = "no token"
"""A sentence mark that no text has: a token of a text has no space within."""


def set_sentence_splitter(nlp: Language, wanted: bool | None) -> None:
    """Cut texts into sentences by punctuation, or not; None: where no component of it does it.

    Sentence starts that a Doc comes with are kept.
    """
    if wanted is False:
        # The components behind it keep the sentence starts that it sets, and it sets the first.
        nlp.add_pipe("sentencizer", "one_sentence", first=True, config={"punct_chars": [_NEVER]})
        return
    factories = _factories(nlp, nlp.pipe_names)
    if wanted is None:
        wanted = factories.isdisjoint(SENTENCE_SPLITTERS)
    if wanted and "sentencizer" not in factories:
        nlp.add_pipe("sentencizer", first=True)


def cuts_before(nlp: Language, name: str) -> bool:
    """Whether a component of a pipeline before the named one cuts texts into sentences."""
    before = nlp.pipe_names[: nlp.pipe_names.index(name)] if name in nlp.pipe_names else []
    return not _factories(nlp, before).isdisjoint(SENTENCE_SPLITTERS)


def _factories(nlp: Language, names: Iterable[str]) -> set[str]:
    return {nlp.get_pipe_meta(name).factory for name in names}

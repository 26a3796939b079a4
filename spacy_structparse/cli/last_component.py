"""The component of a pipeline whose annotation the Docs have in the end."""

from spacy.language import Language


def last_component(nlp: Language, annotation: str) -> str | None:
    """The name of the last component that assigns an annotation; None if none does."""
    names = [name for name in nlp.pipe_names if annotation in nlp.get_pipe_meta(name).assigns]
    return names[-1] if names else None

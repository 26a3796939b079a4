"""The warning of gold labels that a pipeline does not know: those of another label scheme."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..corpora.pipeline_outputs import TREES
from ..trees.span_group import SPANS_KEY, get_brackets
from .messages import Messages

N_EXAMPLES = 5
DEPENDENCIES, TAGS = "token.dep", "token.tag"


def warn_of_unknown_labels(msg: Messages, nlp: Language, gold: Sequence[Doc]) -> None:
    """Warn for each component that cannot find some gold labels because it never learned them.

    Args:
        msg: Prints the warnings.
        nlp: The pipeline. Its dependency parsers, taggers and parsers of trees are looked at.
        gold: The gold annotation.
    """
    for name, pipe in nlp.pipeline:
        known = set(getattr(pipe, "labels", ()))
        for layer in nlp.get_pipe_meta(name).assigns:
            if not known or layer not in _LABELS:
                continue
            labels = Counter(label for doc in gold for label in _LABELS[layer](doc, pipe))
            unknown = Counter({label: n for label, n in labels.items() if label not in known})
            if unknown:
                examples = ", ".join(label for label, _ in unknown.most_common(N_EXAMPLES))
                more = " …" if len(unknown) > N_EXAMPLES else ""
                msg.warn(
                    f"{name} does not know {unknown.total()} of {labels.total()} gold labels",
                    f"It can never find them: {examples}{more}",
                )


def _dependencies(doc: Doc, pipe: Any) -> list[str]:
    # Every root has its own label, whatever the parser calls it.
    return [token.dep_ for token in doc if token.dep_ and token.head.i != token.i]


def _tags(doc: Doc, pipe: Any) -> list[str]:
    return [token.tag_ for token in doc if token.tag_ and not token.is_space]


def _brackets(doc: Doc, pipe: Any) -> list[str]:
    brackets = get_brackets(doc, getattr(pipe, "spans_key", SPANS_KEY))
    return [bracket.label for bracket in brackets or ()]


_LABELS: dict[str, Callable[[Doc, Any], list[str]]] = {
    DEPENDENCIES: _dependencies,
    TAGS: _tags,
    TREES: _brackets,
}

"""``spacy-structparse.rates_by_component.v1``: tells the optimizer which pipeline is trained.

spaCy gives an optimizer the number and name of each parameter, and not its component. In a config:

    [training.before_update]
    @callbacks = "spacy-structparse.rates_by_component.v1"
"""

import weakref
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from spacy.language import Language

# A thread trains one pipeline at a time. The reference does not keep a pipeline in memory.
_TRAINED: ContextVar[weakref.ref[Language] | None] = ContextVar("trained pipeline", default=None)


def create_rates_by_component(
    callback: Callable[[Language, dict[str, Any]], None] | None = None,
) -> Callable[[Language, dict[str, Any]], None]:
    """A callback for ``[training] before_update`` that tells ``spacy-structparse.Adam.v1`` which
    component each weight belongs to. Its settings ``factors`` and ``layer_decay`` need it.

    Args:
        callback: Another such callback, called after. ``null``: none.
    """

    def before_update(nlp: Language, progress: dict[str, Any]) -> None:
        _TRAINED.set(weakref.ref(nlp))
        if callback is not None:
            callback(nlp, progress)

    return before_update


def trained_pipeline() -> Language | None:
    """The pipeline of the training loop of this thread; None if nothing named it."""
    reference = _TRAINED.get()
    return None if reference is None else reference()

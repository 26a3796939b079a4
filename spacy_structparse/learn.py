"""The setting ``learn`` of parts that learn only in ``initialize``, and not from updates.

``spacy train`` and ``nlp.initialize()`` initialize the tokenizer of every pipeline, of a trained
one too: its data may have a few sentences with entities alone.
"""

from typing import Literal

from spacy.util import logger

Learn = Literal["if_new", "always"]
"""When to learn: only if nothing has been learned, or at each initialization."""


def keeps_learned(learn: Learn, has_learned: bool, section: str, name: str) -> bool:
    """Return True if a part keeps what it has learned, and log that it does.

    Args:
        learn: The setting.
        has_learned: Whether the part has learned something.
        section: The section of the config in which `learn` is set.
        name: The part.
    """
    if learn == "always" or not has_learned:
        return False
    logger.info("%s keeps what it has learned; [%s] learn = 'always' replaces it", name, section)
    return True

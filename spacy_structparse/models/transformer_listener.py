"""``spacy-structparse.TransformerListener.v1``: spacy-transformers' listener, in concatenations."""

from collections.abc import Callable
from typing import Any

from spacy.tokens import Doc
from spacy_transformers.layers import TransformerListener, trfs2arrays
from thinc.api import Model, chain
from thinc.types import Floats2d, Ragged


def build_transformer_listener(
    pooling: Model[Ragged, Floats2d], grad_factor: float = 1.0, upstream: str = "*"
) -> Model[list[Doc], list[Floats2d]]:
    """A listener to a shared transformer, as ``spacy-transformers.TransformerListener.v1`` is, that
    can be a part of Thinc's ``concatenate.v1`` in any number of components.

    ``concatenate.v1`` adds up what its parts give back as gradients of the Docs. The listener of
    spacy-transformers gives a list of them in the last component, and None in all others.

    Args:
        pooling: What makes the vector of a token of those of its pieces.
        grad_factor: The gradient is multiplied by it.
        upstream: Name of the transformer's component. ``*``: the only one.
    """
    listener = ListeningPart(upstream_name=upstream)
    model: Model[list[Doc], list[Floats2d]] = chain(listener, trfs2arrays(pooling, grad_factor))
    model.set_ref("listener", listener)
    return model


class ListeningPart(TransformerListener):
    """A listener whose gradients of Docs are a list; see :func:`build_transformer_listener`."""

    def receive(self, batch_id: int, outputs: Any, backprop: Callable[[Any], Any]) -> None:
        """Take the vectors of a batch, and what takes their gradients."""

        def to_transformer(gradients: Any) -> list[Any]:
            backprop(gradients)
            return []  # a Doc has no gradient

        super().receive(batch_id, outputs, to_transformer)

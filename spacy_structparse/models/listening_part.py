"""The layers of ``spacy-structparse.TransformerListener.v1``; they need spacy-transformers."""

from collections.abc import Callable
from typing import Any

from spacy_transformers.layers import TransformerListener
from spacy_transformers.layers.trfs2arrays import forward
from thinc.api import Model
from thinc.types import Floats2d, Ragged


class ListeningPart(TransformerListener):
    """A listener whose gradients of Docs are a list, as Thinc's ``concatenate.v1`` needs."""

    def receive(self, batch_id: int, outputs: Any, backprop: Callable[[Any], Any]) -> None:
        """Take the vectors of a batch, and what takes their gradients."""

        def to_transformer(gradients: Any) -> list[Any]:
            backprop(gradients)
            return []  # a Doc has no gradient

        super().receive(batch_id, outputs, to_transformer)


def pooled_pieces(
    pooling: Model[Ragged, Floats2d], grad_factor: float
) -> Model[list[Any], list[Floats2d]]:
    """Vectors of tokens from those of their pieces, as spacy-transformers' ``trfs2arrays``.

    An empty Doc has an array of the width of the others, which ``concatenate.v1`` needs, too.
    """
    # The name is that in saved pipelines.
    return Model("trfs2arrays", _forward, layers=[pooling], attrs={"grad_factor": grad_factor})


def _forward(model: Model, of_docs: list[Any], is_train: bool) -> tuple[list[Floats2d], Callable]:
    arrays, backprop = forward(model, of_docs, is_train)
    width = max((array.shape[1] for array in arrays), default=0)
    return [array if len(array) else model.ops.alloc2f(0, width) for array in arrays], backprop

"""``spacy-structparse.TransformerListener.v1``: spacy-transformers' listener, in concatenations."""

from spacy.tokens import Doc
from thinc.api import Model, chain
from thinc.types import Floats2d, Ragged

from .transformer import without_transformers


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

    Raises:
        ImportError: spacy-transformers is not installed.
    """
    try:
        from .transformer_model import ListeningPart, pooled_pieces
    except ImportError as error:
        raise without_transformers("TransformerListener.v1") from error
    listener = ListeningPart(upstream_name=upstream)
    model: Model[list[Doc], list[Floats2d]] = chain(listener, pooled_pieces(pooling, grad_factor))
    model.set_ref("listener", listener)
    return model

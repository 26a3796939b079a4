"""``spacy-structparse.Tok2VecListener.v1``: spaCy's listener with a factor of its gradient."""

from collections.abc import Callable
from typing import Any

from spacy.pipeline.tok2vec import Tok2VecListener
from thinc.types import Floats2d

from .torch_model import Tok2Vec


def build_tok2vec_listener(width: int, upstream: str = "*", grad_factor: float = 1.0) -> Tok2Vec:
    """A listener to a shared ``tok2vec`` component, as ``spacy.Tok2VecListener.v1`` is, whose
    gradient is multiplied by a factor.

    The gradients of spaCy's components that choose a class for each token are sums over tokens,
    those of the parsers of this package are means. With equal factors the shared part may be
    trained mostly for the tags (not measured): give the taggers a smaller one.

    Args:
        width: Width of the shared ``tok2vec``.
        upstream: Name of the shared component. ``*``: the only one.
        grad_factor: The factor.

    Raises:
        ValueError: The factor is negative.
    """
    if grad_factor < 0:
        raise ValueError(f"Tok2VecListener: grad_factor is {grad_factor}, it must be at least 0")
    return ScaledListener(upstream, width, grad_factor)


class ScaledListener(Tok2VecListener):
    """A listener that scales its gradient; see :func:`build_tok2vec_listener`.

    Attributes:
        grad_factor: The factor.
    """

    def __init__(self, upstream_name: str, width: int, grad_factor: float) -> None:
        super().__init__(upstream_name, width)
        self.grad_factor = grad_factor

    def receive(self, batch_id: int, outputs: Any, backprop: Callable[[Any], Any]) -> None:
        """Take the vectors of a batch, and what takes their gradients."""

        def scaled(gradients: list[Floats2d]) -> Any:
            return backprop([self.grad_factor * gradient for gradient in gradients])

        super().receive(batch_id, outputs, scaled)

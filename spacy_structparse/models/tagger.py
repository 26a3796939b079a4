"""``spacy-structparse.Tagger.v1``: spaCy's model of taggers, with PyTorch in its last layer."""

from collections.abc import Callable
from typing import Any, cast

import torch
from spacy.ml.models import build_tagger_model
from spacy.tokens import Doc
from thinc.api import Model, NumpyOps
from thinc.layers.chain import forward as chain_forward
from thinc.layers.softmax import forward as softmax_forward
from thinc.types import Floats2d

from ..removed_settings import removed_settings
from .parser_model import check_heard
from .torch_model import Tok2Vec


@removed_settings("spacy.Tagger.v2 has it.", nO=None, normalize=False)
def build_tagger(tok2vec: Tok2Vec) -> Tok2Vec:
    """The model of ``spacy.Tagger.v2``, for components that choose a class for each token.
    PyTorch computes its scores on a CPU: a ``trainable_lemmatizer`` has thousands of classes.

    Either model reads the weights of the other.

    Args:
        tok2vec: The vectors of the tokens.
    """
    model: Tok2Vec = build_tagger_model(tok2vec)  # type: ignore[arg-type,assignment]
    model.get_ref("softmax")._func = _forward
    model._func = _checked
    return model


def _checked(model: Model, docs: list[Doc], is_train: bool) -> tuple[Any, Callable[[Any], Any]]:
    """Scores of the tokens of Docs, if what the model listens to has run."""
    if not is_train:
        check_heard(model, docs)
    return chain_forward(model, docs, is_train)


def _forward(
    model: Model[Floats2d, Floats2d], X: Floats2d, is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], Floats2d]]:
    """Scores of classes, (N, nO); probabilities in training."""
    if is_train or not isinstance(model.ops, NumpyOps):
        return softmax_forward(model, X, is_train)
    weight, bias = (torch.from_numpy(model.get_param(name)) for name in ("W", "b"))
    scores = torch.addmm(bias, torch.from_numpy(X), weight.t()).numpy()
    return cast(Floats2d, scores), _no_gradient


def _no_gradient(gradient: Floats2d) -> Floats2d:
    raise ValueError("Tagger: predictions have no gradient; call the model with is_train = True")

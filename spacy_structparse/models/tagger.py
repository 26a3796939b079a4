"""``spacy-structparse.Tagger.v1``: spaCy's model of taggers, with PyTorch in its last layer."""

from collections.abc import Callable
from functools import partial
from typing import cast

import torch
from spacy.tokens import Doc
from thinc.api import Model, NumpyOps, chain, with_array, zero_init
from thinc.layers.softmax import forward as softmax_forward
from thinc.layers.softmax import init as init_softmax
from thinc.types import Floats2d

from ..removed_settings import RELEASE, removed_settings


@removed_settings(RELEASE, "spacy.Tagger.v2 has it.", nO=None, normalize=False)
def build_tagger(
    tok2vec: Model[list[Doc], list[Floats2d]],
) -> Model[list[Doc], list[Floats2d]]:
    """The model of ``spacy.Tagger.v2``, for components that choose a class for each token.
    PyTorch computes its scores on a CPU: a ``trainable_lemmatizer`` has thousands of classes.

    Either model reads the weights of the other.

    Args:
        tok2vec: The vectors of the tokens.
    """
    width = tok2vec.get_dim("nO") if tok2vec.has_dim("nO") else None
    output: Model[Floats2d, Floats2d] = Model(
        "softmax",
        _forward,
        init=partial(init_softmax, zero_init, zero_init),
        dims={"nO": None, "nI": width},
        params={"W": None, "b": None},
        attrs={"softmax_normalize": False, "softmax_temperature": 1.0},
    )
    classes = cast(Model[list[Floats2d], list[Floats2d]], with_array(output))  # type: ignore[arg-type]
    model: Model[list[Doc], list[Floats2d]] = chain(tok2vec, classes)
    model.set_ref("tok2vec", tok2vec)
    for name in ("softmax", "output_layer"):  # where spaCy's components look for it
        model.set_ref(name, output)
    return model


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

"""A trained pipeline whose weights are stored in half precision."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.vectors import Vectors
from thinc.api import Model

from ..models.half_precision import HalfType
from ..models.trained_module import TrainedModule


def store_in_half_precision(nlp: Language, half: HalfType = "float16") -> int:
    """Make a pipeline store its PyTorch weights in half precision, when it is saved.

    The weights in memory stay as they are. Weights of Thinc's own layers are stored as before.

    Args:
        nlp: A trained pipeline. It is changed.
        half: The type that weights are stored in.

    Returns:
        How many PyTorch modules there are.
    """
    n = 0
    for node in _nodes(nlp):
        for shim in node.shims:
            if isinstance(shim, TrainedModule):
                shim.half = half
                n += 1
    return n


def round_thinc_weights(nlp: Language) -> None:
    """Round the weights of Thinc's own layers to the nearest numbers of half precision.

    They stay in single precision, which is how Thinc stores them. The lower bits are zeros then, so
    that a wheel or another archive stores them in two thirds of the space. Weights too large for
    half precision are left as they are.

    Args:
        nlp: A trained pipeline. It is changed.
    """
    for node in _nodes(nlp):
        for name in node.param_names:
            if node.has_param(name) and (rounded := _rounded(node.get_param(name))) is not None:
                node.set_param(name, rounded)


def round_vectors_to_half_precision(vectors: Vectors) -> bool:
    """Round word vectors to the nearest numbers of half precision.

    They stay in single precision, which all of spaCy reads. The lower bits are zeros then, so that
    a wheel or another archive stores the vectors in two thirds of the space.

    Args:
        vectors: The vectors of a pipeline. They are changed.

    Returns:
        Whether they were rounded. Vectors too large for half precision are left as they are.
    """
    rounded = _rounded(vectors.data)
    if rounded is None:
        return False
    vectors.data = rounded
    return True


def _nodes(nlp: Language) -> Iterator[Model]:
    for _, pipe in nlp.components:
        if isinstance(model := getattr(pipe, "model", None), Model):
            yield from model.walk()


def _rounded(array: Any) -> Any:
    """An array with the precision of float16 and its own type; None if it has no such numbers."""
    if array.dtype != "float32" or not array.size or abs(array).max() > np.finfo("float16").max:
        return None
    return array.astype("float16").astype("float32")

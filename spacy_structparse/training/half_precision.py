"""A trained pipeline whose weights are stored in half precision."""

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
    for _, pipe in nlp.components:
        if isinstance(model := getattr(pipe, "model", None), Model):
            for node in model.walk():
                for shim in node.shims:
                    if isinstance(shim, TrainedModule):
                        shim.half = half
                        n += 1
    return n


def round_vectors_to_half_precision(vectors: Vectors) -> bool:
    """Round word vectors to the nearest numbers of half precision.

    They stay in single precision, which all of spaCy reads. The lower bits are zeros then, so that
    a wheel or another archive stores the vectors in two thirds of the space.

    Args:
        vectors: The vectors of a pipeline. They are changed.

    Returns:
        Whether they were rounded. Vectors too large for half precision are left as they are.
    """
    largest = abs(vectors.data).max() if vectors.data.size else 0
    if not 0 < largest <= np.finfo(np.float16).max:
        return False
    vectors.data = vectors.data.astype("float16").astype(vectors.data.dtype)
    return True

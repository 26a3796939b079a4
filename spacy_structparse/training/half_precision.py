"""A trained pipeline whose weights are stored in half precision."""

from spacy.language import Language
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

"""The weights of trained pipelines: their mean, and their storage in half precision.

The mean is that of checkpoints of one training run, or of runs that went on from one another. It
can parse better than any of them ("Averaging Weights Leads to Wider Optima and Better
Generalization", Izmailov et al. 2018), at the cost of one.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from spacy.language import Language
from thinc.api import Model

from ..models.torch_model import TorchModule, as_array
from ..models.weights import HalfType, rounded_to_half


def average(pipelines: Iterable[tuple[str, Language]]) -> Language:
    """The first of some trained pipelines, with the means of all as its weights.

    pipelines: each with what errors call it. They are taken one by one, so that two are in memory
    at a time. Their components, labels, vocabularies and sizes must be the same. That they began
    with the same weights cannot be seen; the mean of training runs that did not is worth nothing.

    Raises ValueError for fewer than two, and for what differs.
    """
    n = 0
    for name, nlp in pipelines:
        n += 1
        if n == 1:
            first, called, weights = nlp, name, _weights_of(nlp)
            sums = {key: array.astype("float64") for key, array in weights.items()}
            continue
        if problem := _difference(first, nlp):
            raise ValueError(f"{called} and {name} have no mean: {problem}")
        for key, array in _weights_of(nlp).items():
            sums[key] += array
    if n < 2:
        raise ValueError("a mean needs at least two pipelines")
    for key, array in weights.items():
        array[...] = sums[key] / n
    first.meta["performance"] = {}  # that of another pipeline now
    for _, pipe in first.components:
        if hasattr(pipe, "weights_changed"):
            pipe.weights_changed()
    return first


def _nodes(nlp: Language) -> Iterator[tuple[str, Model]]:
    """The layers of all components with weights, those that a config disables too, each with the
    name of its component."""
    for name, pipe in nlp.components:
        if isinstance(model := getattr(pipe, "model", None), Model):
            yield from ((name, node) for node in model.walk())


def _weights_of(nlp: Language) -> dict[str, Any]:
    """The arrays of all components, to be read and to be written to."""
    weights = {}
    for i, (component, node) in enumerate(_nodes(nlp)):
        for name in node.param_names:
            if node.has_param(name):
                weights[f"{component} {i} {node.name}: {name}"] = node.get_param(name)
        for shim in node.shims:
            if isinstance(shim, TorchModule) and shim.is_built:
                for name, tensor in shim.module.state_dict().items():
                    if tensor.is_floating_point():
                        weights[f"{component} {i} {node.name}: {name}"] = as_array(tensor)
    return weights


def _difference(first: Language, other: Language) -> str | None:
    """The difference of two pipelines that makes the mean of their weights useless."""
    for (what, here), (_, there) in zip(_fixed_parts(first), _fixed_parts(other), strict=True):
        if here != there:
            parts = [key for key in here if here[key] != there.get(key)] or [*(there - here.keys())]
            return f"other {what} ({parts[0]})"
    return None


def _fixed_parts(nlp: Language) -> Iterator[tuple[str, dict[str, Any]]]:
    """The parts of a pipeline that must be the same in all, with their names in messages."""
    names, nodes = nlp.component_names, _nodes(nlp)
    yield "components", {name: nlp.get_pipe_meta(name).factory for name in names}
    yield "labels", {name: getattr(nlp.get_pipe(name), "labels", ()) for name in names}
    keyed = {f"{name}, {i} {node.name}": node for i, (name, node) in enumerate(nodes)}
    yield "architectures", dict.fromkeys(keyed)
    yield "vocabularies", {key: node.attrs.get("vocabulary") for key, node in keyed.items()}
    yield "settings", {key: list(map(_settings, node.shims)) for key, node in keyed.items()}
    yield "sizes of weights", {key: np.shape(array) for key, array in _weights_of(nlp).items()}


def _settings(shim: Any) -> Any:
    """The settings of a PyTorch module; of what others have made, all of it."""
    if isinstance(shim, TorchModule):
        return shim.is_built, shim.fixed_settings
    return shim.to_bytes()


def store_in_half_precision(nlp: Language, half: HalfType = "float16") -> bool:
    """Make a pipeline store its PyTorch weights in half precision, when it is saved. The weights in
    memory stay as they are.

    The weights of Thinc's own layers and word vectors are rounded to half precision, and stay in
    single precision, which is how Thinc and spaCy store them. The lower bits are zeros then, so
    that a wheel or another archive stores them in two thirds of the space. Those too large for half
    precision are left as they are.

    Args:
        nlp: A trained pipeline. It is changed.
        half: The type that weights are stored in.

    Returns:
        True if there are PyTorch weights.
    """
    has_modules = False
    for _, node in _nodes(nlp):
        for shim in node.shims:
            if isinstance(shim, TorchModule):
                shim.half, has_modules = half, True
        for name in node.param_names:
            if node.has_param(name):
                node.set_param(name, rounded_to_half(node.get_param(name)))
    nlp.vocab.vectors.data = rounded_to_half(nlp.vocab.vectors.data)
    return has_modules

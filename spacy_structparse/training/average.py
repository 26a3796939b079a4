"""The mean of the weights of checkpoints of one training run, or of runs that went on from one
another. It can parse better than any of them ("Averaging Weights Leads to Wider
Optima and Better Generalization", Izmailov et al. 2018), at the cost of one.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from spacy.language import Language
from thinc.api import Model

from ..models.torch_model import as_array
from ..models.trained_module import TrainedModule


class AverageError(ValueError):
    """Pipelines whose weights have no mean."""


def average(pipelines: Iterable[tuple[str, Language]]) -> Language:
    """The first of some trained pipelines, with the means of all as its weights.

    pipelines: each with what errors call it. They are taken one by one, so that two are in memory
    at a time. Their components, labels, vocabularies and sizes must be the same. That they began
    with the same weights cannot be seen; the mean of training runs that did not is worth nothing.

    Raises AverageError for fewer than two, and for what differs.
    """
    n = 0
    for name, nlp in pipelines:
        n += 1
        if n == 1:
            first, called, weights = nlp, name, _weights_of(nlp)
            sums = {key: array.astype("float64") for key, array in weights.items()}
            continue
        if problem := _difference(first, nlp):
            raise AverageError(f"{called} and {name} have no mean: {problem}")
        for key, array in _weights_of(nlp).items():
            sums[key] += array
    if n < 2:
        raise AverageError("a mean needs at least two pipelines")
    for key, array in weights.items():
        array[...] = sums[key] / n
    first.meta["performance"] = {}  # that of another pipeline now
    for _, pipe in first.components:
        if hasattr(pipe, "weights_changed"):
            pipe.weights_changed()
    return first


def _models(nlp: Language) -> Iterator[tuple[str, Model]]:
    """The components with weights, by name; those that a config disables too."""
    for name, pipe in nlp.components:
        if isinstance(model := getattr(pipe, "model", None), Model):
            yield name, model


def _weights_of(nlp: Language) -> dict[tuple[str, str], Any]:
    """The arrays of all components."""
    return {(name, key): array for name, model in _models(nlp) for key, array in _weights(model)}


def _weights(model: Model) -> Iterator[tuple[str, Any]]:
    """The arrays of a model, to be read and to be written to."""
    for i, node in enumerate(model.walk()):
        for name in node.param_names:
            if node.has_param(name):
                yield f"{i} {node.name}: {name}", node.get_param(name)
        for shim in _built(node):
            for name, tensor in shim.module.state_dict().items():
                if tensor.is_floating_point():
                    yield f"{i} {node.name}: {name}", as_array(tensor)


def _built(node: Model) -> list[TrainedModule]:
    """The PyTorch modules of a layer that have weights."""
    return [shim for shim in node.shims if isinstance(shim, TrainedModule) and shim.is_built]


def _difference(first: Language, other: Language) -> str | None:
    """The difference of two pipelines that makes the mean of their weights useless."""
    names, others = first.component_names, other.component_names
    if names != others:
        return f"the one has the components {', '.join(names)}, the other {', '.join(others)}"
    for name in names:
        if first.get_pipe_meta(name).factory != other.get_pipe_meta(name).factory:
            return f"component '{name}' is of another factory"
        labels = [getattr(nlp.get_pipe(name), "labels", ()) for nlp in (first, other)]
        if labels[0] != labels[1]:
            return f"component '{name}' has other labels"
    models = dict(_models(other))
    for name, model in _models(first):
        if problem := _different_models(model, models[name]):
            return f"component '{name}' {problem}"
    return None


def _different_models(first: Model, other: Model) -> str | None:
    nodes = [list(model.walk()) for model in (first, other)]
    if [node.name for node in nodes[0]] != [node.name for node in nodes[1]]:
        return "has another architecture"
    for a, b in zip(*nodes, strict=True):
        if a.attrs.get("vocabulary") != b.attrs.get("vocabulary"):
            return f"has another vocabulary ({a.name})"
        for one, two in zip(a.shims, b.shims, strict=True):
            if isinstance(one, TrainedModule):
                if (one.is_built, one.fixed_settings) != (two.is_built, two.fixed_settings):
                    return f"has other settings ({a.name})"
            elif one.to_bytes() != two.to_bytes():
                return f"has weights that only whoever made them can average ({a.name})"
    shapes = [{key: np.shape(array) for key, array in _weights(m)} for m in (first, other)]
    if shapes[0] != shapes[1]:
        key = next(key for key in shapes[0] if shapes[0][key] != shapes[1].get(key))
        return f"has weights of another size ({key})"
    return None

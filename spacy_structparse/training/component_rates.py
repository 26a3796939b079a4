"""Learning rates by component, and by layer of a transformer.

spaCy gives an optimizer the number and name of each parameter, and not its component. The callback
``spacy-structparse.rates_by_component.v1`` tells the optimizer which pipeline is trained:

    [training.before_update]
    @callbacks = "spacy-structparse.rates_by_component.v1"
"""

import re
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

from spacy.language import Language
from thinc.api import Model

# A thread trains one pipeline at a time. The reference does not keep a pipeline in memory.
_TRAINED: ContextVar[weakref.ref[Language] | None] = ContextVar("trained pipeline", default=None)


def create_rates_by_component(
    callback: Callable[[Language, dict[str, Any]], None] | None = None,
) -> Callable[[Language, dict[str, Any]], None]:
    """A callback for ``[training] before_update`` that tells ``spacy-structparse.Adam.v1`` which
    component each weight belongs to. Its settings ``factors`` and ``layer_decay`` need it.

    Args:
        callback: Another such callback, called after. ``null``: none.
    """

    def before_update(nlp: Language, progress: dict[str, Any]) -> None:
        _TRAINED.set(weakref.ref(nlp))
        if callback is not None:
            callback(nlp, progress)

    return before_update


def trained_pipeline() -> Language | None:
    """The pipeline of the training loop of this thread; None if nothing named it."""
    reference = _TRAINED.get()
    return None if reference is None else reference()


Key = tuple[int, str]
"""What thinc calls a parameter: the id of its node or shim, and its name there."""


def rate_factors(
    nlp: Language, factors: Mapping[str, float], layer_decay: float, default: float = 1.0
) -> dict[Key, float]:
    """The factor of every parameter of a pipeline.

    Args:
        nlp: The pipeline.
        factors: Factors by the names of components.
        layer_decay: Factor of each layer of a transformer against the layer above it.
        default: Factor of the components that are not named, and of what was added to a pretrained
            transformer.

    Raises:
        ValueError: ``factors`` names something else than a component with weights, or
            ``layer_decay`` has no transformer.
    """
    models = {
        name: model
        for name, pipe in nlp.components
        if isinstance(model := getattr(pipe, "model", None), Model)
    }
    _check_names(factors, models, nlp)
    table: dict[Key, float] = {}
    layered = False
    for name, model in models.items():
        factor = factors.get(name, default)
        for node in model.walk():
            for parameter in node.param_names:
                table.setdefault((node.id, parameter), factor)
            for shim in node.shims:
                module = shim._model
                layered |= _is_transformer(module)
                for parameter, above in _layers_above(module):
                    table.setdefault((shim.id, parameter), factor * layer_decay**above)
    if layer_decay != 1.0 and not layered:
        raise ValueError(
            f"[training.optimizer] layer_decay = {layer_decay} is for the layers of a transformer, "
            f"and no component of the pipeline has one ({', '.join(models)}): remove the setting"
        )
    return table


def _check_names(factors: Mapping[str, float], models: Mapping[str, Model], nlp: Language) -> None:
    unknown = [name for name in factors if name not in models]
    if not unknown:
        return
    reason = "has no weights" if unknown[0] in nlp.component_names else "is not in the pipeline"
    raise ValueError(
        f"[training.optimizer] factors: component '{unknown[0]}' {reason}; the components with "
        f"weights are {', '.join(models) or 'none'}"
    )


def _is_transformer(module: Any) -> bool:
    """Whether this is a Hugging Face transformer."""
    return hasattr(getattr(module, "config", None), "num_hidden_layers")


def _layers_above(module: Any) -> Iterator[tuple[str, int]]:
    """The parameters of a torch module, each with the number of a transformer's layers above it.

    A layer is an entry of the first list of modules in a parameter's name
    (``encoder.layer.3.output.dense.weight``). Embeddings stand before the layers and are below
    all; a pooler or a last norm stands after them and is above all. Other modules are one layer.
    """
    if not hasattr(module, "named_parameters"):  # not built yet, or not torch's
        return
    names = [name for name, _ in module.named_parameters()]
    numbers = {
        name: int(found[1]) for name in names if (found := re.search(r"\.(\d+)\.", f".{name}"))
    }
    if not _is_transformer(module) or not numbers:
        yield from ((name, 0) for name in names)
        return
    top, in_layers = max(numbers.values()), False
    for name in names:
        in_layers |= name in numbers
        yield name, top - numbers.get(name, top if in_layers else -1)

"""Optimizers: Adam with a learning rate for each component and layer, and AdaDelta (Zeiler 2012),
the phrasal language model's.

spaCy gives an optimizer the number and name of each parameter, and not its component. The callback
``spacy-structparse.rates_by_component.v1`` tells the optimizer which pipeline is trained:

    [training.before_update]
    @callbacks = "spacy-structparse.rates_by_component.v1"
"""

import math
import re
import weakref
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from spacy.language import Language
from spacy.util import SimpleFrozenDict
from thinc.api import Model, Optimizer
from thinc.backends import get_array_ops
from thinc.types import Generator

from ..removed_settings import removed_settings

Rate = float | list[float] | Generator
Key = tuple[int, str]
"""The name that thinc has for a parameter: the id of its node or shim, and its name there."""

# A thread trains one pipeline at a time. The reference does not keep a pipeline in memory.
_TRAINED: ContextVar[weakref.ref[Language] | None] = ContextVar("trained pipeline", default=None)


@removed_settings("Register a callback that calls both.", callback=None)
def create_rates_by_component() -> Callable[[Language, dict[str, Any]], None]:
    """A callback for ``[training] before_update`` that tells ``spacy-structparse.Adam.v1`` which
    component each weight belongs to. Its settings ``factors`` and ``layer_decay`` need it."""

    def before_update(nlp: Language, progress: dict[str, Any]) -> None:
        _TRAINED.set(weakref.ref(nlp))

    return before_update


def component_places(nlp: Language) -> dict[Key, tuple[str, int]]:
    """Find the component of each parameter of a pipeline, and the number of layers of a transformer
    above it. What is shared belongs to the component that comes first."""
    places: dict[Key, tuple[str, int]] = {}
    for name, model in _models(nlp).items():
        for node in model.walk():
            for parameter in node.param_names:
                places.setdefault((node.id, parameter), (name, 0))
            for shim in node.shims:
                for parameter, above in _layers_above(shim._model):
                    places.setdefault((shim.id, parameter), (name, above))
    return places


def _models(nlp: Language) -> dict[str, Model]:
    models = {name: getattr(pipe, "model", None) for name, pipe in nlp.components}
    return {name: model for name, model in models.items() if isinstance(model, Model)}


def _layers_above(module: Any) -> Iterator[tuple[str, int]]:
    """Yield the parameters of a torch module, each with the number of a transformer's layers above
    it.

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
    if not hasattr(getattr(module, "config", None), "num_hidden_layers") or not numbers:
        yield from ((name, 0) for name in names)
        return
    top, in_layers = max(numbers.values()), False
    for name in names:
        in_layers |= name in numbers
        yield name, top - numbers.get(name, top if in_layers else -1)


@removed_settings("thinc's Adam.v1 has it.", beta1=0.9, eps=1e-8, L2_is_weight_decay=True)
class Adam(Optimizer):
    """Adam (Kingma and Ba 2015) with a learning rate for each component and each layer of a
    transformer. Without ``factors``, ``layer_decay`` and ``L2`` it is thinc's ``Adam.v1``.

    ``factors``, ``layer_decay`` and ``initial_share`` need the callback
    ``spacy-structparse.rates_by_component.v1`` in ``[training] before_update``.

    Args:
        learn_rate: Learning rate, or its schedule.
        factors: Factors of the learning rate by the names of components, all above 0. Components
            that are not named have 1. Weights that components share through a listener have the
            factor of the ``transformer`` or ``tok2vec`` component.
        layer_decay: Factor of the learning rate of each layer of a transformer against the layer
            above it, above 0 and at most 1. The embeddings are below all layers.
        L2: Decoupled weight decay (Loshchilov and Hutter 2019). Biases, norms and other parameters
            of one dimension have none.
        beta2: Decay of the mean square of gradients, per update.
        grad_clip: Maximum norm of the gradient of one parameter. 0: no limit.
        use_averages: Keep the averages of the weights, which spaCy evaluates and saves.
        initial_share: Share of the weights before training in these averages, at least 0 and below
            1, by the names of components; 0 of those that are not named. A fine-tuned component
            so stays good at what it was trained on ("Robust fine-tuning of zero-shot models",
            Wortsman et al. 2022). It needs ``use_averages``.
    """

    def __init__(
        self,
        learn_rate: Rate = 0.001,
        *,
        factors: dict[str, float] = SimpleFrozenDict(),  # noqa: B008
        layer_decay: float = 1.0,
        L2: Rate = 0.0,
        beta2: Rate = 0.999,
        grad_clip: Rate = 1.0,
        use_averages: bool = True,
        initial_share: dict[str, float] = SimpleFrozenDict(),  # noqa: B008
    ) -> None:
        super().__init__(
            learn_rate, L2=L2, beta2=beta2, grad_clip=grad_clip, use_averages=use_averages
        )
        for name, factor in factors.items():
            if not 0.0 < factor < math.inf:
                needed = "above 0. To train nothing of it, name it in frozen_components"
                raise _wrong(f"factors of '{name}' is {factor}, it must be {needed}")
        if not 0.0 < layer_decay <= 1.0:
            raise _wrong(f"layer_decay is {layer_decay}, it must be above 0 and at most 1")
        for name, share in initial_share.items():
            if not 0.0 <= share < 1.0 or not use_averages:
                needed = "at least 0 and below 1, with use_averages = true"
                raise _wrong(f"initial_share of '{name}' is {share}, it must be {needed}")
        self.factors = dict(factors)
        self.layer_decay = layer_decay
        self.initial_share = dict(initial_share)
        self._places: dict[Key, tuple[str, int]] = {}
        self._initial: dict[Key, Any] = {}
        self._pipeline: weakref.ref[Language] | None = None

    def set_pipeline(self, nlp: Language) -> None:
        """Say which pipeline is trained, in a training loop of one's own (``spacy train`` has the
        callback).

        Raises:
            ValueError: ``factors``, ``layer_decay`` or ``initial_share`` do not fit the pipeline.
        """
        self._pipeline = weakref.ref(nlp)
        self._find_places(nlp)

    def _find_places(self, nlp: Language) -> None:
        models = _models(nlp)
        with_weights = ", ".join(models) or "none"
        for name in (*self.factors, *self.initial_share):
            if name not in models:
                is_there = name in nlp.component_names
                problem = "has no weights" if is_there else "is not in the pipeline"
                raise _wrong(f"'{name}' {problem}; the components with weights are {with_weights}")
        self._places |= component_places(nlp)
        if self.layer_decay != 1.0 and not any(above for _, above in self._places.values()):
            problem = f"and no component has one ({with_weights}): remove the setting"
            raise _wrong(f"layer_decay = {self.layer_decay} is for a transformer, {problem}")

    def __call__(
        self, key: Key, weights: Any, gradient: Any, *, lr_scale: float = 1.0
    ) -> tuple[Any, Any]:
        """Update one parameter in place. Returns it and its gradient, set to zero."""
        component, above = self._place(key)
        factor = self.factors.get(component, 1.0) * self.layer_decay**above
        share = self.initial_share.get(component, 0.0)
        if share and key not in self._initial:
            self._initial[key] = weights.copy()
            if self.averages is not None:  # thinc's begin at zero: the first would be too small
                self.averages[key] = weights.copy()
        L2 = self.L2
        # Biases have no weight decay. Those of Thinc's maxout have two dimensions.
        if weights.ndim < 2 or key[1].rpartition(".")[2] in ("b", "bias"):
            self.L2 = 0.0
        try:
            weights, gradient = super().__call__(key, weights, gradient, lr_scale=lr_scale * factor)
        finally:
            self.L2 = L2
        averages = self.averages
        if share and averages is not None and key in averages:
            # What thinc's running average takes of the weights now, it takes in part of the first.
            n = self.nr_update[key]
            newest = 1 - min((1 + n) / (10 + n), 0.9999)
            averages[key] += share * newest * (self._initial[key] - weights)
        return weights, gradient

    def _place(self, key: Key) -> tuple[str, int]:
        """Return the component of a parameter and the layers above it, where they matter."""
        if not self.factors and not self.initial_share and self.layer_decay == 1.0:
            return "", 0
        if key in self._places:
            return self._places[key]
        reference = self._pipeline or _TRAINED.get()
        nlp = None if reference is None else reference()
        if nlp is None:
            raise _wrong(
                "the pipeline is not known: call optimizer.set_pipeline(nlp), or set @callbacks of "
                "[training.before_update] to spacy-structparse.rates_by_component.v1"
            )
        self._find_places(nlp)  # its parameters may be new
        if key not in self._places:
            names = ", ".join(nlp.component_names)
            raise _wrong(f"'{key[1]}' belongs to no component of the pipeline trained ({names})")
        return self._places[key]


def _wrong(problem: str) -> ValueError:
    return ValueError(f"[training.optimizer] {problem}")


@removed_settings(
    "Zeiler's rule has none.", learn_rate=1.0, L2=0.0, grad_clip=0.0, use_averages=False
)
@removed_settings("Leave it out: both papers have it so.", rho=0.95, eps=1e-6)
class AdaDelta(Optimizer):
    """AdaDelta (Zeiler 2012): the size of a step follows that of the last steps, relative to the
    gradients, so that no learning rate is tuned. The mean squares decay by 0.95 an update.
    """

    def __init__(self) -> None:
        super().__init__(1.0, beta1=0.0, beta2=0.95, eps=1e-6, grad_clip=0.0, use_averages=False)

    def __call__(
        self, key: Key, weights: Any, gradient: Any, *, lr_scale: float = 1.0
    ) -> tuple[Any, Any]:
        """Update one parameter in place. Returns it and its gradient, set to zero."""
        ops = get_array_ops(weights)
        if key not in self.mom1:
            self.mom1[key] = ops.alloc(weights.shape, dtype=weights.dtype)
            self.mom2[key] = ops.alloc(weights.shape, dtype=weights.dtype)
        of_gradients, of_steps = self.mom1[key], self.mom2[key]
        of_gradients *= self.b2
        of_gradients += (1 - self.b2) * gradient**2
        step = gradient * ((of_steps + self.eps) / (of_gradients + self.eps)) ** 0.5
        of_steps *= self.b2
        of_steps += (1 - self.b2) * step**2
        weights -= lr_scale * step
        gradient[:] = 0
        self.nr_update[key] += 1
        return weights, gradient

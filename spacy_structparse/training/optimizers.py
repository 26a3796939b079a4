"""Optimizers: Adam with a learning rate for each component and layer, and AdaDelta (Zeiler 2012),
the phrasal language model's."""

import math
import weakref
from typing import Any

from spacy.language import Language
from spacy.util import SimpleFrozenDict
from thinc.api import Optimizer
from thinc.backends import get_array_ops
from thinc.types import Generator

from .component_rates import Key, rate_factors, trained_pipeline

Rate = float | list[float] | Generator


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
        L2: Weight decay. Biases, norms and other parameters of one dimension have none.
        beta1: Decay of the mean of gradients, per update.
        beta2: Decay of the mean square of gradients, per update.
        eps: Added to the root of the mean square.
        grad_clip: Maximum norm of the gradient of one parameter. 0: no limit.
        L2_is_weight_decay: Take ``L2`` off the weights, in proportion to the learning rate
            ("Decoupled Weight Decay Regularization", Loshchilov and Hutter 2019). ``false``: add
            it to the gradient.
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
        beta1: Rate = 0.9,
        beta2: Rate = 0.999,
        eps: Rate = 1e-8,
        grad_clip: Rate = 1.0,
        L2_is_weight_decay: bool = True,
        use_averages: bool = True,
        initial_share: dict[str, float] = SimpleFrozenDict(),  # noqa: B008
    ) -> None:
        super().__init__(
            learn_rate,
            L2=L2,
            beta1=beta1,
            beta2=beta2,
            eps=eps,
            grad_clip=grad_clip,
            L2_is_weight_decay=L2_is_weight_decay,
            use_averages=use_averages,
        )
        for name, factor in factors.items():
            if not 0.0 < factor < math.inf:
                raise ValueError(
                    f"[training.optimizer] factors: the factor of '{name}' is {factor}; it must be "
                    "above 0. For a component that learns nothing, name it in "
                    "[training] frozen_components"
                )
        if not 0.0 < layer_decay <= 1.0:
            raise ValueError(
                f"[training.optimizer] layer_decay is {layer_decay}; it must be above 0 and at "
                "most 1"
            )
        for name, share in initial_share.items():
            if not 0.0 <= share < 1.0 or not use_averages:
                raise ValueError(
                    f"[training.optimizer] initial_share of '{name}' is {share}: it must be at "
                    "least 0 and below 1, with use_averages = true"
                )
        self.factors = dict(factors)
        self.layer_decay = layer_decay
        self.initial_share = dict(initial_share)
        self._table: dict[Key, float] = {}
        self._shares: dict[Key, float] = {}
        self._initial: dict[Key, Any] = {}
        self._pipeline: weakref.ref[Language] | None = None

    def set_pipeline(self, nlp: Language) -> None:
        """Say which pipeline is trained, in a training loop of one's own (``spacy train`` has the
        callback).

        Raises:
            ValueError: ``factors``, ``layer_decay`` or ``initial_share`` do not fit the pipeline.
        """
        self._pipeline = weakref.ref(nlp)
        self._table, self._shares = self._tables(nlp)

    def __call__(
        self, key: Key, weights: Any, gradient: Any, *, lr_scale: float = 1.0
    ) -> tuple[Any, Any]:
        """Update one parameter in place. Returns it and its gradient, set to zero."""
        factor = self._factor_of(key)
        share = self._shares.get(key, 0.0)
        L2, averages = self.L2, self.averages
        if not _decays(key, weights):
            self.L2 = 0.0
        if share:
            self.averages = None
            if key not in self._initial:
                self._initial[key] = weights.copy()
        try:
            weights, gradient = super().__call__(key, weights, gradient, lr_scale=lr_scale * factor)
        finally:
            self.L2, self.averages = L2, averages
        if share:
            self._average_with_initial(key, weights, share)
        return weights, gradient

    def _average_with_initial(self, key: Key, weights: Any, share: float) -> None:
        """Average a parameter with its value before training.

        The running average of mixed weights is the mix of the running average.
        """
        assert self.averages is not None
        ops = get_array_ops(weights)
        if key not in self.averages:
            self.averages[key] = ops.alloc(weights.shape, dtype="float32")
        mixed = weights + share * (self._initial[key] - weights)
        ops.update_averages(self.averages[key], mixed, self.nr_update[key])

    def _factor_of(self, key: Key) -> float:
        if not self.factors and not self.initial_share and self.layer_decay == 1.0:
            return 1.0
        if key not in self._table:
            self._look_up(key)
        return self._table[key]

    def _look_up(self, key: Key) -> None:
        """Number the parameters of the pipeline that is trained: they may be new."""
        nlp = trained_pipeline() if self._pipeline is None else self._pipeline()
        if nlp is None:
            raise ValueError(
                "[training.optimizer] factors, layer_decay and initial_share of "
                "spacy-structparse.Adam.v1 need to know the pipeline: add to the config\n\n"
                "[training.before_update]\n"
                '@callbacks = "spacy-structparse.rates_by_component.v1"\n\n'
                "or call optimizer.set_pipeline(nlp) in a training loop of your own"
            )
        factors, shares = self._tables(nlp)
        self._table |= factors
        self._shares |= shares
        if key not in self._table:
            raise ValueError(
                f"[training.optimizer] the parameter '{key[1]}' belongs to no component of the "
                f"pipeline that is trained ({', '.join(nlp.component_names)}): train one pipeline "
                "with an optimizer"
            )

    def _tables(self, nlp: Language) -> tuple[dict[Key, float], dict[Key, float]]:
        """The factor of every parameter, and its share of the weights before training."""
        return (
            rate_factors(nlp, self.factors, self.layer_decay),
            rate_factors(nlp, self.initial_share, 1.0, default=0.0),
        )


def _decays(key: Key, weights: Any) -> bool:
    """Whether a parameter has weight decay. Thinc's maxout has biases of two dimensions."""
    return weights.ndim > 1 and key[1].rpartition(".")[2] not in ("b", "bias")


class AdaDelta(Optimizer):
    """AdaDelta (Zeiler 2012): the size of a step follows that of the last steps, relative to the
    gradients, so that no learning rate is tuned.

    Args:
        rho: Decay of the mean squares of gradients and steps, per update.
        eps: Added to both mean squares.
        learn_rate: Factor of every step; Zeiler has 1.
        L2: Factor of the weights that is added to their gradient.
        grad_clip: Maximum norm of the gradient of one parameter. 0: no limit.
        use_averages: Keep the averages of the weights, which spaCy evaluates and saves.
    """

    def __init__(
        self,
        rho: float = 0.95,
        eps: float = 1e-6,
        learn_rate: float = 1.0,
        L2: float = 0.0,
        grad_clip: float = 0.0,
        use_averages: bool = False,
    ) -> None:
        super().__init__(
            learn_rate,
            L2=L2,
            beta1=0.0,
            beta2=rho,
            eps=eps,
            grad_clip=grad_clip,
            use_averages=use_averages,
        )

    def __call__(
        self,
        key: tuple[int, str],
        weights: Any,
        gradient: Any,
        *,
        lr_scale: float = 1.0,
    ) -> tuple[Any, Any]:
        """Update one parameter in place. Returns it and its gradient, set to zero."""
        if not gradient.size:
            return weights, gradient
        ops = get_array_ops(weights)
        if key not in self.mom1:
            self.mom1[key] = ops.alloc(weights.shape, dtype=weights.dtype)
            self.mom2[key] = ops.alloc(weights.shape, dtype=weights.dtype)
        if self.L2:
            gradient = gradient + self.L2 * weights
        if self.grad_clip:
            gradient = ops.clip_gradient(gradient, self.grad_clip)
        of_gradients, of_steps = self.mom1[key], self.mom2[key]
        of_gradients *= self.b2
        of_gradients += (1 - self.b2) * gradient**2
        step = gradient * ((of_steps + self.eps) / (of_gradients + self.eps)) ** 0.5
        of_steps *= self.b2
        of_steps += (1 - self.b2) * step**2
        weights -= lr_scale * self.learn_rate * step
        gradient[:] = 0
        self.nr_update[key] += 1
        if self.averages is not None:
            if key not in self.averages:
                self.averages[key] = ops.alloc(weights.shape, dtype="float32")
            ops.update_averages(self.averages[key], weights, self.nr_update[key])
        return weights, gradient

"""``spacy-structparse.AdaDelta.v1``: AdaDelta (Zeiler 2012), the phrasal language model's."""

from typing import Any

from thinc.api import Optimizer
from thinc.backends import get_array_ops


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

"""A bounded cache of the vectors that a pretrained transformer computes for texts."""

import threading
import weakref
from collections.abc import Callable
from typing import Any, Self

import torch
from torch import Tensor, nn
from transformers.modeling_outputs import BaseModelOutput

from ..nn.kernels.snapshot import Snapshot

Inputs = dict[str, Tensor]


class OutputCache:
    """Vectors by the pieces of a text, in the memory of the host. The least recently used go first.

    They are those of one transformer with the weights that it has: as soon as it has others, the
    cache is emptied. Copies and pickles are empty. Several threads may read with one cache.

    Args:
        max_mb: The most memory of the vectors and their pieces, in MB (10^6 bytes). With 0 nothing
            is kept.
    """

    def __init__(self, max_mb: int) -> None:
        self.max_mb = max_mb
        self._transformer: Callable[[], nn.Module | None] = lambda: None
        self._weights = Snapshot([])
        self._rows: dict[bytes, Tensor] = {}
        self._n_bytes = 0
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[Self], tuple[int]]:
        return type(self), (self.max_mb,)

    def __len__(self) -> int:
        """The number of texts."""
        return len(self._rows)

    @property
    def n_bytes(self) -> int:
        """The memory of the vectors and their pieces, in bytes."""
        return self._n_bytes

    def read(
        self, transformer: nn.Module, inputs: Inputs, predict: Callable[[Inputs], Any]
    ) -> BaseModelOutput:
        """Read a batch of texts, of which only those that are not in the cache are computed.

        The vectors of a text are those of the batch in which it was computed. Computed in another
        batch they differ by rounding.

        Args:
            transformer: It computes the vectors.
            inputs: (B, L) tensors: ``attention_mask``, ``input_ids``, and others like it.
            predict: Runs the transformer on such inputs.

        Returns:
            An output whose ``last_hidden_state`` is the (B, L, width) vectors, on the device of the
            inputs. They are 0 at padding.
        """
        self._renew(transformer)
        used = inputs["attention_mask"].cpu() > 0
        pieces = torch.stack([x for name, x in inputs.items() if name != "attention_mask"], 2).cpu()
        keys = [row[own].numpy().tobytes() for row, own in zip(pieces, used, strict=True)]
        found = {key: vectors for key in keys if (vectors := self._get(key)) is not None}
        new = {key: i for i, key in enumerate(keys) if key not in found}
        device = inputs["input_ids"].device
        if new:
            rows = torch.tensor(list(new.values()))
            own = used[rows]
            columns = own.any(0).nonzero()[:, 0]
            at = rows.to(device)[:, None], columns.to(device)
            computed = predict({name: x[at] for name, x in inputs.items()}).last_hidden_state.cpu()
            for key, vectors, pieces_of in zip(new, computed, own[:, columns], strict=True):
                found[key] = vectors[pieces_of]
                self._put(key, found[key])
        first = found[keys[0]]
        output = first.new_zeros(*used.shape, first.shape[1])
        for i, key in enumerate(keys):
            output[i, used[i]] = found[key]
        return BaseModelOutput(last_hidden_state=output.to(device))  # type: ignore[arg-type]

    def _renew(self, transformer: nn.Module) -> None:
        """Forget what another transformer, or other weights, computed."""
        weights = [*transformer.parameters(), *transformer.buffers()]
        with self._lock:
            if self._transformer() is transformer and self._weights.holds(weights):
                return
            self._transformer, self._weights = weakref.ref(transformer), Snapshot(weights)
            self._rows, self._n_bytes = {}, 0

    def _get(self, key: bytes) -> Tensor | None:
        with self._lock:
            vectors = self._rows.pop(key, None)
            if vectors is not None:
                self._rows[key] = vectors  # the last one was used last
            return vectors

    def _put(self, key: bytes, vectors: Tensor) -> None:
        with self._lock:
            most = self.max_mb * 1_000_000
            if key in self._rows or _size(key, vectors) > most:
                return
            self._rows[key] = vectors
            self._n_bytes += _size(key, vectors)
            while self._n_bytes > most:
                oldest = next(iter(self._rows))
                self._n_bytes -= _size(oldest, self._rows.pop(oldest))


def _size(key: bytes, vectors: Tensor) -> int:
    return len(key) + vectors.nbytes

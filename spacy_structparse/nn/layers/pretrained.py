"""A pretrained transformer as the encoder of a parser: texts of about one length together."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import pad
from transformers.modeling_outputs import BaseModelOutput

from ..fast.device import is_rounded
from ..fast.linear import packed_function
from ..fast.weight_cache import cached, can_cache

# The longest row of a group is at most SPREAD times as long as its shortest, unless the group has
# fewer than MIN_CELLS cells: products of small matrices are slow.
SPREAD, MIN_CELLS = 1.15, 256
# In bfloat16 PyTorch compiles kernels of attention for each length and keeps all of them: over a
# large corpus they take more memory than the model.
STEP = 8


def length_buckets(lengths: np.ndarray) -> Iterator[np.ndarray]:
    """Group the rows of a batch.

    Args:
        lengths: (B,) the length of each row.

    Yields:
        The numbers of a group's rows, longest first. Every row is in one group.
    """
    order = np.argsort(-lengths, kind="stable")
    first = 0
    while first < len(order):
        longest = int(lengths[order[first]])
        last = first + 1
        while last < len(order):
            shorter = longest > SPREAD * lengths[order[last]]
            if shorter and (last - first) * longest >= MIN_CELLS:
                break
            last += 1
        yield order[first:last]
        first = last


def rounded_length(length: int, most: int) -> int:
    """Round the length of a group up, so that there are few lengths.

    Args:
        length: The longest row's.
        most: The most that the model can read.

    Returns:
        The next multiple of `STEP`, or ``length`` where that is more than ``most``.
    """
    rounded = -(-length // STEP) * STEP
    return rounded if rounded <= most else length


class PackedLinear(nn.Module):
    """A linear map in bfloat16, without gradients.

    Args:
        layer: The map. Its weights are shared: some transformers ask for their type.
    """

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.weight = _shared(layer.weight)
        bias = None if layer.bias is None else layer.bias.bfloat16()
        self.linear = packed_function(layer.weight.bfloat16(), bias)

    def forward(self, x: Tensor) -> Tensor:
        """Map vectors: (..., out). x: (..., in)."""
        rows = x.to(torch.bfloat16).reshape(-1, x.shape[-1])
        return self.linear(rows).view(*x.shape[:-1], len(self.weight))


def _shared(weight: Tensor) -> nn.Parameter:
    """A parameter in the same memory: the copy is kept with the weights, and must not hold them."""
    return nn.Parameter(weight.detach(), requires_grad=False)


def packed_copy(transformer: nn.Module) -> nn.Module:
    """Return a copy whose linear maps are packed. It shares all weights.

    Under autocast every call would round every weight anew.

    Args:
        transformer: On a CPU that has instructions for bfloat16.
    """
    shared: dict[int, object] = {id(weight): _shared(weight) for weight in transformer.parameters()}
    for layer in transformer.modules():
        if type(layer) is nn.Linear:
            shared[id(layer)] = PackedLinear(layer)
    return deepcopy(transformer, shared).eval()


class PretrainedEncoder(nn.Module):
    """Vectors of pieces by a pretrained transformer.

    Args:
        transformer: A Hugging Face model. It computes in the precision of the context.
    """

    def __init__(self, transformer: nn.Module) -> None:
        super().__init__()
        self.transformer = transformer

    @property
    def config(self) -> Any:
        """The transformer's configuration."""
        return self.transformer.config

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor | None = None
    ) -> BaseModelOutput:
        """Read texts.

        Args:
            input_ids: (B, L) the pieces of each text.
            attention_mask: (B, L) 1 at pieces, 0 at padding.
            token_type_ids: (B, L) for transformers that tell kinds of texts apart.

        Returns:
            An output whose ``last_hidden_state`` is the (B, L, width) vectors. At padding they mean
            nothing.
        """
        inputs = {"input_ids": input_ids, "attention_mask": attention_mask}
        if token_type_ids is not None:
            inputs["token_type_ids"] = token_type_ids
        # Lengths are known on a CPU only. Some tokenizers put padding first.
        on_cpu = input_ids.device.type == "cpu" and len(input_ids) > 0
        by_length = on_cpu and bool(attention_mask[:, 0].all())
        reduced = is_rounded(next(self.transformer.parameters()))
        with torch.autocast("cpu", torch.bfloat16, enabled=reduced):
            transformer = self._packed() if reduced else self.transformer
            if by_length:
                vectors = self._read_by_length(transformer, inputs, reduced)
            else:
                vectors = self._read(transformer, inputs)
        return BaseModelOutput(last_hidden_state=vectors)  # type: ignore[arg-type]

    def _packed(self) -> nn.Module:
        """The transformer; without gradients, a copy that is faster in bfloat16."""
        weights = [*self.transformer.parameters(), *self.transformer.buffers()]
        if not can_cache(weights):
            return self.transformer
        return cached(packed_copy, weights, lambda: packed_copy(self.transformer))

    def _read_by_length(
        self, transformer: nn.Module, inputs: dict[str, Tensor], reduced: bool
    ) -> Tensor:
        """Read texts of about one length together: (B, L, width).

        Args:
            transformer: The transformer that reads.
            inputs: (B, L) each.
            reduced: Whether it is done in bfloat16.
        """
        lengths = inputs["attention_mask"].sum(1).numpy()
        longest = inputs["input_ids"].shape[1]
        vectors = torch.zeros(len(lengths), longest, self.config.hidden_size)
        for rows in length_buckets(lengths):
            index, length = torch.from_numpy(rows), int(lengths[rows[0]])
            if reduced:
                length = rounded_length(length, self.config.max_position_embeddings)
            # Where the rounded length is more than the longest text's, padding is added.
            more = (0, max(0, length - longest))
            group = {
                name: pad(x.index_select(0, index)[:, :length], more) for name, x in inputs.items()
            }
            vectors[index, :length] = self._read(transformer, group)[:, :longest]
        return vectors

    def _read(self, transformer: nn.Module, inputs: dict[str, Tensor]) -> Tensor:
        vectors: Tensor = transformer(**inputs, return_dict=True).last_hidden_state
        return vectors.to(torch.promote_types(vectors.dtype, torch.float32))

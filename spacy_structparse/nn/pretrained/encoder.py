"""A pretrained transformer as the encoder of a parser: which of its layers is read, and how fast.

The layers may be mixed, as in "Deep Contextualized Word Representations" (Peters et al. 2018,
Eq. 1).
"""

from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import pad
from transformers.modeling_outputs import BaseModelOutput

from ..kernels.autocast import at_least_single
from ..kernels.bfloat16 import has_fast_bfloat16
from ..kernels.kept import kept
from ..kernels.length_groups import length_groups, rounded_length
from .packed_copy import packed_copy

Layers = Literal["last", "mix"]


class LayerMix(nn.Module):
    """The weighted mean of a transformer's embeddings and layers, times a number.

    Args:
        n_layers: The number of layers, embeddings included.
    """

    def __init__(self, n_layers: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(n_layers))
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, layers: tuple[Tensor, ...]) -> Tensor:
        """Mix the layers. layers: tensors of one shape, of which the result is."""
        shares = (self.scale * self.weights.softmax(0)).unbind()
        return sum(
            (share * at_least_single(layer) for share, layer in zip(shares, layers, strict=True)),
            start=torch.zeros((), device=shares[0].device),
        )


class PretrainedEncoder(nn.Module):
    """Vectors of pieces by a pretrained transformer.

    Args:
        transformer: A Hugging Face model.
        layers: ``last``: the vectors are those of the last layer; ``mix``: they are a trained mean
            of all layers.
        bfloat16: Compute in bfloat16 on a CPU that has instructions for it.
    """

    def __init__(
        self, transformer: nn.Module, layers: Layers = "last", bfloat16: bool = False
    ) -> None:
        super().__init__()
        self.transformer = transformer
        self.mix = LayerMix(self.config.num_hidden_layers + 1) if layers == "mix" else None
        self.reads_bfloat16 = bfloat16

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
        reduced = self.reads_bfloat16 and has_fast_bfloat16(input_ids.device)
        with torch.autocast("cpu", torch.bfloat16, enabled=reduced):
            transformer = self._packed() if reduced else self.transformer
            if by_length:
                vectors = self._read_by_length(transformer, inputs, reduced)
            else:
                vectors = self._read(transformer, inputs)
        return BaseModelOutput(last_hidden_state=vectors)  # type: ignore[arg-type]

    def _packed(self) -> nn.Module:
        """The transformer; without gradients, a copy that is faster in bfloat16."""
        if torch.is_grad_enabled():
            return self.transformer
        weights = [*self.transformer.parameters(), *self.transformer.buffers()]
        return kept(packed_copy, weights, lambda: packed_copy(self.transformer))

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
        for rows in length_groups(lengths):
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
        output = transformer(**inputs, output_hidden_states=self.mix is not None, return_dict=True)
        if self.mix is not None:
            return self.mix(output.hidden_states)
        return at_least_single(output.last_hidden_state)

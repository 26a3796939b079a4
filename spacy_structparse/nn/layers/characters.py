"""Words by their characters: a convolution over three at a time, and its maximum over the word (Ma
& Hovy 2016, §2.1)."""

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from .initialization import glorot_uniform_


class CharacterConvolution(nn.Module):
    """n_characters: rows of the table; row 0 is that of unknown ones. width: of a character's
    embedding, and of the result."""

    def __init__(self, n_characters: int, width: int) -> None:
        super().__init__()
        # The row after all others is what stands before the first character and after the last.
        self.table = nn.Parameter(torch.empty(n_characters + 1, width))
        self.weight = nn.Parameter(torch.empty(3, width, width))
        self.bias = nn.Parameter(torch.zeros(width))
        bound = (3.0 / width) ** 0.5
        nn.init.uniform_(self.table, -bound, bound)
        for part in self.weight:
            glorot_uniform_(part)

    def forward(self, characters: Tensor, lengths: Tensor) -> Tensor:
        """characters: (C,) rows, the words end to end; lengths: (U,) of each, at least 1. Returns
        (U, width)."""
        n = len(self.table)
        ends = lengths.cumsum(0)
        before, after = characters.roll(1), characters.roll(-1)
        before[ends - lengths] = after[ends - 1] = n - 1
        # A character brings the same to every window: there are far fewer of them than windows.
        brought = (self.table @ self.weight).reshape(3 * n, -1)
        windows = embedding(before, brought) + embedding(characters + n, brought)
        windows = windows + embedding(after + 2 * n, brought) + self.bias
        return torch.segment_reduce(windows, "max", lengths=lengths, axis=0)

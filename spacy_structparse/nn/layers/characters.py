"""Embeddings of words by their characters (Ma & Hovy 2016, §2.1)."""

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from ..kernels.autocast import precision
from ..kernels.kept import kept
from .initialization import glorot_uniform_


class CharacterConvolution(nn.Module):
    """The maximum, over a word, of a convolution over three characters at a time.

    Args:
        n_characters: Rows of the table of characters; row 0 is that of unknown ones.
        width: Width of a character's embedding, and of the result.
    """

    def __init__(self, n_characters: int, width: int) -> None:
        super().__init__()
        # The last row stands before the first character of a word and after its last one.
        self.table = nn.Parameter(torch.empty(n_characters + 1, width))
        self.weight = nn.Parameter(torch.empty(3, width, width))
        self.bias = nn.Parameter(torch.zeros(width))
        bound = (3.0 / width) ** 0.5
        nn.init.uniform_(self.table, -bound, bound)
        for part in self.weight:
            glorot_uniform_(part)

    def forward(self, characters: Tensor, lengths: Tensor) -> Tensor:
        """Embed words: (U, width).

        Args:
            characters: (C,) rows of the table, the words end to end.
            lengths: (U,) characters of each word, at least 1.
        """
        n = len(self.table)
        ends = lengths.cumsum(0)
        before, after = characters.roll(1), characters.roll(-1)
        before[ends - lengths] = after[ends - 1] = n - 1
        # A character brings the same to every window: there are far fewer of them than windows.
        what = "brought", precision(self.table)
        brought = kept(
            what, [self.table, self.weight], lambda: (self.table @ self.weight).reshape(3 * n, -1)
        )
        windows = embedding(before, brought) + embedding(characters + n, brought)
        windows = windows + embedding(after + 2 * n, brought) + self.bias
        # Unsafe: a check of the lengths would have the host wait for a GPU.
        return torch.segment_reduce(windows, "max", lengths=lengths, axis=0, unsafe=True)

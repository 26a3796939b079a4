"""The variant ``direct`` (not in the paper): the parser state also reads words and elements
themselves."""

import torch
from torch import Tensor, nn

from ..fast.linear import linear
from .batch import StackLSTMBatch


class DirectReading(nn.Linear):
    """A part of W in p_t: its columns read the first word of the buffer, the topmost element, the
    one below it, and the head words of these two.

    Args:
        element_width: Width of a word, and of an element.
        state_width: Width of p_t.
    """

    def __init__(self, element_width: int, state_width: int) -> None:
        super().__init__(5 * element_width, state_width, bias=False)
        self.element_width = element_width

    def of_buffer(self, words: Tensor) -> Tensor:
        """Return the part of each first word, (N, element_width), and zeros last: (N + 1, ...)."""
        return linear(padded(words), self.weight[:, : self.element_width])

    @property
    def of_stack(self) -> Tensor:
        """The columns of :func:`read_directly`, in its order."""
        _, top, below, top_word, below_word = self.weight.split(self.element_width, 1)
        return torch.cat([top, top_word, below, below_word], 1)


def read_directly(words: Tensor, elements: Tensor, batch: StackLSTMBatch) -> list[Tensor]:
    """Return the topmost element of each gold state, its head word, and both of the element below
    it: (T, element_width) each, zeros where there is none.

    Args:
        words: (N, element_width).
        elements: (N + R, element_width) words, then composed elements.
        batch: The gold actions.
    """
    words, elements = padded(words), padded(elements)
    return [
        elements.index_select(0, batch.tops),
        words.index_select(0, batch.top_words),
        elements.index_select(0, batch.belows),
        words.index_select(0, batch.below_words),
    ]


def padded(rows: Tensor) -> Tensor:
    """Return rows, (N, width), and a row of zeros for elements that do not exist."""
    return torch.cat([rows, rows.new_zeros(1, rows.shape[1])])

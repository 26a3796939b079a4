"""The recurrent layers that an encoder or a decoder can be made of."""

from .layered_cell import LayeredCell
from .layered_gru import GRU
from .layered_lstm import LSTM, PaperLSTM


def layered_cell(kind: str, cell: str, n_input: int, hidden: int, depth: int) -> LayeredCell:
    """Layers of a kind, ``gru`` or ``lstm``; cell: which LSTM, ``torch`` or ``paper``."""
    if kind == "gru":
        return GRU(n_input, hidden, depth)
    return (PaperLSTM if cell == "paper" else LSTM)(n_input, hidden, depth)

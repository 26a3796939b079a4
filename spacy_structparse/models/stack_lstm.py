"""``spacy-structparse.StackLSTM.v1``: the parser of Dyer et al. (2015) over any ``tok2vec``."""

from typing import Any, Literal

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..nn.stack_lstm.model import StackLSTMParser
from .checks import check_at_least_one
from .parser_model import parser_inputs, parser_model, parser_outputs
from .torch_model import torch_model

NOT_OF_THE_MODULE = ("n_input", "labels", "beam_width")


def build_stack_lstm(
    tok2vec: Model[list[Doc], list[Floats2d]],
    hidden_width: int = 100,
    hidden_depth: int = 2,
    element_width: int = 100,
    action_width: int = 16,
    state_width: int = 20,
    composition: bool = True,
    cell: Literal["torch", "paper", "rnn"] = "torch",
    root: Literal["last", "first"] = "last",
    beam_width: int = 1,
    label_smoothing: float = 0.0,
    encoder_width: int = 0,
    encoder_depth: int = 1,
    direct: bool = False,
    exploration: float = 0.0,
    bfloat16: bool = False,
    mixed_precision: bool = False,
) -> Model:
    """The stack-LSTM parser. Sizes are those of the paper's §4 unless set.

    tok2vec: token vectors, from the parser's own embedding or a listener.
    hidden_width, hidden_depth: of the S, B and A LSTMs.
    element_width: of the elements on S and B; token vectors of another width are projected.
    action_width: of the action embeddings, in A and in the composition.
    state_width: of the parser state p_t.
    composition: False keeps only the head word of a partial tree (Table 1, -composition).
    cell: ``torch`` (no peepholes), ``paper`` (§2.1's full peepholes) or ``rnn`` (Table 1, S-RNN).
    root: ROOT is the ``last`` word of the buffer (§3.1) or the ``first`` element of the stack.
    beam_width: 1 is greedy (§5.4 says what a beam adds).
    label_smoothing: share of the training target spread over the legal actions.
    encoder_width, encoder_depth: of a bidirectional LSTM that reads each sentence before it is
        parsed (not in the paper; 0: none).
    direct: the parser state also reads the first buffer word, the two elements on top of the stack
        and their head words (not in the paper).
    exploration: share of the training batches that follow the parser's own actions, drawn at
        random, and learn what a dynamic oracle says of the states they lead to (Ballesteros et al.
        2016; not in the paper).
    bfloat16: sequences are read in bfloat16 on a CPU that has instructions for it (AVX-512 BF16 or
        AMX), in single precision on others. Only the cell ``torch`` does.
    mixed_precision: autocast on a GPU.
    """
    if cell not in ("torch", "paper", "rnn"):
        raise ValueError(f"StackLSTM: cell is '{cell}', choose 'torch', 'paper' or 'rnn'")
    if root not in ("last", "first"):
        raise ValueError(f"StackLSTM: root is '{root}', choose 'last' or 'first'")
    if not 0 <= exploration <= 1:
        raise ValueError(f"StackLSTM: exploration is {exploration}, it must be from 0 to 1")
    check_at_least_one("StackLSTM", {"beam_width": beam_width}, ("beam_width",))
    settings = {
        "hidden": hidden_width,
        "depth": hidden_depth,
        "element_width": element_width,
        "action_width": action_width,
        "state_width": state_width,
        "composition": composition,
        "cell": cell,
        "root": root,
        "label_smoothing": label_smoothing,
        "encoder_width": encoder_width,
        "encoder_depth": encoder_depth,
        "direct": direct,
        "exploration": exploration,
        "bfloat16": bfloat16,
        "beam_width": beam_width,
    }
    parser: Model = torch_model(
        "stack_lstm_parser",
        _build,
        parser_inputs("beam_width"),
        parser_outputs,
        what="stack-LSTM parser",
        mixed_precision=mixed_precision,
        settings=settings,
        adjustable=["label_smoothing", "exploration", "bfloat16", "beam_width"],
    )
    return parser_model("stack_lstm", tok2vec, parser)


def _build(config: dict[str, Any]) -> StackLSTMParser:
    settings = {k: v for k, v in config.items() if k not in NOT_OF_THE_MODULE}
    return StackLSTMParser.from_labels(config["n_input"], config["labels"], **settings)

"""``spacy-structparse.StackLSTM.v1``: the parser of Dyer et al. (2015) over any ``tok2vec``."""

from typing import Annotated, Any, Literal

from thinc.api import Model

from ..nn.stack_lstm.decoding import StackLSTMSearch, explore
from ..nn.stack_lstm.model import StackLSTM
from ..removed_settings import removed_settings
from ..transitions.dependency.arc_standard import ActionSet
from .checks import (
    ADJUSTABLE,
    EARLIER,
    THE_PAPERS,
    Share,
    Size,
    SizeOrNone,
    arguments_of,
    checked_settings,
)
from .parser_model import parser_model
from .torch_model import Tok2Vec


@removed_settings(EARLIER, mixed_precision=False)
@removed_settings(THE_PAPERS, label_smoothing=0.0)
def build_stack_lstm(
    tok2vec: Tok2Vec,
    hidden_width: Size = 100,
    hidden_depth: Size = 2,
    element_width: Size = 100,
    action_width: Size = 16,
    state_width: Size = 20,
    composition: bool = True,
    cell: Literal["torch", "paper", "rnn"] = "torch",
    root: Literal["last", "first"] = "last",
    beam_width: Annotated[Size, ADJUSTABLE] = 1,
    encoder_width: SizeOrNone = 0,
    encoder_depth: Size = 1,
    direct: bool = False,
    exploration: Annotated[Share, ADJUSTABLE] = 0.0,
    bfloat16: Annotated[bool, ADJUSTABLE] = False,
) -> Model:
    """The stack-LSTM parser of Dyer et al. (2015). Sizes are those of the paper's §4, where it has
    them.

    Args:
        tok2vec: Token vectors, from the parser's own embedding or a listener. Vectors of another
            width than ``element_width`` are projected.
        hidden_width: Width of the LSTMs over stack, buffer and actions (S, B and A, §3).
        hidden_depth: Layers of these LSTMs.
        element_width: Width of the elements on stack and buffer.
        action_width: Width of the action embeddings, in A and in the composition.
        state_width: Width of the parser state p_t (§3.1).
        composition: Represent a partial tree by the composition of its arcs (§3.4). ``false``: by
            its head word alone (Table 1, "-composition").
        cell: The recurrent cell. ``torch``: PyTorch's LSTM. ``paper``: the LSTM of §2.1, with
            peepholes. ``rnn``: a plain RNN (Table 1, "S-RNN").
        root: Where ROOT is. ``last``: the last word of the buffer (§3.1). ``first``: the first
            element of the stack.
        beam_width: Number of hypotheses kept in decoding (§5.4). 1 is greedy.
        encoder_width: Width of one direction of an LSTM that reads the sentence before it is parsed
            (not in the paper). 0: no such encoder.
        encoder_depth: Layers of this encoder. Those after the first add their output to their
            input.
        direct: The parser state also reads the first word of the buffer, the two elements on top of
            the stack and their head words (not in the paper).
        exploration: Share of the training batches that follow actions sampled from the parser, with
            targets from a dynamic oracle (Ballesteros et al. 2016), from 0 to 1. Only batches whose
            gold trees are complete are used so.
        bfloat16: Read sequences in bfloat16 on a CPU that has instructions for it (AVX-512 BF16 or
            AMX), and in single precision on others. Only ``cell = "torch"`` does.

    Returns:
        The model of a ``stack_lstm_dep`` component.

    Raises:
        ValueError: A setting has a value that it cannot have.
    """
    settings = checked_settings("StackLSTM", build_stack_lstm, locals())
    # The names that saved weights have.
    settings["hidden"] = settings.pop("hidden_width")
    settings["depth"] = settings.pop("hidden_depth")
    return parser_model(
        "stack_lstm",
        tok2vec,
        _build,
        what="stack-LSTM parser",
        settings=settings,
        architecture=build_stack_lstm,
        decode=StackLSTMSearch,
        explore=explore,
    )


def _build(config: dict[str, Any]) -> StackLSTM:
    arguments = arguments_of(build_stack_lstm, config, StackLSTM)
    return StackLSTM(action_set=ActionSet(config["labels"]), **arguments)

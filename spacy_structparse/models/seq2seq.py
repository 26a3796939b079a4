"""``spacy-structparse.Seq2Seq.v1``: the parsers of Vinyals et al. (2015) and Ma et al. (2017) over
any ``tok2vec``."""

from typing import Annotated, Any, Literal

from thinc.api import Model

from ..nn.seq2seq.model import Seq2Seq
from ..nn.seq2seq.search import begin_search, explore
from ..removed_settings import removed_settings
from ..transitions.constituency.registry import load_linearization
from .checks import (
    ADJUSTABLE,
    EARLIER,
    THE_PAPERS,
    Factor,
    Share,
    Size,
    SizeOrNone,
    arguments_of,
    check_constrained,
    checked_settings,
)
from .parser_model import parser_model
from .torch_model import Tok2Vec

WORD_ACTIONS = {
    "top_down": ("one", "tag"),
    "bottom_up": ("one",),
    "in_order": ("one", "punctuation"),
}


@removed_settings(EARLIER, max_cells=10_000_000, mixed_precision=False)
@removed_settings("The training trees say it.", max_run=10, max_depth=100)
@removed_settings(THE_PAPERS, label_smoothing=0.0)
def build_seq2seq(
    tok2vec: Tok2Vec,
    linearization: Literal["top_down", "bottom_up", "in_order"] = "bottom_up",
    encoder: Literal["lstm", "bigru", "bilstm", "cnn"] = "bigru",
    encoder_width: Size = 256,
    encoder_depth: Size = 1,
    reverse: bool = True,
    attention: Literal["none", "probabilistic", "datt-bound", "datt-bound-head"] = "datt-bound",
    decoder: Literal["lstm", "gru"] = "gru",
    decoder_width: Size = 256,
    decoder_depth: Size = 1,
    cell: Literal["torch", "paper"] = "torch",
    action_width: Size = 512,
    context_width: Size = 512,
    readout_width: SizeOrNone = 512,
    heads: Literal["paper", "rightmost"] = "paper",
    closing_labels: bool = True,
    word_actions: Literal["one", "tag", "punctuation"] = "one",
    exploration: Annotated[Share, ADJUSTABLE] = 0.0,
    attention_guidance: Annotated[Factor, ADJUSTABLE] = 0.0,
    attention_query: Literal["current", "previous"] = "current",
    dropout_places: Annotated[Literal["everywhere", "layers", "output"], ADJUSTABLE] = "everywhere",
    pyramid: Literal["none", "last", "all"] = "none",
    pyramid_width: Size = 256,
    beam_width: Annotated[Size, ADJUSTABLE] = 1,
    constrained: Annotated[bool, ADJUSTABLE] = True,
    bfloat16: Annotated[bool, ADJUSTABLE] = False,
) -> Model:
    """The sequence-to-sequence parser. Sizes are those of Ma et al. (2017, §4.1), where they have
    them.

    Args:
        tok2vec: Token vectors, from the parser's own embedding or a listener.
        linearization: The actions that build a tree. ``bottom_up``: the transitions of Cross &
            Huang (Ma et al. §3.1). ``top_down``: brackets in the order in which they are read
            (Vinyals et al. 2015, §2.2). ``in_order``: a bracket is opened after its first child
            (Fernández-González & Gómez-Rodríguez 2020).
        encoder: The encoder. ``bigru``: bidirectional GRUs (Ma et al.). ``bilstm``: bidirectional
            LSTMs, whose layers after the first add their output to their input. ``cnn``: gated,
            dilated convolutions (Dauphin et al. 2017), the fastest. ``lstm``: one-way LSTMs
            (Vinyals et al.).
        encoder_width: Width of one direction of the encoder; of a ``cnn`` half of its width.
        encoder_depth: Layers of the encoder.
        reverse: An ``lstm`` encoder reads the sentence from its end. No effect on the others.
        attention: Attention of the decoder to the encoder. ``datt-bound``: deterministic attention
            to the boundaries of the elements on the stack (Ma et al. §3.3). ``datt-bound-head``: to
            their head words too, for ``bottom_up`` alone. ``probabilistic``: attention over all
            words (Vinyals et al. §2.1). ``none``: no attention.
        decoder: Recurrent layers of the decoder.
        decoder_width: Width of the decoder.
        decoder_depth: Layers of the decoder.
        cell: The LSTM of ``lstm`` encoders and decoders. ``torch``: PyTorch's. ``paper``: that of
            Vinyals et al. §2. With it the first state ``h_0`` of an ``lstm`` encoder is learned,
            and the last linear map of an ``lstm`` decoder, ``W_o``, has no bias. No effect where
            neither is an ``lstm``.
        action_width: Width of the action embeddings.
        context_width: Width of the context of deterministic attention, dim(c).
        readout_width: Width of the tanh layer before the last linear map. 0: no such layer, as in
            Vinyals et al.
        heads: The head words that ``datt-bound-head`` reads. ``paper``: those of head-finding rules
            in training, and right-most children in parsing. ``rightmost``: right-most children in
            both.
        closing_labels: ``top_down`` and ``in_order`` name the label of the bracket that they close.
            ``false``: one action closes any bracket.
        word_actions: How words are read. ``one``: by one action, which is ``XX`` in ``top_down``.
            ``tag``: a ``top_down`` output has an action for each tag. ``punctuation``: an
            ``in_order`` output has an action for each punctuation mark. Tags and marks are the
            Doc's; the decoder never chooses among them.
        exploration: Share of the training batches that follow actions sampled from the parser, with
            targets from a dynamic oracle (Cross & Huang 2016), from 0 to 1. ``bottom_up`` alone.
        attention_guidance: Weight of a term of the training loss, -ln of the attention to the next
            word at every step (supervised attention, Kamigaito et al. 2017, with one alignment for
            all actions). For ``probabilistic`` attention alone. 0: attention is learned without it,
            as in Vinyals et al. Parsing is the same.
        attention_query: The decoder state that is compared with the encoder's positions.
            ``current``: the state after the step (Vinyals et al. §2.1). ``previous``: the state
            before it, so that the step reads the context (Bahdanau et al. 2015). For
            ``probabilistic`` attention and attention to phrases.
        dropout_places: Where dropout is applied in training. ``everywhere``: to token vectors,
            between layers, to the positions that attention reads and before the last linear map.
            ``layers``: between the layers of encoder and decoder alone (Vinyals et al. §2.3).
            ``output``: before the last linear map alone. ``dropout`` of ``TokenEmbedding.v1`` is
            separate.
        pyramid: A second encoder, of phrases ("Phrasal Recurrent Neural Network", §4.2), with
            probabilistic attention of its own. ``last``: the phrases from each word to the end of
            the sentence. ``all``: every phrase. ``none``: no such encoder.
        pyramid_width: Width of a phrase.
        beam_width: Number of hypotheses kept in decoding; the papers use 10. 1 is greedy.
        constrained: Every output is a tree. ``false``: decoding is unconstrained, and malformed
            outputs are repaired afterwards (Vinyals et al. §3.2); for ``top_down`` with attention
            ``none`` or ``probabilistic``.
        bfloat16: Compute a ``bilstm`` or ``cnn`` encoder, a pyramid, deterministic attention and,
            in parsing, the steps of an ``lstm`` decoder in bfloat16 on a CPU that has instructions
            for it (AVX-512 BF16 or AMX), and in single precision on others. It does not change
            encoders and decoders of other kinds.

    Returns:
        The model of a ``seq2seq_constituency`` component.

    Raises:
        ValueError: A setting has a value that it cannot have, or two settings exclude each other.
    """
    settings = checked_settings("Seq2Seq", build_seq2seq, locals())
    if word_actions not in WORD_ACTIONS[linearization]:
        raise ValueError(
            f"Seq2Seq: word_actions is '{word_actions}', with linearization '{linearization}' "
            f"choose {' or '.join(WORD_ACTIONS[linearization])}"
        )
    for name, other, needed in (
        ("exploration", "linearization", "bottom_up"),
        ("attention_guidance", "attention", "probabilistic"),
    ):
        if settings[name] and settings[other] != needed:
            raise ValueError(
                f"Seq2Seq: {name} is {settings[name]}, it must be 0 with {other} "
                f"'{settings[other]}': only '{needed}' has it"
            )
    check_constrained("Seq2Seq", constrained, linearization, [attention])
    if attention == "datt-bound-head" and linearization != "bottom_up":
        raise ValueError(
            "Seq2Seq: attention is 'datt-bound-head', which only linearization 'bottom_up' has "
            f"heads for, not '{linearization}': choose 'datt-bound'"
        )
    return parser_model(
        "seq2seq",
        tok2vec,
        _build,
        what="sequence-to-sequence parser",
        settings=settings,
        decode=begin_search,
        explore=explore,
        architecture=build_seq2seq,
    )


def _build(config: dict[str, Any]) -> Seq2Seq:
    arguments = arguments_of(build_seq2seq, config, Seq2Seq)
    arguments["linearization"] = load_linearization(config["linearization"], config["labels"])
    return Seq2Seq(**arguments)

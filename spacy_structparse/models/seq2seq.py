"""``spacy-structparse.Seq2Seq.v1``: the parsers of Vinyals et al. (2015) and Ma et al. (2017) over
any ``tok2vec``."""

from inspect import signature
from typing import Any, Literal

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..nn.seq2seq.model import N_POSITIONS, Seq2Seq
from ..transitions.constituency.registry import LINEARIZATIONS, load_linearization
from .checks import check_at_least_one, check_choices, check_constrained
from .parser_model import parser_inputs, parser_model, parser_outputs
from .torch_model import torch_model

CHOICES: dict[str, tuple[str, ...]] = {
    "linearization": tuple(LINEARIZATIONS),
    "encoder": ("lstm", "bigru", "bilstm"),
    "decoder": ("lstm", "gru"),
    "cell": ("torch", "paper"),
    "attention": ("none", "probabilistic", *N_POSITIONS),
    "attention_query": ("current", "previous"),
    "dropout_places": ("everywhere", "layers", "output"),
    "heads": ("paper", "rightmost", "learned"),
    "pyramid": ("none", "last", "all"),
}
WORD_ACTIONS = {
    "top_down": ("one", "tag"),
    "bottom_up": ("one",),
    "in_order": ("one", "punctuation"),
}


def build_seq2seq(
    tok2vec: Model[list[Doc], list[Floats2d]],
    linearization: Literal["top_down", "bottom_up", "in_order"] = "bottom_up",
    encoder: Literal["lstm", "bigru", "bilstm"] = "bigru",
    encoder_width: int = 256,
    encoder_depth: int = 1,
    reverse: bool = True,
    attention: Literal["none", "probabilistic", "datt-bound", "datt-bound-head"] = "datt-bound",
    decoder: Literal["lstm", "gru"] = "gru",
    decoder_width: int = 256,
    decoder_depth: int = 1,
    cell: Literal["torch", "paper"] = "torch",
    action_width: int = 512,
    context_width: int = 512,
    readout_width: int = 512,
    heads: Literal["paper", "rightmost", "learned"] = "paper",
    closing_labels: bool = True,
    word_actions: Literal["one", "tag", "punctuation"] = "one",
    max_run: int = 10,
    max_depth: int = 100,
    label_smoothing: float = 0.0,
    exploration: float = 0.0,
    attention_guidance: float = 0.0,
    attention_query: Literal["current", "previous"] = "current",
    dropout_places: Literal["everywhere", "layers", "output"] = "everywhere",
    pyramid: Literal["none", "last", "all"] = "none",
    pyramid_width: int = 256,
    max_cells: int = 10_000_000,
    beam_width: int = 1,
    constrained: bool = True,
    bfloat16: bool = False,
    mixed_precision: bool = False,
) -> Model:
    """The sequence-to-sequence parser. Sizes are those of Ma et al. (2017, §4.1) unless set.

    tok2vec: token vectors, from the parser's own embedding or a listener.
    linearization: ``top_down`` (Vinyals et al. §2.2), ``bottom_up`` (Ma et al. §3.1) or
        ``in_order`` (Fernández-González & Gómez-Rodríguez 2020).
    encoder: ``lstm``, one-way (Vinyals et al.), ``bigru`` (Ma et al.), or ``bilstm``, layers after
        the first adding to their input.
    encoder_width, encoder_depth: of one direction, and its layers.
    reverse: an ``lstm`` encoder reads the sentence from its end.
    attention: ``none``, ``probabilistic``, or deterministic: ``datt-bound`` reads the boundaries of
        what is on the stack, ``datt-bound-head`` their head words too.
    decoder, decoder_width, decoder_depth: the decoder's layers.
    cell: the LSTM of ``lstm`` layers: ``torch``, or ``paper`` (Vinyals et al. §2).
    action_width: of the action embeddings.
    context_width: of the context of deterministic attention, dim(c).
    readout_width: of the tanh layer before the last linear map; 0: none (Vinyals et al.).
    heads: of ``datt-bound-head``: ``paper`` reads the heads of head-finding rules in training and
        those of right-most children in parsing, ``rightmost`` these in both, and ``learned`` learns
        in training to choose them, child by child, while parsing.
    closing_labels: ``top_down`` and ``in_order`` name the label of the bracket that they close.
    word_actions: ``one`` action reads all words (``XX`` in ``top_down``); with ``tag`` a
        ``top_down`` output has the words' tags, with ``punctuation`` an ``in_order`` one has an
        action for each punctuation mark (the enriched linearization). Tags and marks are the doc's,
        the decoder never chooses among them.
    max_run, max_depth: the most brackets that ``top_down`` opens in a row (``in_order``: on one
        another over the same words), and the most open at once; raised to what the training trees
        need.
    label_smoothing: share of the training target spread over all actions.
    exploration: share of the training batches that follow the parser's own actions, drawn at
        random, and learn what a dynamic oracle says of the states they lead to (Cross & Huang
        2016); ``bottom_up`` alone.
    attention_guidance: how much training shows ``probabilistic`` attention where to look, at the
        next word (supervised attention, Kamigaito et al. 2017, with one alignment for all actions):
        -log of its share, times this, is added to the loss of every step. 0: it learns alone, as in
        Vinyals et al. Parsing is the same.
    attention_query: the state of the decoder that probabilistic attention compares positions with:
        the ``current`` one (Vinyals et al. §2.1), or the ``previous`` one, before the step that
        reads what was found (Bahdanau et al. 2015).
    dropout_places: where training's dropout is: ``layers``, between the layers of encoder and
        decoder alone (Vinyals et al. §3), ``output``, before the last map alone, or ``everywhere``,
        at both, on token vectors and on what attention reads. For tokens see also
        ``TokenEmbedding.v1``.
    pyramid: a second encoder ("Phrasal Recurrent Neural Network", §2.3), whose phrases have an
        attention of their own: ``last``, those from each word to the end of the sentence, or
        ``all``; ``none`` leaves it out.
    pyramid_width: of a phrase.
    max_cells: the most phrases of a batch of ``all``, times ``pyramid_width``, each sentence
        counted as its longest; a sentence that has more is a batch of its own.
    beam_width: 1 is greedy; the papers use 10.
    constrained: every output is a tree; False lets a ``top_down`` parser write what it likes and
        repairs it afterwards (Vinyals et al. §3).
    bfloat16: a ``bilstm``, and what reads all phrases, are in bfloat16 on a CPU that has
        instructions for it.
    mixed_precision: autocast on a GPU.
    """
    settings = {
        name: value for name, value in locals().items() if name in signature(Seq2Seq).parameters
    }
    settings |= {
        "linearization": linearization,
        "closing_labels": closing_labels,
        "word_actions": word_actions,
        "max_run": max_run,
        "max_depth": max_depth,
        "beam_width": beam_width,
        "constrained": constrained,
    }
    check_choices("Seq2Seq", settings, CHOICES)
    if word_actions not in WORD_ACTIONS[linearization]:
        raise ValueError(
            f"Seq2Seq: word_actions is '{word_actions}', with linearization '{linearization}' "
            f"choose {' or '.join(WORD_ACTIONS[linearization])}"
        )
    if not 0 <= exploration <= 1 or (exploration and linearization != "bottom_up"):
        raise ValueError(
            f"Seq2Seq: exploration is {exploration}, linearization '{linearization}': it must be "
            "from 0 to 1, and 0 with any other than 'bottom_up'"
        )
    if attention_guidance < 0 or (attention_guidance and attention != "probabilistic"):
        raise ValueError(
            f"Seq2Seq: attention_guidance is {attention_guidance}, attention '{attention}': it "
            "must be at least 0, and 0 with any other than 'probabilistic'"
        )
    check_constrained("Seq2Seq", constrained, linearization, [attention])
    if heads == "learned" and (attention != "datt-bound-head" or exploration):
        raise ValueError(
            "Seq2Seq: heads is 'learned', which takes attention 'datt-bound-head' and exploration "
            f"0, not '{attention}' and {exploration}"
        )
    if attention == "datt-bound-head" and linearization != "bottom_up":
        raise ValueError(
            "Seq2Seq: attention is 'datt-bound-head', which only linearization 'bottom_up' has "
            f"heads for, not '{linearization}': choose 'datt-bound'"
        )
    check_at_least_one("Seq2Seq", settings, ("beam_width", "pyramid_width", "max_cells"))
    parser: Model = torch_model(
        "seq2seq_parser",
        _build,
        parser_inputs("beam_width", "constrained"),
        parser_outputs,
        what="sequence-to-sequence parser",
        mixed_precision=mixed_precision,
        settings=settings,
        adjustable=[
            "label_smoothing",
            "exploration",
            "attention_guidance",
            "bfloat16",
            "dropout_places",
            "max_cells",
            "beam_width",
            "constrained",
        ],
    )
    return parser_model("seq2seq", tok2vec, parser)


def _build(config: dict[str, Any]) -> Seq2Seq:
    sizes = {k: v for k, v in config.items() if k in signature(Seq2Seq).parameters}
    sizes["linearization"] = load_linearization(config["linearization"], config["labels"])
    return Seq2Seq(**sizes)

"""``spacy-structparse.Translation.v1``: RNNsearch over any ``tok2vec``, with or without phrases."""

from inspect import signature
from typing import Any, Literal

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..nn.seq2seq.model import Seq2Seq
from ..transitions.word_sequence import WordSequence
from .checks import check_at_least_one, check_choices
from .parser_model import parser_inputs, parser_model, parser_outputs
from .torch_model import torch_model

CHOICES = {
    "encoder": ("lstm", "bigru", "bilstm"),
    "decoder": ("lstm", "gru"),
    "attention_query": ("current", "previous"),
    "dropout_places": ("everywhere", "layers", "output"),
    "pyramid": ("none", "last", "all"),
}
AT_LEAST_ONE = (
    "encoder_width", "encoder_depth", "decoder_width", "decoder_depth", "word_width",
    "readout_width", "pyramid_width", "max_cells", "beam_width",
)  # fmt: skip


def build_translation(
    tok2vec: Model[list[Doc], list[Floats2d]],
    encoder: Literal["lstm", "bigru", "bilstm"] = "bigru",
    encoder_width: int = 1000,
    encoder_depth: int = 1,
    decoder: Literal["lstm", "gru"] = "gru",
    decoder_width: int = 1000,
    decoder_depth: int = 1,
    attention_query: Literal["current", "previous"] = "previous",
    word_width: int = 620,
    readout_width: int = 500,
    pyramid: Literal["none", "last", "all"] = "none",
    pyramid_width: int = 1000,
    max_cells: int = 10_000_000,
    label_smoothing: float = 0.0,
    dropout_places: Literal["everywhere", "layers", "output"] = "everywhere",
    max_ratio: float = 2.0,
    beam_width: int = 1,
    length_penalty: float = 1.0,
    bfloat16: bool = False,
    mixed_precision: bool = False,
) -> Model:
    """A translator of sentences. Sizes, unless set, are those of "Phrasal Recurrent Neural Network"
    (§4.2), whose baseline is RNNsearch (Bahdanau et al. 2015).

    tok2vec: vectors of the words read, from the component's own embedding or a listener.
    encoder, encoder_width, encoder_depth: ``bigru`` (RNNsearch), ``lstm``, one-way and from the
        end, or ``bilstm``, layers after the first adding to their input; of one direction, and its
        layers.
    decoder, decoder_width, decoder_depth: of the network that writes.
    attention_query: the state of the decoder that positions are compared with: the ``previous`` one
        (RNNsearch) or the ``current`` one.
    word_width: of the embedding of a word written. readout_width: of the layer before the last
        (tanh, where RNNsearch has maxout).
    pyramid: phrases as a second encoder with an attention of its own (§2.3): ``last``, those from
        each word to the end of the sentence (src-pyr-last), or ``all`` (src-pyr-all).
    pyramid_width: of a phrase. max_cells: the most phrases of a batch, times ``pyramid_width``.
    label_smoothing: the share of the target that is spread over all words.
    dropout_places: ``output``: before the softmax alone (§4.2); ``layers``: between layers;
        ``everywhere``: at both, on word vectors and on what the encoder gives.
    max_ratio: a translation is cut off after so many words for each word read, and ten.
    beam_width: hypotheses kept in decoding; 1 is greedy. length_penalty: those of a beam are
        compared by ln p / length ** length_penalty.
    bfloat16: a ``bilstm``, what reads all phrases and, in training, the scores of words (of 500 or
        more) are in bfloat16 on a CPU that has instructions for it.
    mixed_precision: autocast on a GPU.
    """
    settings = {
        name: value for name, value in locals().items() if name in signature(Seq2Seq).parameters
    }
    settings |= {
        "word_width": word_width,
        "max_ratio": max_ratio,
        "beam_width": beam_width,
        "length_penalty": length_penalty,
    }
    check_choices("Translation", settings, CHOICES)
    check_at_least_one("Translation", settings, AT_LEAST_ONE)
    for name in ("max_ratio", "length_penalty"):
        if settings[name] < 0:
            raise ValueError(f"Translation: {name} is {settings[name]}, it must not be negative")
    if not 0 <= label_smoothing < 1:
        raise ValueError(f"Translation: label_smoothing is {label_smoothing}, not from 0 up to 1")
    translator: Model = torch_model(
        "seq2seq_translator",
        _build,
        parser_inputs("beam_width", "length_penalty"),
        parser_outputs,
        what="sequence-to-sequence translator",
        mixed_precision=mixed_precision,
        settings=settings,
        adjustable=[
            "label_smoothing",
            "dropout_places",
            "max_cells",
            "max_ratio",
            "beam_width",
            "length_penalty",
            "bfloat16",
        ],
    )
    return parser_model("translation", tok2vec, translator)


def _build(config: dict[str, Any]) -> Seq2Seq:
    sizes = {k: v for k, v in config.items() if k in signature(Seq2Seq).parameters}
    sizes["linearization"] = WordSequence(config["labels"], config["max_ratio"])
    return Seq2Seq(
        **sizes,
        attention="probabilistic",
        reverse=True,
        cell="torch",
        action_width=config["word_width"],
        context_width=1,  # of deterministic attention, which has nothing to read here
    )

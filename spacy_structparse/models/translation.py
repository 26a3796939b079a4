"""``spacy-structparse.Translation.v1``: RNNsearch over any ``tok2vec``, with or without phrases."""

from typing import Annotated, Any, Literal

from thinc.api import Model

from ..nn.seq2seq.model import Seq2Seq
from ..nn.seq2seq.search import begin_search
from ..removed_settings import removed_settings
from ..transitions.word_sequence import WordSequence
from .checks import (
    ADJUSTABLE,
    EARLIER,
    THE_PAPERS,
    Factor,
    Limits,
    Size,
    arguments_of,
    checked_settings,
)
from .parser_model import parser_model
from .torch_model import Tok2Vec


@removed_settings(EARLIER, max_cells=10_000_000, mixed_precision=False)
@removed_settings(THE_PAPERS, encoder_depth=1, decoder_depth=1)
def build_translation(
    tok2vec: Tok2Vec,
    encoder: Literal["lstm", "bigru", "bilstm", "cnn"] = "bigru",
    encoder_width: Size = 1000,
    decoder: Literal["lstm", "gru"] = "gru",
    decoder_width: Size = 1000,
    attention_query: Literal["current", "previous"] = "previous",
    word_width: Size = 620,
    readout_width: Size = 500,
    pyramid: Literal["none", "last", "all"] = "none",
    pyramid_width: Size = 1000,
    label_smoothing: Annotated[float, Limits(0, 0.999), ADJUSTABLE] = 0.0,
    dropout_places: Annotated[Literal["everywhere", "layers", "output"], ADJUSTABLE] = "everywhere",
    max_ratio: Annotated[Factor, ADJUSTABLE] = 2.0,
    beam_width: Annotated[Size, ADJUSTABLE] = 1,
    length_penalty: Annotated[Factor, ADJUSTABLE] = 1.0,
    bfloat16: Annotated[bool, ADJUSTABLE] = False,
) -> Model:
    """A translator of sentences. Sizes are those of "Phrasal Recurrent Neural Network" (§4.2),
    where it has them. Its baseline is RNNsearch (Bahdanau et al. 2015).

    Args:
        tok2vec: Vectors of the source words, from the component's own embedding or a listener.
        encoder: The encoder. ``bigru``: bidirectional GRUs (RNNsearch). ``bilstm``: bidirectional
            LSTMs, whose layers after the first add their output to their input. ``cnn``: gated,
            dilated convolutions (Dauphin et al. 2017), the fastest. ``lstm``: one-way LSTMs that
            read the sentence from its end.
        encoder_width: Width of one direction of the encoder; of a ``cnn`` half of its width.
        decoder: Recurrent layers of the decoder.
        decoder_width: Width of the decoder.
        attention_query: The decoder state that is compared with the encoder's positions.
            ``previous``: the state before the step (RNNsearch). ``current``: the state after it.
        word_width: Width of the embeddings of target words.
        readout_width: Width of the tanh layer before the softmax, where RNNsearch has maxout.
        pyramid: A second encoder, of phrases, with attention of its own (§4.2). ``none``: no such
            encoder (RNNsearch). ``last``: the phrases from each word to the end of the sentence
            (src-pyr-last). ``all``: every phrase (src-pyr-all).
        pyramid_width: Width of a phrase.
        label_smoothing: Share of the training target spread over all words, at least 0 and below 1.
        dropout_places: Where dropout is applied in training. ``everywhere``: to word vectors,
            between layers, to the positions that attention reads and before the softmax.
            ``layers``: between the layers of encoder and decoder alone. ``output``: before the
            softmax alone (§4.2).
        max_ratio: Maximum length of a translation: this number of target words for each source
            word, and ten more.
        beam_width: Number of hypotheses kept in decoding. 1 is greedy.
        length_penalty: Hypotheses are compared by ln p / length ** ``length_penalty``. 0: by ln p.
        bfloat16: Compute a ``bilstm`` or ``cnn`` encoder, a pyramid, in translating the steps of an
            ``lstm`` decoder, and in training the scores of a vocabulary of 500 words or more in
            bfloat16 on a CPU that has instructions for it (AVX-512 BF16 or AMX), and in single
            precision on others. It does not change encoders and decoders of other kinds.

    Returns:
        The model of a ``seq2seq_translation`` component.

    Raises:
        ValueError: A setting has a value that it cannot have.
    """
    settings = checked_settings("Translation", build_translation, locals())
    return parser_model(
        "translation",
        tok2vec,
        _build,
        what="sequence-to-sequence translator",
        settings=settings,
        decode=begin_search,
        architecture=build_translation,
    )


def _build(config: dict[str, Any]) -> Seq2Seq:
    arguments = arguments_of(build_translation, config, Seq2Seq)
    return Seq2Seq(
        linearization=WordSequence(config["labels"], config["max_ratio"]),
        **arguments,
        attention="probabilistic",
        encoder_depth=1,
        decoder_depth=1,
        reverse=True,
        cell="torch",
        action_width=config["word_width"],
        context_width=1,  # of deterministic attention, which has nothing to read here
    )

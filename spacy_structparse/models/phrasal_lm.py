"""``spacy-structparse.PhrasalLM.v1``: the language model of "Phrasal Recurrent Neural Network" over
any ``tok2vec`` that sees a token alone."""

from typing import Annotated, Any, Literal

from thinc.api import Model

from ..nn.phrasal_lm.model import PhrasalLM, Reading
from ..removed_settings import removed_settings
from .checks import ADJUSTABLE, EARLIER, Size, SizeOrNone, arguments_of, checked_settings
from .parser_model import parser_model
from .torch_model import Tok2Vec

NOT_WORDS = 2  # outputs that are none: the unknown word and the end of a sentence


@removed_settings(EARLIER, max_cells=10_000_000, mixed_precision=False)
def build_phrasal_lm(
    tok2vec: Tok2Vec,
    hidden_width: Size = 200,
    hidden_depth: Size = 2,
    pyramid: Literal["none", "lstm", "words"] = "lstm",
    cell: Literal["gru", "update", "minimal"] = "gru",
    phrase_width: Size = 200,
    attention_width: Size = 200,
    feed: bool = True,
    summary_in_output: bool = True,
    max_phrase: Annotated[SizeOrNone, ADJUSTABLE] = 400,
    bfloat16: Annotated[bool, ADJUSTABLE] = False,
) -> Model:
    """The language model of "Phrasal Recurrent Neural Network": LSTMs, and a pyramid of all phrases
    that end at the last word read.

    Args:
        tok2vec: Token vectors, each made of its token alone. Embeddings that read the words that
            follow, such as listeners, are refused.
        hidden_width: Width of the LSTMs (S, §3.2).
        hidden_depth: Layers of the LSTMs.
        pyramid: Input of the pyramid. ``lstm``: the states of the LSTMs (§3.2). ``words``: the
            token vectors (Figure 4). ``none``: no pyramid, the paper's baseline (Zaremba et al.
            2014).
        cell: Recurrent cell of the pyramid. ``gru``: a GRU (pRNN). The paper's pRNNv has a simpler
            one, which it does not name: ``update``, a GRU without a reset gate, or ``minimal``,
            whose one gate resets and updates (Zhou et al. 2016).
        phrase_width: Width of a phrase.
        attention_width: Width of the perceptron that compares phrases with the state of the LSTMs
            (Eq. 8).
        feed: The LSTMs read the weighted sum of the phrases in the next step (Eq. 4). ``false``: it
            goes into the prediction alone.
        summary_in_output: The prediction of the next word reads that sum too, of the phrases that
            end at the last word. No equation of the paper says so. ``false`` is Eq. 4 to the
            letter: the prediction reads the LSTMs alone, which the sum enters a step later.
        max_phrase: Maximum number of words in a phrase. Bounds time and memory, which grow with the
            square of the length of a sentence: of a longer one, the phrases of more words are left
            out, with a warning. 0: no limit, as in the paper.
        bfloat16: In training, compute the pyramid and the scores of words in bfloat16 on a CPU that
            has instructions for it (AVX-512 BF16 or AMX), and in single precision on others.
            Surprisals are computed in single precision.

    Returns:
        The model of a ``phrasal_lm`` component.

    Raises:
        ValueError: A setting has a value that it cannot have.
    """
    settings = checked_settings("PhrasalLM", build_phrasal_lm, locals())
    if pyramid != "none" and not (feed or summary_in_output):
        raise ValueError(
            "PhrasalLM: feed and summary_in_output are both false, so that nothing reads the "
            "phrases: set one of them, or pyramid = 'none'"
        )
    return parser_model(
        "phrasal_lm",
        tok2vec,
        _build,
        what="phrasal language model",
        settings=settings,
        architecture=build_phrasal_lm,
        decode=Reading,
    )


def _build(config: dict[str, Any]) -> PhrasalLM:
    arguments = arguments_of(build_phrasal_lm, config, PhrasalLM)
    return PhrasalLM(n_outputs=len(config["labels"]) + NOT_WORDS, **arguments)

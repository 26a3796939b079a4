"""``spacy-structparse.SPA.v1``: dependency parsing with sequence-preserved attention over any
``tok2vec``."""

from typing import Annotated, Any, Literal

from thinc.api import Model

from ..nn.spa.graph_parser import GraphParser
from ..nn.spa.graph_search import GraphSearch
from ..nn.spa.second_pass import TwoPassEncoder
from ..nn.spa.transition_parser import TransitionParser, TransitionSearch
from ..removed_settings import removed_settings
from ..transitions.dependency.arc_standard import ActionSet
from .checks import ADJUSTABLE, EARLIER, Size, arguments_of, checked_settings
from .parser_model import parser_model, parser_shims
from .torch_model import Decode, Tok2Vec

SEARCHES: dict[str, Decode] = {"graph": GraphSearch, "transition": TransitionSearch}


@removed_settings(EARLIER, max_cells=10_000_000, mixed_precision=False)
def build_spa(
    tok2vec: Tok2Vec,
    encoder: Literal["bilstm", "bigru", "cnn"] = "bilstm",
    encoder_width: Size = 400,
    encoder_depth: Size = 1,
    attention: Literal["none", "vanilla", "tob", "bot"] = "bot",
    attention_width: Size = 100,
    scorer: Literal["bilinear", "concat", "biaffine"] = "bilinear",
    scorer_width: Size = 400,
    label_width: Size = 100,
    distance: bool = False,
    head_loss: Annotated[Literal["cross_entropy", "max_margin"], ADJUSTABLE] = "cross_entropy",
    hidden_width: Size = 400,
    single_root: Annotated[bool, ADJUSTABLE] = True,
    dropout_places: Annotated[Literal["everywhere", "tokens"], ADJUSTABLE] = "everywhere",
    bfloat16: Annotated[bool, ADJUSTABLE] = False,
) -> Model:
    """The parser of "RNN-Based Sequence-Preserved Attention for Dependency Parsing". Sizes are
    those of the paper's graph-based parser, where it has them. The component's ``decoder`` chooses
    between that and the transition-based one.

    Args:
        tok2vec: Token vectors, from the parser's own embedding or a listener.
        encoder: The first reading of the sentence (SCAN). ``bilstm``: bidirectional LSTMs, whose
            layers after the first add their output to their input. ``bigru``: bidirectional GRUs.
            ``cnn``: gated, dilated convolutions (Dauphin et al. 2017), the fastest.
        encoder_width: Width of one direction of the encoder; of a ``cnn`` half of its width.
        encoder_depth: Layers of the encoder.
        attention: The second reading (RESCAN), which adds a context to each word. ``bot``: the last
            states of two GRUs, one for either side, that read the word and then the side from the
            boundary of the sentence on (Eq. 26). ``tob``: from the word to the boundary (Eq. 25).
            ``vanilla``: an attention over the sentence (Eqs. 12 to 14). ``none``: no second
            reading.
        attention_width: Width of one of these GRUs, or of the perceptron of ``vanilla``.
        scorer: The scorer of heads with ``decoder = "graph"``. ``bilinear`` and ``concat``: those
            of the paper (Eq. 8). ``biaffine``: that of Dozat & Manning (2017).
        scorer_width: Width of the hidden layers of ``concat`` and ``biaffine``.
        label_width: Width of the perceptrons before the label classifier of ``decoder = "graph"``,
            which the paper does not have.
        distance: Add a score for the side and the distance of a head, for each word and range of
            distances, with ``decoder = "graph"`` (as in Shaw et al. 2018, Eq. 4; not in the paper).
        head_loss: The loss of heads with ``decoder = "graph"``. ``cross_entropy``: each word learns
            to select its head (Eq. 10). ``max_margin``: the gold tree learns to score higher than
            all others, the more the more wrong heads they have (McDonald et al. 2005). Training
            then finds the best tree of each sentence. Probabilities of heads are not trained.
        hidden_width: Width of the hidden layer of ``decoder = "transition"`` (Eq. 5).
        single_root: Exactly one word of a sentence is its root. ``false``: several may be.
        dropout_places: Where dropout is applied in training. ``everywhere``: to token vectors,
            between layers and in the perceptrons of the scorers. ``tokens``: to token vectors alone
            (the paper's). ``dropout`` of ``TokenEmbedding.v1`` is separate.
        bfloat16: Compute a ``bilstm`` or ``cnn`` encoder, the second reading of ``tob``, ``bot``,
            the graph-based parser's maps of words as heads and dependents (not those of
            ``distance``) and, in parsing, the bilinear part of the scores of labels in bfloat16 on
            a CPU that has instructions for it (AVX-512 BF16 or AMX), and in single precision on
            others. It does not change a ``bigru`` encoder.

    Returns:
        The model of a ``spa_dep`` component.

    Raises:
        ValueError: A setting has a value that it cannot have.
    """
    settings = checked_settings("SPA", build_spa, locals())
    return parser_model(
        "spa",
        tok2vec,
        _build,
        what="sequence-preserved-attention parser",
        settings=settings,
        architecture=build_spa,
        decode=SEARCHES["graph"],
    )


def set_decoder(model: Model, decoder: str) -> None:
    """Make a model that is not initialized yet one for ``graph`` or ``transition``."""
    shim = parser_shims(model)[0]
    shim.settings["decoder"] = decoder
    shim.decode = SEARCHES[decoder]


def _build(config: dict[str, Any]) -> GraphParser | TransitionParser:
    labels = config["labels"]
    if config["decoder"] == "graph":
        arguments = arguments_of(build_spa, config, GraphParser, TwoPassEncoder)
        return GraphParser(n_labels=len(labels), **arguments)
    arguments = arguments_of(build_spa, config, TransitionParser, TwoPassEncoder)
    return TransitionParser(action_set=ActionSet(labels), **arguments)

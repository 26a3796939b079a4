"""Small sequence-to-sequence parsers whose weights leave nothing at zero, and random trees."""

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from spacy_structparse.brackets import Bracket
from spacy_structparse.nn.seq2seq.batch import Seq2SeqBatch
from spacy_structparse.nn.seq2seq.model import Seq2Seq
from spacy_structparse.transitions.constituency.bottom_up_heads import rightmost_heads, with_heads
from spacy_structparse.transitions.constituency.interface import Linearization
from spacy_structparse.transitions.constituency.registry import build_linearization
from spacy_structparse.transitions.word_sequence import WordSequence
from tests.helpers.naive_seq2seq import NaiveSeq2Seq

N_INPUT = 5
LENGTHS = [4, 3, 3, 1]
LINEARIZATIONS = ("bottom_up", "top_down", "in_order")
SETTINGS: dict[str, Any] = {
    "encoder": "bigru",
    "encoder_width": 4,
    "encoder_depth": 1,
    "reverse": True,
    "attention": "datt-bound",
    "decoder": "gru",
    "decoder_width": 6,
    "decoder_depth": 1,
    "cell": "torch",
    "action_width": 3,
    "context_width": 7,
    "readout_width": 8,
}


def random_tree(n: int, rng: np.random.Generator) -> list[Bracket]:
    """Brackets over n words in pre-order, with unary chains."""
    brackets: list[Bracket] = []
    chains = [["S"], ["NP"], ["VP"], ["S", "VP"], ["NP", "QP", "NP"]]

    def add(start: int, end: int, must: bool) -> None:
        chain = chains[rng.integers(len(chains))] if must or rng.random() < 0.6 else []
        brackets.extend(Bracket(label, start, end) for label in chain)
        if end - start > 1:
            cut = int(rng.integers(start + 1, end))
            add(start, cut, False)
            add(cut, end, False)

    add(0, n, True)
    return brackets


def linearization_of(name: str) -> Linearization | WordSequence:
    """The actions of a small random treebank, or some words."""
    if name == "words":
        return WordSequence(list("abcdef"), max_ratio=1.0)
    rng = np.random.default_rng(5)
    return build_linearization(name, [random_tree(n, rng) for n in (1, 4, 6, 8, 8, 9)])


def small_seq2seq(
    name: str = "bottom_up", seed: int = 0, spread: float = 1.2, **settings: Any
) -> tuple[Seq2Seq, NaiveSeq2Seq]:
    """A parser in float64 and evaluation mode, and its naive twin."""
    torch.manual_seed(seed)
    settings = {**SETTINGS, **settings}
    parser = Seq2Seq(N_INPUT, linearization_of(name), **settings).double().eval()
    with torch.no_grad():
        for parameter in parser.parameters():
            parameter.normal_(0.0, spread / parameter.shape[-1] ** 0.5)
    return parser, NaiveSeq2Seq(parser, **settings)


def forced_features(parser: Seq2Seq, tokens: Tensor, batch: Seq2SeqBatch) -> Tensor:
    """What the scores of actions are a linear map of, in every state of known actions."""
    previous = parser.actions(batch.previous)
    read, _ = parser.forced_states(parser.encode(tokens, batch.n_words), batch, previous)
    return parser.read_out(read, previous)


def varied_seq2seq(
    name: str = "bottom_up", seed: int = 0, **settings: Any
) -> tuple[Seq2Seq, NaiveSeq2Seq]:
    """A small parser whose decisions depend on the state: each action's scores are brought to mean
    0 and deviation 1 over random trees, where random weights prefer one action throughout."""
    parser, twin = small_seq2seq(name, seed, **settings)
    lengths = [7] * 6
    tokens, batch = random_gold(parser, lengths, seed=50 + seed)
    with torch.no_grad():
        features = forced_features(parser, torch.cat(tokens), batch)
        scores = parser.output(features)
        if parser.output.bias is None:
            # What a bias would take away, weights take from the mean of what they read.
            mean = features.mean(0)
            parser.output.weight.sub_(torch.outer(scores.mean(0), mean / (mean @ mean)))
            scores = parser.output(features)
        else:
            parser.output.bias.sub_(scores.mean(0))
            parser.output.bias.div_(scores.std(0))
        parser.output.weight.div_(scores.std(0)[:, None])
    return parser, NaiveSeq2Seq(parser, **twin.settings)


def random_tokens(lengths: Sequence[int], seed: int = 1) -> list[Tensor]:
    """One (n, N_INPUT) matrix per sentence."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(n, N_INPUT, generator=generator, dtype=torch.float64) for n in lengths]


def random_actions(parser: Seq2Seq, lengths: Sequence[int], seed: int = 2) -> list[list[int]]:
    """The actions of a random tree over each sentence, of labels that the parser knows; or of about
    as many words, unknown ones among them."""
    if isinstance(parser.linearization, WordSequence):
        rng = np.random.default_rng(seed)
        words = [rng.choice(list("abcdefg"), n + int(rng.integers(3))).tolist() for n in lengths]
        return [parser.linearization.oracle(one) for one in words]
    trees = known_trees(parser.linearization, lengths, seed)
    return [parser.linearization.oracle(tree, n) for tree, n in zip(trees, lengths, strict=True)]


def known_trees(
    linearization: Linearization, lengths: Sequence[int], seed: int
) -> list[list[Bracket]]:
    """Random trees whose chains of labels the small treebank has."""
    rng = np.random.default_rng(seed)
    trees: list[list[Bracket]] = []
    while len(trees) < len(lengths):
        n = lengths[len(trees)]
        tree = random_tree(n, rng)
        with contextlib.suppress(ValueError):
            linearization.oracle(tree, n)
            trees.append(tree)
    return trees


def forced(
    parser: Seq2Seq, lengths: Sequence[int], actions: Sequence[Sequence[int]]
) -> Seq2SeqBatch:
    """The batch of known actions; heads are the last words of elements, as in decoding."""
    if isinstance(parser.linearization, WordSequence):
        return Seq2SeqBatch.from_actions(lengths, actions, len(parser.linearization))
    positions = []
    for n, taken in zip(lengths, actions, strict=True):
        boundaries = torch.from_numpy(parser.linearization.boundaries(taken, n))
        if getattr(parser.attention, "n_positions", 0) == 7:
            boundaries = with_heads(boundaries, rightmost_heads(boundaries))
        positions.append(boundaries.numpy())
    return Seq2SeqBatch.from_actions(lengths, actions, len(parser.linearization), positions)


def random_gold(
    parser: Seq2Seq, lengths: Sequence[int], seed: int = 1
) -> tuple[list[Tensor], Seq2SeqBatch]:
    """Sentences, longest first, and random trees over them."""
    actions = random_actions(parser, lengths, seed)
    return random_tokens(lengths, seed), forced(parser, lengths, actions)


def check_against_twin(name: str = "bottom_up", **settings: Any) -> None:
    """Losses, and the gradients of every parameter and of the tokens, are the twin's."""
    parser, twin = small_seq2seq(name, **settings)
    actions = random_actions(parser, LENGTHS)
    tokens = [sentence.requires_grad_() for sentence in random_tokens(LENGTHS)]
    expected = torch.stack(
        [twin.loss(sentence, taken) for sentence, taken in zip(tokens, actions, strict=True)]
    )
    # Different weights per sentence, so that no sentence can stand in for another.
    weights = torch.arange(1.0, 1.0 + len(LENGTHS), dtype=torch.float64)
    (expected * weights).sum().backward()

    inputs = torch.cat([sentence.detach() for sentence in tokens]).requires_grad_()
    losses = parser(inputs, forced(parser, LENGTHS, actions))
    (losses * weights).sum().backward()

    torch.testing.assert_close(losses, expected, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(
        inputs.grad, torch.cat([one.grad for one in tokens]), rtol=1e-7, atol=1e-9
    )
    assert {name for name, _ in parser.named_parameters()} == set(twin.weights)
    for name, parameter in parser.named_parameters():
        reference = twin.weights[name].grad
        assert reference.abs().max() > 1e-7, f"{name} has no gradient: the check would be empty"
        torch.testing.assert_close(
            parameter.grad, reference, rtol=1e-7, atol=1e-9, msg=lambda m, name=name: f"{name}: {m}"
        )

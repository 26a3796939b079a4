"""Graph parsers' losses, gradients and trees are those of a sentence at a time."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, linear

from spacy_structparse.nn.fast import device
from spacy_structparse.nn.spa.graph_parser import ArcBatch, GraphParser
from spacy_structparse.nn.spa.graph_search import GraphSearch
from spacy_structparse.search_results import Sentences
from spacy_structparse.transitions.dependency.spanning_tree import (
    best_trees,
    is_tree,
    maximum_spanning_tree,
)
from tests.helpers.pairwise import pairwise
from tests.helpers.precision import in_bfloat16

N_INPUT, N_LABELS = 5, 4
LENGTHS = np.array([7, 5, 5, 4, 2, 1])
ONE_ROOT = {"single_root": True}
ATTENTIONS, SCORERS = ("none", "vanilla", "tob", "bot"), ("bilinear", "concat", "biaffine")
SETTINGS = {
    "encoder": "bilstm", "encoder_width": 3, "encoder_depth": 1, "attention": "bot",
    "attention_width": 3, "scorer": "bilinear", "scorer_width": 4, "label_width": 3,
}  # fmt: skip


def small_parser(**settings: Any) -> GraphParser:
    torch.manual_seed(0)
    parser = GraphParser(N_INPUT, N_LABELS, **{**SETTINGS, **settings}).double().eval()
    with torch.no_grad():
        for parameter in parser.parameters():
            parameter.normal_(0, 1.5 / parameter.shape[-1] ** 0.5)
    return parser


def random_tokens(lengths: np.ndarray) -> Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.randn(int(lengths.sum()), N_INPUT, generator=generator, dtype=torch.float64)


def random_gold(lengths: np.ndarray) -> ArcBatch:
    """Random heads, not trees: the loss does not ask for any; some are unknown."""
    rng = np.random.default_rng(2)
    n = int(lengths.sum())
    heads = rng.integers(0, np.repeat(lengths, lengths))
    is_root = heads == np.concatenate([np.arange(n) for n in lengths])
    labels = np.where(is_root, -1, rng.integers(0, N_LABELS, n))
    unknown = rng.random(n) < 0.2
    heads, labels = np.where(unknown, -1, heads), np.where(unknown, -1, labels)
    labels[rng.random(n) < 0.2] = -1
    return ArcBatch(lengths, torch.from_numpy(heads), torch.from_numpy(labels))


def scores_one_by_one(parser: GraphParser, r: Tensor) -> Tensor:
    """Eq. 8, a pair at a time, of one sentence: (n, n + 1), ROOT the first head."""
    arcs: Any = parser.arcs
    kind = type(arcs).__name__
    rows = []
    for i in range(1, len(r)):
        row = []
        for j in range(len(r)):
            if kind == "Bilinear":
                score = r[j] @ arcs.weight @ r[i]
            elif kind == "Concat":
                hidden = arcs.of_head @ r[j] + arcs.of_dependent @ r[i] + arcs.bias
                score = arcs.v @ hidden.relu()
            else:
                d = linear(r[i], arcs.of_dependent.weight, arcs.of_dependent.bias).relu()
                h = linear(r[j], arcs.of_head.weight, arcs.of_head.bias).relu()
                score = h @ (arcs.weight[:, :-1] @ d + arcs.weight[:, -1])
            if parser.distance is not None and j not in (0, i):
                # The ranges are 1, 2, 3, 4, 5 to 6, 7 to 8, 9 to 12, ..., those to the left first.
                limits = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48]
                place = sum(abs(j - i) > limit for limit in limits) + 12 * (j > i)
                score = score + parser.distance.weight[place] @ r[i] + parser.distance.bias[place]
            row.append(score)
        rows.append(torch.stack(row))
    return torch.stack(rows)


def label_scores_one_by_one(parser: GraphParser, dependent: Tensor, head: Tensor) -> Tensor:
    labels = parser.labels
    d = linear(dependent, labels.of_dependent.weight, labels.of_dependent.bias).relu()
    h = linear(head, labels.of_head.weight, labels.of_head.bias).relu()
    blocks = labels.weight.view(N_LABELS, len(h) + 1, len(d))
    pairs = torch.stack([torch.cat([h, h.new_ones(1)]) @ block @ d for block in blocks])
    return pairs + linear(h, labels.of_label_and_head.weight, labels.of_label_and_head.bias)


def loss_one_by_one(parser: GraphParser, tokens: Tensor, gold: ArcBatch) -> Tensor:
    losses = []
    parts = [part.split(LENGTHS.tolist()) for part in (tokens, gold.heads, gold.labels)]
    for sentence, heads, labels in zip(*parts, strict=True):
        n = len(sentence)
        r = parser.reader(sentence, np.array([n]))
        scores = scores_one_by_one(parser, r)
        total = tokens.new_zeros(())
        for i in range(n):
            head = int(heads[i])
            if head < 0:
                continue
            # A word is not its own head: that place is the root's.
            others = [j + 1 for j in range(n) if j != i]
            candidates = torch.stack([scores[i, 0], *(scores[i, j] for j in others)])
            place = 0 if head == i else 1 + others.index(head + 1)
            total = total + cross_entropy(candidates[None], torch.tensor([place]))
            if labels[i] >= 0:
                found = label_scores_one_by_one(parser, r[i + 1], r[head + 1])
                total = total + cross_entropy(found[None], labels[i : i + 1])
        losses.append(total)
    return torch.stack(losses)


@pytest.mark.parametrize("distance", [False, True])
@pytest.mark.parametrize(
    ("attention", "scorer", "encoder"),
    pairwise(ATTENTIONS, SCORERS, ["bilstm", "bigru", "cnn"]),
)
def test_losses_and_gradients_are_those_of_a_sentence_at_a_time(
    attention: str, scorer: str, encoder: str, distance: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "MAX_CELLS", 36)
    parser = small_parser(attention=attention, scorer=scorer, encoder=encoder, distance=distance)
    tokens = random_tokens(LENGTHS).requires_grad_()
    gold = random_gold(LENGTHS)
    weights = torch.arange(1.0, 1.0 + len(LENGTHS), dtype=torch.float64)
    inputs = [tokens, *parser.parameters()]
    expected = loss_one_by_one(parser, tokens, gold)
    expected_gradients = torch.autograd.grad((expected * weights).sum(), inputs)
    found = parser(tokens, gold)
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)
    gradients = torch.autograd.grad((found * weights).sum(), inputs)
    for one, other in zip(gradients, expected_gradients, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize(
    ("attention", "scorer", "single_root"), pairwise(ATTENTIONS, SCORERS, [True, False])
)
def test_trees_are_the_best_and_the_same_in_any_batch(
    attention: str, scorer: str, single_root: bool
) -> None:
    parser = small_parser(attention=attention, scorer=scorer, distance=single_root)
    tokens = random_tokens(LENGTHS)
    with torch.inference_mode():
        found = GraphSearch(parser, tokens, Sentences(LENGTHS), {"single_root": single_root}).best()
        ends = np.cumsum(LENGTHS)[:-1]
        for sentence, heads, labels in zip(
            tokens.split(LENGTHS.tolist()),
            np.split(found.heads, ends),
            np.split(found.labels, ends),
            strict=True,
        ):
            n = np.array([len(sentence)])
            alone = GraphSearch(parser, sentence, Sentences(n), {"single_root": single_root}).best()
            assert np.array_equal(alone, [heads, labels])
            assert is_tree(heads, single_root)
            r = parser.reader(sentence, n)
            scores = scores_one_by_one(parser, r)
            square = torch.where(torch.eye(len(sentence)).bool(), scores[:, :1], scores[:, 1:])
            best = maximum_spanning_tree(square.numpy(), single_root)
            assert heads.tolist() == best.tolist()
            for i, (head, label) in enumerate(zip(heads.tolist(), labels.tolist(), strict=True)):
                of_arc = label_scores_one_by_one(parser, r[i + 1], r[head + 1])
                assert label == (-1 if head == i else int(of_arc.argmax()))


@pytest.mark.parametrize("scorer", SCORERS)
def test_in_bfloat16_a_sentence_has_the_scores_that_it_has_among_others(
    scorer: str,
) -> None:
    lengths = np.array([30, 9, 4])
    parser = small_parser(attention="none", scorer=scorer, encoder="bigru").float()
    tokens = random_tokens(lengths).float()

    @torch.no_grad()
    def scores(tokens: Tensor, lengths: np.ndarray) -> list[Tensor]:
        contextual = parser.reader(tokens, lengths)
        labels = parser.labels(contextual, torch.arange(3), torch.arange(3))
        _, of_shortest = parser.head_scores(contextual, lengths)[-1]
        return [of_shortest[-1, :4, :4], labels]

    single = scores(tokens, lengths)
    with in_bfloat16():
        together = scores(tokens, lengths)
        alone = scores(tokens[-4:], lengths[-1:])
    for one, other in zip(single, together, strict=True):
        torch.testing.assert_close(one, other, rtol=0.1, atol=0.1)
        assert not torch.allclose(one, other, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(alone[0], together[0], rtol=0.02, atol=0.02)


def test_a_search_keeps_the_precision_in_which_it_was_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(device, "cpu_has_bfloat16", lambda: True)  # also after the context
    lengths = np.array([30, 9, 4])
    parser = small_parser(attention="none").float()
    tokens = random_tokens(lengths).float()
    plain = GraphSearch(parser, tokens, Sentences(lengths), ONE_ROOT)
    with in_bfloat16():
        rounded = GraphSearch(parser, tokens, Sentences(lengths), ONE_ROOT)
        expected = GraphSearch(parser, tokens, Sentences(lengths), ONE_ROOT).head_probabilities()
    for found, of_sentence in zip(rounded.head_probabilities(), expected, strict=True):
        assert np.array_equal(found, of_sentence)
    assert not np.allclose(plain.head_probabilities()[0], expected[0], rtol=1e-5, atol=1e-6)


def test_a_distance_far_away() -> None:
    """Heads in every range of distances, on both sides."""
    parser = small_parser(distance=True)
    tokens = random_tokens(np.array([120]))
    r = parser.reader(tokens, np.array([120]))
    ((_, scores),) = parser.head_scores(r, np.array([120]))
    expected = scores_one_by_one(parser, r)[:, 1:]
    apart = ~torch.eye(120, dtype=torch.bool)
    torch.testing.assert_close(scores[0][apart], expected[apart])


def test_scores_that_are_no_numbers_still_give_trees() -> None:
    real = torch.tensor([[True] * 4, [True, True, False, False]])
    for value in (torch.nan, torch.inf, -torch.inf, 0.0):
        scores = torch.full((2, 4, 4), value)
        for heads, n in zip(best_trees(scores, real, True), (4, 2), strict=True):
            assert is_tree(heads[:n].numpy())

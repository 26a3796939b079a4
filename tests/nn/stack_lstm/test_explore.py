import numpy as np
import pytest
import torch

from spacy_structparse.nn.layers.beam import SHARPNESS, Beam
from spacy_structparse.nn.stack_lstm.batch import StackLSTMBatch
from spacy_structparse.nn.stack_lstm.decoding import StackLSTMSearch, explore
from spacy_structparse.nn.stack_lstm.model import StackLSTM
from spacy_structparse.search_results import Sentences
from spacy_structparse.transitions.dependency.arc_standard import (
    derive,
    oracle,
)
from spacy_structparse.transitions.dependency.dynamic_oracle import (
    ProjectiveTree,
    dynamic_targets,
)
from tests.helpers.naive_parser import NaiveParser
from tests.helpers.parser_cases import ACTIONS, action_of, gold_batch, random_tokens, varied_parser

LENGTHS = [6, 4, 3, 1]
# Chains to the right, and to the left: the last word of each sentence is the root, or the first.
TREES = [
    ProjectiveTree(np.minimum(np.arange(1, n + 1), n - 1), np.arange(n) % 3)
    if i % 2
    else ProjectiveTree(np.maximum(np.arange(n) - 1, 0), np.arange(n) % 3)
    for i, n in enumerate(LENGTHS)
]


def gold_of(trees: list[ProjectiveTree | None]) -> StackLSTMBatch:
    derivations = [derive(oracle(tree.heads.tolist())) for tree in TREES]
    actions = [
        np.array(
            [
                action_of(ACTIONS, move, int(tree.labels[word]))
                for move, word in zip(d.moves, d.dependents_at, strict=True)
            ]
        )
        for d, tree in zip(derivations, TREES, strict=True)
    ]
    return StackLSTMBatch.from_derivations(derivations, actions, ACTIONS, trees=trees)


@pytest.fixture
def parser() -> StackLSTM:
    return varied_parser(direct=True)


def test_losses_are_those_of_the_oracles_targets_on_the_drawn_path(
    parser: StackLSTM,
) -> None:
    tokens = random_tokens(LENGTHS)
    gold = gold_of(list(TREES))
    torch.manual_seed(3)
    with torch.no_grad():
        batch = explore(parser, torch.cat(tokens), gold)
    assert batch.actions.tolist() != gold.actions.tolist()
    ends = np.cumsum([2 * n - 1 for n in LENGTHS])[:-1]
    twin = NaiveParser(parser, len(ACTIONS.labels), "torch")
    expected = []
    for sentence, taken, tree in zip(
        tokens, np.split(batch.actions.numpy(), ends), TREES, strict=True
    ):
        derivation = derive(ACTIONS.move_of[taken].tolist())
        _, allowed = dynamic_targets(derivation, tree, ACTIONS)
        steps = twin.log_probabilities(sentence, taken.tolist())
        right = [
            sum(log_p[action].exp() for action in np.flatnonzero(row).tolist()).log()
            for log_p, row in zip(steps, allowed, strict=True)
        ]
        expected.append(-torch.stack(right).sum())
    losses = parser(torch.cat(tokens), batch)
    torch.testing.assert_close(losses, torch.stack(expected), rtol=1e-6, atol=1e-9)


def test_actions_are_drawn_from_the_sharpened_distribution(parser: StackLSTM) -> None:
    """Two words leave one choice, the last: its frequencies in 4,000 copies of a sentence."""
    sentence = random_tokens([2])[0]
    n = 4000
    torch.manual_seed(0)
    with torch.no_grad():
        search = StackLSTMSearch(parser, sentence.repeat(n, 1), Sentences(np.full(n, 2)), {})
        drawn = search.run(Beam(search.n_moves, sharpness=SHARPNESS)).best()
    frequencies = np.bincount(drawn[:, 2], minlength=len(ACTIONS)) / n
    twin = NaiveParser(parser, len(ACTIONS.labels), "torch")
    log_p = twin.log_probabilities(sentence, [0, 0, 1])[2]
    sharpened = torch.stack([SHARPNESS * log_p[action] for action in range(1, len(ACTIONS))])
    np.testing.assert_allclose(
        frequencies[1:], sharpened.softmax(0).detach().numpy(), atol=4 * 0.5 / n**0.5
    )
    assert frequencies[0] == 0


def test_a_batch_with_an_unknown_tree_follows_the_gold(parser: StackLSTM) -> None:
    gold = gold_of([TREES[0], None, *TREES[2:]])
    assert explore(parser, torch.cat(random_tokens(LENGTHS)), gold) is gold
    plain = gold_batch([np.array([0])])
    assert explore(parser, random_tokens([1])[0], plain) is plain

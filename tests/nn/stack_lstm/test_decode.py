import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from spacy_structparse.nn.layers.beam import Beam
from spacy_structparse.nn.stack_lstm.decoding import StackLSTMSearch
from spacy_structparse.nn.stack_lstm.model import StackLSTM
from spacy_structparse.search_results import Sentences
from spacy_structparse.transitions.dependency.arc_confidence import arc_confidence
from spacy_structparse.transitions.dependency.arc_standard import (
    ActionSet,
    derive,
)
from tests.helpers.naive_parser import NaiveParser
from tests.helpers.parser_cases import (
    ACTIONS,
    gold_batch,
    heads_from,
    random_tokens,
    varied_parser,
)

LENGTHS = [9, 6, 6, 3, 2, 1, 1]
# Every pair of values.
CASES = [
    ("torch", True, "last"), ("torch", False, "first"), ("paper", True, "first"),
    ("paper", False, "last"), ("rnn", True, "last"), ("rnn", False, "first"),
]  # fmt: skip


def parse(parser: StackLSTM, tokens: list[Tensor], width: int = 1) -> list[list[int]]:
    """The actions of sentences given longest first; what follows a sentence's end must be -1."""
    lengths = [len(sentence) for sentence in tokens]
    with torch.no_grad():
        search = StackLSTMSearch(parser, torch.cat(tokens), Sentences(np.array(lengths)), {})
        found = search.run(Beam(search.n_moves, width)).best()
    assert found.shape == (len(lengths), 2 * lengths[0] - 1)
    sequences = []
    for column, n in zip(found.tolist(), lengths, strict=True):
        assert all(action == -1 for action in column[2 * n - 1 :])
        sequences.append(column[: 2 * n - 1])
    return sequences


def log_likelihoods(
    parser: StackLSTM, tokens: list[Tensor], sequences: list[list[int]], actions: ActionSet
) -> Tensor:
    gold = [np.array(sequence) for sequence in sequences]
    with torch.no_grad():
        return -parser(torch.cat(tokens), gold_batch(gold, action_set=actions))


def check_tree(actions: list[int], n: int) -> np.ndarray:
    """The heads of a legal sequence; every word must lead to the only root."""
    assert all(0 <= action < len(ACTIONS) for action in actions)
    heads = heads_from(derive(ACTIONS.move_of[actions].tolist()))
    assert len(heads) == n
    assert (heads == np.arange(n)).sum() == 1
    ancestors = heads
    for _ in range(n.bit_length()):
        ancestors = ancestors[ancestors]
    assert len(set(ancestors.tolist())) == 1
    return heads


@pytest.mark.parametrize(("cell", "composition", "root"), CASES)
@pytest.mark.parametrize("width", [1, 2, 5])
def test_greedy_and_beam_are_the_naive_parsers(
    cell: str, composition: bool, root: str, width: int
) -> None:
    parser = varied_parser(cell=cell, composition=composition, root=root)
    twin = NaiveParser(parser, len(ACTIONS.labels), cell)
    tokens = random_tokens(LENGTHS if width == 1 else LENGTHS[1:])
    expected = [twin.beam(sentence, width)[0] for sentence in tokens]
    assert parse(parser, tokens, width) == expected


@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("root", ["last", "first"])
def test_a_state_that_reads_the_tops_of_the_stacks(root: str, width: int) -> None:
    parser = varied_parser(direct=True, root=root)
    twin = NaiveParser(parser, len(ACTIONS.labels), "torch")
    tokens = random_tokens(LENGTHS)
    expected = [twin.beam(sentence, width)[0] for sentence in tokens]
    assert parse(parser, tokens, width) == expected


@pytest.mark.parametrize("width", [1, 4])
def test_confidence_is_that_of_the_scores_of_the_derivations(width: int) -> None:
    parser = varied_parser()
    tokens = random_tokens(LENGTHS)
    n_words = np.array(LENGTHS)
    search = StackLSTMSearch(parser, torch.cat(tokens), Sentences(n_words), {"beam_width": width})
    plain, confidence = search.best(), search.confidence()
    for one, other in zip(search.best(), plain, strict=True):
        assert one.tolist() == other.tolist()
    actions = [np.array(taken) for taken in parse(parser, tokens, width)]
    with torch.no_grad():
        scores = parser.forced_scores(torch.cat(tokens), gold_batch(actions))
    of_sentences = scores.split([len(taken) for taken in actions])
    # As the states of a search come: step by step, those still running.
    by_step = torch.stack(
        [one[step] for step in range(len(actions[0])) for one in of_sentences if step < len(one)]
    )
    padded = pad_sequence([torch.from_numpy(taken) for taken in actions], padding_value=-1)
    expected = arc_confidence(padded.numpy(), by_step, n_words, ACTIONS)
    assert ((expected > 0.01) & (expected < 0.99)).any()
    np.testing.assert_allclose(confidence, expected, rtol=1e-4)


@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize("cell", ["torch", "paper", "rnn"])
def test_a_sentence_parses_the_same_in_any_batch(cell: str, width: int) -> None:
    parser = varied_parser(cell=cell, encoder_width=3).float()
    rng = np.random.default_rng(0)
    lengths = sorted(rng.integers(1, 25, 24).tolist(), reverse=True)
    tokens = [sentence.float() for sentence in random_tokens(lengths)]
    alone = [parse(parser, [sentence], width)[0] for sentence in tokens]
    assert parse(parser, tokens, width) == alone
    for _ in range(4):
        some = rng.permutation(len(tokens))[: rng.integers(2, len(tokens))]
        some = sorted(some.tolist(), key=lambda i: -lengths[i])  # ties stay in random order
        assert parse(parser, [tokens[i] for i in some], width) == [alone[i] for i in some]


@pytest.mark.parametrize("width", [1, 3])
def test_full_size_layers_find_the_same_actions_in_a_large_batch(width: int) -> None:
    # Large products take another way through the hardware than those of a single sentence.
    parser = varied_parser(hidden=100, element_width=100, state_width=60, depth=2, direct=True)
    twin = NaiveParser(parser, len(ACTIONS.labels), "torch")
    tokens = random_tokens([8] * 60)
    expected = [twin.beam(sentence, width)[0] for sentence in tokens[:2]]
    parser.float()
    single = [sentence.float() for sentence in tokens]
    together = parse(parser, single, width)
    assert together[:2] == expected
    assert together == [parse(parser, [sentence], width)[0] for sentence in single]


@pytest.mark.parametrize("width", [1, 4])
def test_one_word_is_shifted(width: int) -> None:
    parser = varied_parser(encoder_width=2)
    assert parse(parser, random_tokens([1]), width) == [[0]]
    assert parse(parser, random_tokens([1, 1, 1]), width) == [[0]] * 3


def test_a_thousand_words() -> None:
    parser = varied_parser(depth=1)
    twin = NaiveParser(parser, len(ACTIONS.labels), "torch")
    (long,) = random_tokens([1000])
    (greedy,) = parse(parser, [long])
    check_tree(greedy, 1000)
    assert greedy == twin.greedy(long)
    short = random_tokens([3], seed=2)
    assert parse(parser, [long, *short]) == [greedy, *parse(parser, short)]


@pytest.mark.parametrize("direct", [False, True])
def test_a_wide_beam_ends_in_all_hypotheses_with_their_probabilities(direct: bool) -> None:
    """3 words are joined in 2 orders, 2 words in 1, by reductions of 2 directions and 3 labels:
    2 * 6 * 6 sequences of actions, and 6."""
    parser = varied_parser(direct=direct)
    tokens = random_tokens([3, 2])
    with torch.no_grad():
        search = StackLSTMSearch(parser, torch.cat(tokens), Sentences(np.array([3, 2])), {})
        found = search.run(Beam(search.n_moves, 100)).hypotheses()
    assert [len(of_one.actions) for of_one in found] == [72, 6]
    for sentence, (actions, log_probs) in zip(tokens, found, strict=True):
        sequences = [one.tolist() for one in actions]
        assert len({tuple(one) for one in sequences}) == len(sequences)
        expected = log_likelihoods(parser, [sentence] * len(sequences), sequences, ACTIONS)
        np.testing.assert_allclose(log_probs, expected.numpy(), atol=1e-4)
        assert (np.diff(log_probs) <= 0).all()

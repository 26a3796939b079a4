"""Decoding along known actions: the probability of each, and what was attended to before it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ...transitions.constituency.interface import IDLE
from ..layers.deterministic_attention import DeterministicAttention
from .beam_search import Decoded, Member, Sentences, decode, read_boundaries
from .decoder_state import DecoderState
from .legal_actions import legal_scores


@dataclass(frozen=True)
class ForcedQuery:
    """Sentences and (T,) legal actions for each of them."""

    batch: Sentences
    actions: list[np.ndarray]


@dataclass(frozen=True)
class ForcedResult:
    """For each of B sentences of n words and T actions. log_probs: (T,), of these among the legal
    ones. attention: (T, n+1) what each position got before each action, see `attention_of_step`."""

    log_probs: list[np.ndarray]
    attention: list[np.ndarray]


def decode_query(
    members: Sequence[Member],
    query: Sentences | ForcedQuery,
    beam_width: int = 1,
    constrained: bool = True,
    length_penalty: float = 0.0,
) -> Decoded | ForcedResult:
    """Answer a query: the best actions, or the probabilities of given ones.

    Args:
        members: The parsers and their token vectors.
        query: The sentences, with or without actions.
        beam_width, constrained, length_penalty: See
            :func:`spacy_structparse.nn.seq2seq.beam_search.decode`.
    """
    if isinstance(query, ForcedQuery):
        return forced_decode(members, query.batch, query.actions)
    return decode(members, query, beam_width, constrained, length_penalty=length_penalty)


def forced_decode(
    members: Sequence[Member], batch: Sentences, actions: Sequence[np.ndarray]
) -> ForcedResult:
    """Decode as `decode` does, but take the actions given.

    members: the parsers; of an ensemble log probabilities and attention are averaged. actions: (T,)
    legal ones for each sentence. Takes memory for all steps: meant for looking at some sentences.
    """
    first, tokens = members[0]
    linearization, device = first.linearization, tokens.device
    lengths = batch.n_words
    readers = [DecoderState(m, x, lengths, 1) for m, x in members]
    state = linearization.initial(lengths.tolist(), device, batch.symbols)
    needs_boundaries = read_boundaries(members)
    n_steps = max(len(taken) for taken in actions)
    padded = np.full((n_steps, len(actions)), IDLE)
    for i, taken in enumerate(actions):
        padded[: len(taken), i] = taken
    previous = torch.full((len(actions),), len(linearization), dtype=torch.long, device=device)
    log_probs, attention = [], []
    for chosen in torch.from_numpy(padded).to(device):
        boundaries = state.boundaries() if needs_boundaries else None
        scores = legal_scores([reader.step(previous, boundaries) for reader in readers], state)
        log_p = torch.stack([one.log_softmax(1) for one in scores]).mean(0)
        log_probs.append(log_p.gather(1, chosen[:, None])[:, 0])
        shares = [attention_of_step(reader, int(lengths[0]) + 1) for reader in readers]
        attention.append(torch.stack(shares).mean(0))
        state.apply(chosen)
        previous = chosen
    all_log_probs = torch.stack(log_probs).cpu().numpy()
    all_attention = torch.stack(attention).cpu().numpy()
    return ForcedResult(
        [all_log_probs[: len(taken), i] for i, taken in enumerate(actions)],
        [
            all_attention[: len(taken), i, : n + 1]
            for i, (taken, n) in enumerate(zip(actions, lengths.tolist(), strict=True))
        ],
    )


def attention_of_step(reader: DecoderState, n_positions: int) -> Tensor:
    """(B, n_positions) what a reader attended to in its last step: the shares of probabilistic
    attention; 1/k for each of k positions of deterministic attention, those that several point to
    more, those without a position left out; zeros without attention."""
    none = reader.state.new_zeros(len(reader.state), n_positions, dtype=torch.float)
    if isinstance(reader.attention, DeterministicAttention):
        positions = reader.positions
        if positions is None:
            return none
        there = (positions >= 0).float()
        weights = there / there.sum(1, keepdim=True).clamp(min=1.0)
        return none.scatter_add(1, positions.clamp(min=0), weights)
    if reader.shares is not None:
        none[:, : reader.shares.shape[1]] = reader.shares
    return none

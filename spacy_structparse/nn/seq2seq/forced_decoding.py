"""Decoding along given actions: the probability of each, and the attention before it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ...transitions.constituency.interface import IDLE
from ..kernels.device import uploaded
from .beam_search import Member, Sentences, mean_log_probs, new_boundaries, reads_boundaries
from .decoder_state import DecoderState
from .legal_actions import mask_illegal


@dataclass(frozen=True)
class ForcedQuery:
    """Sentences and (T,) legal actions for each of them."""

    sentences: Sentences
    actions: list[np.ndarray]


@dataclass(frozen=True)
class ForcedResult:
    """Of each of B sentences of n words and T actions.

    Attributes:
        log_probs: (T,) log probability of each action among the legal ones.
        attention: (T, n + 1) the share of each position before each action, see
            :meth:`DecoderState.attended`.
    """

    log_probs: list[np.ndarray]
    attention: list[np.ndarray]


def forced_decode(
    members: Sequence[Member], sentences: Sentences, actions: Sequence[np.ndarray]
) -> ForcedResult:
    """Decode as :func:`~spacy_structparse.nn.seq2seq.beam_search.decode` does, but take the actions
    given. The memory grows with sentences times steps.

    Args:
        members: One model, or an ensemble: log probabilities and attention are averaged.
        sentences: The sentences.
        actions: (T,) legal actions for each sentence.
    """
    first, tokens = members[0]
    linearization, device = first.linearization, tokens.device
    lengths = sentences.n_words
    decoders = [DecoderState(m, x, lengths, 1) for m, x in members]
    state = linearization.initial(lengths.tolist(), device, sentences.symbols)
    needs_boundaries = reads_boundaries(members)
    n_steps = max(len(taken) for taken in actions)
    padded = np.full((n_steps, len(actions)), IDLE)
    for i, taken in enumerate(actions):
        padded[: len(taken), i] = taken
    previous = torch.full((len(actions),), len(linearization), dtype=torch.long, device=device)
    log_probs: list[Tensor] = []
    attention: list[Tensor] = []
    for chosen in uploaded(padded, device):
        boundaries = new_boundaries(state) if needs_boundaries else None
        scores = [decoder.step(previous, boundaries) for decoder in decoders]
        mask_illegal(scores, state)
        log_probs.append(mean_log_probs(scores).gather(1, chosen[:, None])[:, 0])
        shares = [decoder.attended(int(lengths[0]) + 1) for decoder in decoders]
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

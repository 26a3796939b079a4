"""What a sequence-to-sequence model finds without gold annotation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ...search_results import ConfidentParse, Hypotheses
from ...transitions.constituency.bottom_up import BottomUp, dynamic_oracle
from ...transitions.constituency.bottom_up_heads import rightmost_heads, with_heads
from ...transitions.constituency.bracket_confidence import bracket_confidence, closing_actions
from ...transitions.constituency.interface import IDLE
from ..fast.device import to_device, uploaded
from ..layers.beam import SHARPNESS
from .batch import Seq2SeqBatch
from .beam_search import (
    Decoded,
    Member,
    Sentences,
    beam_hypotheses,
    decode,
    mean_log_probs,
    new_boundaries,
    reads_boundaries,
)
from .decoder_state import DecoderState, mask_illegal
from .model import Seq2Seq


@dataclass(frozen=True)
class ForcedResult:
    """Of each of B sentences of n words and T actions.

    Attributes:
        log_probs: (T,) log probability of each action among the legal ones.
        attention: (T, n + 1) the share of each position before each action, see
            :meth:`DecoderState.attended`.
        watched: (T,) the probability of all watched actions together before each action.
    """

    log_probs: list[np.ndarray]
    attention: list[np.ndarray]
    watched: list[np.ndarray]


def forced_decode(
    members: Sequence[Member],
    sentences: Sentences,
    actions: Sequence[np.ndarray],
    watched: np.ndarray | None = None,
) -> ForcedResult:
    """Decode as :func:`~spacy_structparse.nn.seq2seq.beam_search.decode` does, but take the actions
    given. The memory grows with sentences times steps.

    Args:
        members: One model, or an ensemble: log probabilities and attention are averaged.
        sentences: The sentences.
        actions: (T,) legal actions for each sentence.
        watched: (n_actions,) bool; True for actions whose joint probability is wanted.
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
    known = sentences.constrained_rows()
    rows = np.flatnonzero(np.zeros(len(linearization)) if watched is None else watched)
    watched_rows = uploaded(rows, device)
    log_probs: list[Tensor] = []
    attention: list[Tensor] = []
    joint: list[Tensor] = []
    for chosen in uploaded(padded, device):
        boundaries = new_boundaries(state) if needs_boundaries else None
        scores = [decoder.step(previous, boundaries) for decoder in decoders]
        mask_illegal(scores, state)
        if known is not None:
            for one in scores:
                known.mask(one)
            known.apply(chosen, None)
        log_p = mean_log_probs(scores)
        log_probs.append(log_p.gather(1, chosen[:, None])[:, 0])
        joint.append(log_p.index_select(1, watched_rows).exp().sum(1))
        shares = [decoder.attended(int(lengths[0]) + 1) for decoder in decoders]
        attention.append(torch.stack(shares).mean(0))
        state.apply(chosen)
        previous = chosen
    by_step = [torch.stack(values).cpu().numpy() for values in (log_probs, attention, joint)]
    by_sentence = ([x[: len(taken), i] for i, taken in enumerate(actions)] for x in by_step)
    of_actions, shares_of, of_watched_actions = by_sentence
    shares_of = [own[:, : n + 1] for own, n in zip(shares_of, lengths.tolist(), strict=True)]
    return ForcedResult(of_actions, shares_of, of_watched_actions)


def decode_with_confidence(
    members: Sequence[Member], sentences: Sentences, beam_width: int
) -> ConfidentParse:
    """Decode with constraints, and compute how sure each bracket is.

    Args:
        members: One model, or an ensemble.
        sentences: The sentences.
        beam_width: Hypotheses kept; 1 is greedy.

    Returns:
        The actions, with a dictionary of brackets over words and their confidence for each
        sentence.
    """
    linearization = members[0][0].linearization
    closing = closing_actions(linearization)
    decoded = decode(members, sentences, beam_width)
    forced = forced_decode(members, sentences, decoded.actions, closing)
    found = [
        bracket_confidence(linearization, taken.tolist(), n, of_actions, of_closing)
        for taken, n, of_actions, of_closing in zip(
            decoded.actions,
            sentences.n_words.tolist(),
            forced.log_probs,
            forced.watched,
            strict=True,
        )
    ]
    return ConfidentParse(decoded, found)


Answer = Decoded | ForcedResult | Hypotheses | ConfidentParse


def decode_query(
    members: Sequence[Member],
    query: Sentences,
    beam_width: int = 1,
    constrained: bool = True,
    length_penalty: float = 0.0,
) -> Answer:
    """Answer a query: the best actions, alone or with the confidence of brackets, the hypotheses of
    a beam, or the probabilities of given actions.

    Args:
        members: One model, or an ensemble.
        query: The sentences, and what is wanted.
        beam_width, constrained, length_penalty: See
            :func:`spacy_structparse.nn.seq2seq.beam_search.decode`.
    """
    if query.forced is not None:
        return forced_decode(members, query, query.forced)
    if query.wanted == "k_best":
        return beam_hypotheses(members, query, query.beam_width)
    if query.wanted == "confidence":
        return decode_with_confidence(members, query, beam_width)
    return decode(members, query, beam_width, constrained, length_penalty=length_penalty)


def explore(model: Seq2Seq, tokens: Tensor, batch: Seq2SeqBatch) -> Seq2SeqBatch:
    """Draw actions, and look up the right ones in the dynamic oracle.

    The actions of a batch are drawn from the parser's own distribution, and the dynamic oracle of
    Cross & Huang (2016, §4) says which ones were right in each state.

    Args:
        model: The model, in evaluation mode, without gradients.
        tokens: (N, n_input) in the batch's order.
        batch: The gold actions, with trees.

    Returns:
        The batch of the drawn actions, on the device of ``tokens``; ``batch`` itself if trees are
        not known, or the linearization has no dynamic oracle.
    """
    system = model.linearization
    if not batch.trees or not isinstance(system, BottomUp):
        return batch
    drawn = decode([(model, tokens)], Sentences(batch.n_words), sharpness=SHARPNESS).actions
    taken = [actions.tolist() for actions in drawn]
    lengths = batch.n_words.tolist()
    positions = []
    for actions, n in zip(taken, lengths, strict=True):
        boundaries = torch.from_numpy(system.boundaries(actions, n))
        if batch.positions.shape[1] > boundaries.shape[1]:
            boundaries = with_heads(boundaries, rightmost_heads(boundaries))
        positions.append(boundaries.numpy())
    right = [
        dynamic_oracle(system, actions, tree, n)
        for actions, tree, n in zip(taken, batch.trees, lengths, strict=True)
    ]
    explored = Seq2SeqBatch.from_actions(
        lengths, taken, len(system), positions, right, trees=batch.trees
    )
    return to_device(explored, tokens.device)

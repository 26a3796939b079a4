"""Choosing actions: the best hypotheses of a beam, or a draw from the model's distribution."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from ...constraints import ConstrainedRows
from ...search_results import Derivations
from ..fast.device import to_host

# Exploration draws from p ** SHARPNESS, flatter than the model's own distribution (Ballesteros et
# al. 2016).
SHARPNESS = 0.75


class Beam:
    """The search for the actions of B sentences, ``width`` hypotheses of each.

    A row is a hypothesis, sentence after sentence. Where sentences end at different steps the
    longest come first: those still running are a prefix.

    Args:
        n_sentences: B.
        width: Hypotheses kept; 1 is greedy.
        constraints: What every sentence must keep; None: nothing.
        sharpness: Draw actions from p ** sharpness instead, with a width of 1.
        keep_scores: Keep the scores of all actions at every step, for :meth:`best_scores`.
    """

    def __init__(
        self,
        n_sentences: int,
        width: int = 1,
        constraints: ConstrainedRows | None = None,
        *,
        sharpness: float | None = None,
        keep_scores: bool = False,
    ) -> None:
        self.n_sentences, self.width = n_sentences, width
        self.constraints = constraints
        self.sharpness = sharpness
        self.keep_scores = keep_scores
        self._total: Tensor | None = None  # (sentences still running, width)
        # Of each step: the action of each row, the row of the step before that it continues, the
        # log probabilities, the scores.
        self._actions: list[Tensor] = []
        self._parents: list[Tensor | None] = []
        self._totals: list[Tensor] = []
        self._scores: list[Tensor] = []

    def choose(self, scores: Tensor) -> tuple[Tensor, Tensor | None]:
        """Choose the next action of each row.

        Args:
            scores: (M, n_actions) of the rows still running, illegal actions at -inf; changed in
                place.

        Returns:
            (M,) actions; (M,) the rows that they continue, None where all continue themselves.
        """
        if self.keep_scores:
            # What is known is no part of how sure the parser is.
            self._scores.append(scores if self.constraints is None else scores.clone())
        if self.constraints is not None:
            self.constraints.mask(scores)
        parents = None
        if self.width > 1:
            if self._total is None:
                self._total = first_hypotheses(self.n_sentences, self.width, scores.device)
            log_p = scores.log_softmax(1).view(-1, self.width, scores.shape[1])
            candidates = self._total[: len(log_p), :, None] + log_p
            self._total, parents, chosen = best_hypotheses(candidates)
            self._totals.append(self._total)
        elif self.sharpness is not None:
            chosen = draw_actions(scores, self.sharpness)
        else:
            chosen = scores.argmax(1)
        if self.constraints is not None:
            self.constraints.apply(chosen, parents)
        self._actions.append(chosen)
        self._parents.append(parents)
        return chosen, parents

    def best(self, lengths: np.ndarray) -> np.ndarray:
        """Return the best actions: (B, steps), -1 after a sentence's end.

        Args:
            lengths: (B,) actions of each sentence.
        """
        rows = np.arange(len(lengths)) * self.width
        return trace_back(self._actions, self._parents, lengths - 1, rows)

    def best_scores(self, lengths: np.ndarray) -> Tensor:
        """Return the scores that the best actions were chosen by.

        Args:
            lengths: (B,) actions of each sentence.

        Returns:
            (T, n_actions): the first step of all sentences, the second of those still running, and
            so on.
        """
        if self.width == 1:
            return torch.cat(self._scores)
        first = np.arange(len(lengths)) * self.width
        places = [torch.arange(len(chosen), device=chosen.device) for chosen in self._actions]
        rows = trace_back(places, self._parents, lengths - 1, first)
        before = torch.from_numpy(np.concatenate([first[:, None], rows[:, :-1]], 1))
        before = before.to(self._scores[0].device)
        steps = enumerate(zip(self._scores, self._totals, strict=True))
        return torch.cat([scores[before[: len(total), i]] for i, (scores, total) in steps])

    def hypotheses(self, lengths: np.ndarray) -> list[Derivations]:
        """Return all possible hypotheses of each sentence.

        Args:
            lengths: (B,) actions of each sentence.
        """
        rows = np.arange(len(lengths) * self.width)
        ends = np.repeat(lengths - 1, self.width)
        actions = trace_back(self._actions, self._parents, ends, rows)
        at_end = [self._totals[end][i] for i, end in enumerate((lengths - 1).tolist())]
        log_probs = torch.stack(at_end).double().cpu().numpy()
        # Where fewer were possible, others fill the beam up, with log probability -inf.
        possible = np.isfinite(log_probs)
        by_sentence = actions.reshape(len(lengths), self.width, -1)
        return [
            Derivations([row[:n] for row in by_sentence[i][possible[i]]], log_probs[i][possible[i]])
            for i, n in enumerate(lengths.tolist())
        ]


def draw_actions(scores: Tensor, sharpness: float) -> Tensor:
    """Draw an action of each state from p ** sharpness, p the softmax of the scores.

    Args:
        scores: (N, n_actions), illegal actions at -inf or far below all others.
        sharpness: 1 draws from p itself; less is flatter.

    Returns:
        (N,) actions. The largest sum of a score and Gumbel noise is such a draw (Gumbel 1954).
    """
    noise = torch.empty_like(scores).exponential_().log_()
    return (sharpness * scores - noise).argmax(1)


def first_hypotheses(n_sentences: int, width: int, device: torch.device) -> Tensor:
    """Log probabilities (n_sentences, width) of hypotheses before the first step: only the first
    one of each sentence is real."""
    total = torch.full((n_sentences, width), -torch.inf, device=device)
    total[:, 0] = 0.0
    return total


def best_hypotheses(
    candidates: Tensor, compared: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Select the best continuations of each sentence's hypotheses.

    Args:
        candidates: (B, width, n_actions) log probability of each hypothesis with each next action.
        compared: (B, width, n_actions) keys by which continuations are compared, ``candidates`` by
            default.

    Returns:
        (B, width) their log probabilities, best first; (B * width,) the rows that they continue;
        (B * width,) their actions. Where fewer than ``width`` are possible, the best one fills up,
        with log probability -inf.
    """
    n, width, n_actions = candidates.shape
    if compared is None:
        total, flat = candidates.view(n, -1).topk(width, 1)
    else:
        _, flat = compared.view(n, -1).topk(width, 1)
        total = candidates.view(n, -1).gather(1, flat)
    flat = torch.where(total == -torch.inf, flat[:, :1], flat)
    first = torch.arange(n, device=flat.device)[:, None] * width
    parents = flat.div(n_actions, rounding_mode="floor") + first
    return total, parents.view(-1), (flat % n_actions).view(-1)


def trace_back(
    actions: Sequence[Tensor], parents: Sequence[Tensor | None], ends: np.ndarray, rows: np.ndarray
) -> np.ndarray:
    """Follow each sentence's best hypothesis back from its end.

    Args:
        actions: For each step the action of each row.
        parents: For each step the row of the step before that each row continues; None where all
            rows continue themselves.
        ends: (B,) the last step of each sentence.
        rows: (B,) the row of its best hypothesis at that step.

    Returns:
        (B, steps) actions, -1 after a sentence's end.
    """
    if all(step is None for step in parents):
        return pad_sequence(list(actions), padding_value=-1).cpu().numpy()[rows]
    found = np.full((len(ends), len(actions)), -1, dtype=np.int64)
    rows = rows.copy()
    steps = to_host([*actions, *(one for one in parents if one is not None)])
    taken = [one.numpy() for one in steps[: len(actions)]]
    of_parents = iter(steps[len(actions) :])
    continued = [None if one is None else next(of_parents).numpy() for one in parents]
    for step in range(len(taken) - 1, -1, -1):
        running = np.flatnonzero(ends >= step)
        found[running, step] = taken[step][rows[running]]
        back = continued[step]
        if back is not None:
            rows[running] = back[rows[running]]
    return found

"""Choosing actions: the best hypotheses of a beam, or a draw from the model's distribution."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from ...search_results import Hypotheses
from ..fast.device import to_host

# Exploration draws from p ** SHARPNESS, flatter than the model's own distribution (Ballesteros et
# al. 2016).
SHARPNESS = 0.75


@dataclass(frozen=True)
class Steps:
    """The steps of a search over B sentences, longest first, those still running a prefix.

    Attributes:
        actions: For each step the action of each row; a row is a hypothesis.
        parents: For each step the row of the step before that each row continues; None where all
            rows continue themselves.
        totals: For each step of a beam (sentences still running, width) log probabilities.
        scores: For each step (rows of the step before, n_actions), where they are kept.
    """

    actions: list[Tensor] = field(default_factory=list)
    parents: list[Tensor | None] = field(default_factory=list)
    totals: list[Tensor] = field(default_factory=list)
    scores: list[Tensor] = field(default_factory=list)

    def best(self, lengths: np.ndarray) -> np.ndarray:
        """The best actions: (B, steps), -1 after a sentence's end. lengths: (B,) actions."""
        width = self.totals[0].shape[1] if self.totals else 1
        rows = np.arange(len(lengths)) * width
        return trace_back(self.actions, self.parents, lengths - 1, rows)

    def padded(self, lengths: np.ndarray) -> Tensor:
        """The best actions: (steps, B), -1 after a sentence's end; without a beam on the device.
        lengths: (B,) actions."""
        if self.totals:
            return torch.from_numpy(self.best(lengths).T)
        return torch.nn.utils.rnn.pad_sequence(self.actions, padding_value=-1).t()

    def best_scores(self, lengths: np.ndarray) -> Tensor:
        """The scores that the best actions were chosen by: (T, n_actions), the first step of all
        sentences, the second of those still running, and so on. lengths: (B,) actions."""
        if not self.totals:
            return torch.cat(self.scores)
        width = self.totals[0].shape[1]
        first = np.arange(len(lengths)) * width
        places = [torch.arange(len(one), device=one.device) for one in self.actions]
        rows = trace_back(places, self.parents, lengths - 1, first)
        before = torch.from_numpy(np.concatenate([first[:, None], rows[:, :-1]], 1))
        before = before.to(self.scores[0].device)
        return torch.cat(
            [
                one[before[: len(total), i]]
                for i, (one, total) in enumerate(zip(self.scores, self.totals, strict=True))
            ]
        )

    def all(self, lengths: np.ndarray) -> Hypotheses:
        """All possible hypotheses of a beam. lengths: (B,) actions."""
        width = self.totals[0].shape[1]
        rows = np.arange(len(lengths) * width)
        ends = np.repeat(lengths - 1, width)
        found = trace_back(self.actions, self.parents, ends, rows)
        at_end = [self.totals[end][i] for i, end in enumerate((lengths - 1).tolist())]
        log_probs = torch.stack(at_end).double().cpu().numpy()
        # Where fewer were possible, others fill the beam up, with log probability -inf.
        real = np.isfinite(log_probs)
        by_sentence = found.reshape(len(lengths), width, -1)
        return Hypotheses(
            [[row[:n] for row in by_sentence[i][real[i]]] for i, n in enumerate(lengths.tolist())],
            [log_probs[i][real[i]] for i in range(len(lengths))],
        )


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

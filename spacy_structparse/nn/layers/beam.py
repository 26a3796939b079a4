"""Choosing actions: the best hypotheses of a beam, or a draw from the model's distribution."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from ...constraints import ConstrainedRows
from ...search_results import Derivations
from ..fast.device import range_like, to_device, to_host, to_numpy

# Exploration draws from p ** SHARPNESS, flatter than the model's own distribution (Ballesteros et
# al. 2016).
SHARPNESS = 0.75


class Beam:
    """The search for the actions of B sentences, ``width`` hypotheses of each.

    A row is a hypothesis, sentence after sentence. Sentences leave the search at the end of a
    prefix, longest first, by having no scores any more; or wherever they are, by :meth:`leave`.

    Args:
        n_steps: (B,) actions of each sentence, or the most that it may have.
        width: Hypotheses kept; 1 is greedy.
        constraints: What every sentence must keep; None: nothing.
        sharpness: Draw actions from p ** sharpness instead, with a width of 1.
        length_penalty: Hypotheses are compared by ln p / length ** length_penalty.
        until_all_finished: A sentence is done when all its hypotheses are finished.
        keep_scores: Keep the scores of all actions at every step, for :meth:`best_scores`.
    """

    def __init__(
        self,
        n_steps: np.ndarray,
        width: int = 1,
        constraints: ConstrainedRows | None = None,
        *,
        sharpness: float | None = None,
        length_penalty: float = 0.0,
        until_all_finished: bool = False,
        keep_scores: bool = False,
    ) -> None:
        self.n_steps, self.width = n_steps, width
        self.constraints = constraints
        self.sharpness, self.length_penalty = sharpness, length_penalty
        # Where lengths count, a hypothesis may yet overtake one that is finished.
        self.until_all_finished = until_all_finished or bool(length_penalty)
        self.keep_scores = keep_scores
        # Of each step: the action of each row, the row of the step before that it continues, the
        # log probabilities, the scores.
        self._actions: list[Tensor] = []
        self._parents: list[Tensor | None] = []
        self._totals: list[Tensor] = []
        self._scores: list[Tensor] = []
        # Of sentences still searched for: which they are, (B', width) log probabilities and numbers
        # of actions, and the rows of the last step that they have.
        self._open = np.arange(len(n_steps))
        self._total: Tensor | None = None
        self._lengths: Tensor | None = None
        self._staying_rows: Tensor | None = None
        # Of each sentence: the last step, and the row of its best hypothesis there.
        self._ends = n_steps - 1
        self._rows = self._open * width

    def choose(
        self, *scores: Tensor, finished: Tensor | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """Choose the next action of each row.

        Args:
            scores: (M, n_actions) of the rows still running, illegal actions at -inf, of each
                member of an ensemble; changed in place.
            finished: (M,) bool; the rows that are finished, for the length penalty.

        Returns:
            (M,) actions; (M,) the rows that they continue, None where all continue themselves.
        """
        if self.keep_scores:
            # What is known is no part of how sure the parser is.
            self._scores.append(scores[0] if self.constraints is None else scores[0].clone())
        if self.constraints is not None:
            for of_member in scores:
                self.constraints.mask(of_member)
        parents = None
        if self.sharpness is not None:
            chosen = draw_actions(scores[0], self.sharpness)
        elif self.width == 1:
            chosen = (scores[0] if len(scores) == 1 else mean_log_probs(scores)).argmax(1)
        else:
            chosen, parents = self._best_continuations(mean_log_probs(scores), finished)
        if self.constraints is not None:
            self.constraints.apply(chosen, parents)
        self._actions.append(chosen)
        continued = parents
        if self._staying_rows is not None:
            continued = (
                self._staying_rows
                if parents is None
                else self._staying_rows.index_select(0, parents)
            )
            self._staying_rows = None
        self._parents.append(continued)
        return chosen, parents

    def _best_continuations(self, log_p: Tensor, finished: Tensor | None) -> tuple[Tensor, Tensor]:
        """The actions of the best hypotheses, and the rows that they continue."""
        log_p = log_p.view(-1, self.width, log_p.shape[1])
        n = len(log_p)
        if self._total is None:
            # Before the first step only the first hypothesis of each sentence is real.
            self._total = log_p.new_full((n, self.width), -torch.inf)
            self._total[:, 0] = 0.0
        candidates, compared = self._total[:n, :, None] + log_p, None
        if self.length_penalty and finished is not None:
            before = torch.zeros_like(self._total) if self._lengths is None else self._lengths
            self._lengths = before + ~finished.view(n, -1)
            compared = candidates / self._lengths[:, :, None] ** self.length_penalty
        self._total, parents, chosen = best_hypotheses(candidates, compared)
        self._totals.append(self._total)
        if self._lengths is not None:
            self._lengths = self._lengths.view(-1).index_select(0, parents).view(n, -1)
        return chosen, parents

    def leave(self, finished: Tensor) -> np.ndarray:
        """Take the sentences that are done out of the search.

        A sentence is done when its best hypothesis is finished, since no other one can overtake it.

        Args:
            finished: (M,) bool; the rows that are finished.

        Returns:
            (B',) the places of the sentences that stay, among those before.
        """
        finished = finished.view(-1, self.width)
        done = to_numpy(finished.all(1) if self.until_all_finished else finished[:, 0])
        leaving, staying = np.flatnonzero(done), np.flatnonzero(~done)
        sentences = self._open[leaving]
        self._ends[sentences] = len(self._actions) - 1
        self._rows[sentences] = leaving * self.width
        if len(leaving) and len(staying):
            self._open = self._open[staying]
            rows = self.rows_of(staying)
            self._staying_rows = to_device(rows, finished)
            if self.constraints is not None:
                self.constraints.keep(rows.tolist())
            places = to_device(staying, finished)
            if self._total is not None:
                self._total = self._total[places]
            if self._lengths is not None:
                self._lengths = self._lengths[places]
        return staying

    def rows_of(self, sentences: np.ndarray) -> np.ndarray:
        """Return the rows of some of the sentences still searched for."""
        return (sentences[:, None] * self.width + np.arange(self.width)).ravel()

    def best(self) -> np.ndarray:
        """Return the best actions: (B, steps), of which only :attr:`lengths` have a meaning."""
        return self.trace(self._actions)

    def trace(self, values: Sequence[Tensor]) -> np.ndarray:
        """Return the values along each sentence's best hypothesis, as :meth:`best`.

        Args:
            values: For each step a value of each row.
        """
        return trace_back(values, self._parents, self._ends, self._rows)

    @property
    def lengths(self) -> np.ndarray:
        """(B,) actions of each sentence; one that is cut off may have stayed for longer."""
        return np.minimum(self._ends + 1, self.n_steps)

    def best_scores(self) -> Tensor:
        """Return the scores that the best actions were chosen by.

        Returns:
            (T, n_actions): the first step of all sentences, the second of those still running, and
            so on.
        """
        places = [range_like(chosen, len(chosen)) for chosen in self._actions]
        rows = trace_back(places, self._parents, self._ends, self._rows)
        before = to_device(np.concatenate([self._rows[:, None], rows[:, :-1]], 1), self._scores[0])
        n_running = [len(chosen) // self.width for chosen in self._actions]
        steps = enumerate(zip(self._scores, n_running, strict=True))
        return torch.cat([scores[before[:n, i]] for i, (scores, n) in steps])

    def hypotheses(self) -> list[Derivations]:
        """Return all possible hypotheses of each sentence, best first."""
        rows = (self._rows[:, None] + np.arange(self.width)).ravel()
        actions = trace_back(self._actions, self._parents, self._ends.repeat(self.width), rows)
        log_probs = self.log_probs()
        # Where fewer were possible, others fill the beam up, with log probability -inf.
        possible = np.isfinite(log_probs)
        by_sentence = actions.reshape(*log_probs.shape, -1)
        return [
            Derivations([row[:n] for row in by_sentence[i][possible[i]]], log_probs[i][possible[i]])
            for i, n in enumerate(self.lengths.tolist())
        ]

    def log_probs(self) -> np.ndarray:
        """Return the log probability of each hypothesis of each sentence, (B, width); 0 of 1."""
        if self.width == 1:
            return np.zeros((len(self._ends), 1))
        places = zip(self._ends.tolist(), (self._rows // self.width).tolist(), strict=True)
        return to_numpy(torch.stack([self._totals[end][i] for end, i in places]).double())


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
    first = range_like(flat, n)[:, None] * width
    parents = flat.div(n_actions, rounding_mode="floor") + first
    return total, parents.view(-1), (flat % n_actions).view(-1)


def mean_log_probs(scores: Sequence[Tensor]) -> Tensor:
    """Return the mean of the log probabilities of an ensemble: (M, n_actions).

    Args:
        scores: (M, n_actions) of each member.
    """
    log_p = [of_member.log_softmax(1) for of_member in scores]
    return log_p[0] if len(log_p) == 1 else torch.stack(log_p).mean(0)


def trace_back(
    values: Sequence[Tensor], parents: Sequence[Tensor | None], ends: np.ndarray, rows: np.ndarray
) -> np.ndarray:
    """Follow each sentence's best hypothesis back from its end.

    Args:
        values: For each step a value of each row, such as its action.
        parents: For each step the row of the step before that each row continues; None where all
            rows continue themselves.
        ends: (B,) the last step of each sentence.
        rows: (B,) the row of its best hypothesis at that step.

    Returns:
        (B, steps) values, -1 after a sentence's end.
    """
    continued = to_host([step for step in parents if step is not None])
    on_host = [step.numpy() for step in to_host(values)]
    traced = np.full((len(ends), len(values)), -1, dtype=on_host[0].dtype)
    rows = rows.copy()
    for step in range(len(values) - 1, -1, -1):
        running = np.flatnonzero(ends >= step)
        traced[running, step] = on_host[step][rows[running]]
        if parents[step] is not None:
            rows[running] = continued.pop().numpy()[rows[running]]
    return traced

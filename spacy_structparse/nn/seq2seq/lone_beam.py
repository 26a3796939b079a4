"""Beam search over the bottom-up actions of one sentence.

It computes what :mod:`~spacy_structparse.nn.seq2seq.beam_search` does, up to the order of
hypotheses that are equally probable, as :mod:`~spacy_structparse.nn.seq2seq.lone_sentences` does
without a beam: the stacks are in Python, and a step has a third of the operations.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from ...transitions.constituency.bottom_up import COMBINE, FIRST_LABEL, NO_LABEL, SHIFT
from .decode_step import DecodeStep


class _Stack(NamedTuple):
    """A stack: the start of its topmost element, and the stack below it."""

    start: int
    below: "_Stack | None"


class _Way(NamedTuple):
    """Actions: the last one, and those before it."""

    action: int
    before: "_Way | None"


class _Hypothesis(NamedTuple):
    """What a hypothesis has built.

    Attributes:
        total: The log probability of its actions.
        stack: The elements on its stack; None for an empty one.
        t: The words that it has shifted.
        way: Its actions.
    """

    total: float = 0.0
    stack: _Stack | None = None
    t: int = 0
    way: _Way | None = None

    def taking(self, action: int, total: float) -> "_Hypothesis":
        """This hypothesis and one more action, the log probability of all of them given."""
        way = _Way(action, self.way)
        if action == SHIFT:
            return _Hypothesis(total, _Stack(self.t, self.stack), self.t + 1, way)
        if action == COMBINE:
            assert self.stack is not None
            return _Hypothesis(total, self.stack.below, self.t, way)
        return _Hypothesis(total, self.stack, self.t, way)

    def rows(self, n: int) -> list[int]:
        """D = (0, r, s, t, n) as rows of the keys of a sentence of n words."""
        none = n + 1
        s = r = none
        if self.stack is not None:
            s, below = self.stack
            r = none if below is None else below.start
        return [0, 5 * r + 1, 5 * s + 2, 5 * self.t + 3, 5 * n + 4]

    def only_action(self, n: int) -> int | None:
        """The action that builds structure, where one alone is legal."""
        if self.t == n:
            return COMBINE
        return None if self.stack is not None and self.stack.below is not None else SHIFT


# A hypothesis of the step before by its place, the action that it takes, the log probability.
_Candidate = tuple[int, int, float]


class LoneBeam:
    """The search, with weights arranged once.

    Args:
        equations: Those of the model.
        width: Hypotheses kept.
    """

    def __init__(self, equations: DecodeStep, width: int) -> None:
        self.equations, self.width = equations, width
        self.map_context = equations.map_context

    def actions(self, keys: Tensor, state: Tensor, n: int) -> tuple[list[int], float]:
        """The best actions of a sentence, and their log probability.

        Args:
            keys: (n + 2, 5, width) A_m h of its positions, and last of one that does not exist.
            state: (state_size,) s_0.
            n: Its words.
        """
        keys, states = keys.flatten(0, 1), state[None]
        hypotheses = [_Hypothesis()]
        device = keys.device
        previous = torch.tensor([len(self.equations.actions) - 1], device=device)
        of_context = keys  # of each hypothesis, what its context adds to both maps
        for step in range(4 * n - 2):
            labelling = step % 2
            if not step or labelling:  # the action before changed the stacks, or there was none
                rows = torch.tensor([one.rows(n) for one in hypotheses], device=device)
                of_context = self.map_context(embedding_bag(rows, keys, mode="sum"))
            known = of_context + self.equations.action_part(previous)
            s, states = self.equations.state([], states, known)
            if labelling:
                first = FIRST_LABEL if step == 4 * n - 3 else NO_LABEL
                scores = self.equations.action_scores([s], known)[:, first:]
                candidates = self._labels(hypotheses, scores, first)
            else:
                candidates = self._structure(hypotheses, s, known, n)
            parents = [parent for parent, _, _ in candidates]
            if parents != list(range(len(hypotheses))):
                kept = torch.tensor(parents, device=device)
                states, of_context = states.index_select(0, kept), of_context.index_select(0, kept)
            previous = torch.tensor([action for _, action, _ in candidates], device=device)
            hypotheses = [hypotheses[i].taking(action, p) for i, action, p in candidates]
        taken, way = [], hypotheses[0].way
        while way is not None:
            action, way = way
            taken.append(action)
        return taken[::-1], hypotheses[0].total

    def _structure(
        self, hypotheses: list[_Hypothesis], s: Tensor, known: Tensor, n: int
    ) -> list[_Candidate]:
        """The best continuations by SHIFT or COMBINE. s and known: as in `DecodeStep`."""
        forced = [one.only_action(n) for one in hypotheses]
        log_p = [[0.0, 0.0]] * len(hypotheses)
        if None in forced:
            scores = self.equations.action_scores([s], known)[:, : COMBINE + 1]
            log_p = scores.log_softmax(1).tolist()
        candidates: list[_Candidate] = []
        for i, (one, action) in enumerate(zip(hypotheses, forced, strict=True)):
            if action is not None:
                candidates.append((i, action, one.total))
            else:
                candidates += [(i, a, one.total + log_p[i][a]) for a in (SHIFT, COMBINE)]
        return sorted(candidates, key=lambda candidate: -candidate[2])[: self.width]

    def _labels(
        self, hypotheses: list[_Hypothesis], scores: Tensor, first: int
    ) -> list[_Candidate]:
        """The best continuations by a label. scores: (hypotheses, labels), of ``first`` and on."""
        # The sum over a whole derivation is at least in single precision.
        dtype = torch.promote_types(scores.dtype, torch.float)
        totals = [[one.total] for one in hypotheses]
        before = torch.tensor(totals, dtype=dtype, device=scores.device)
        candidates = (before + scores.log_softmax(1)).view(-1)
        best, flat = candidates.topk(min(self.width, len(candidates)))
        n_labels = scores.shape[1]
        return [
            (place // n_labels, first + place % n_labels, total)
            for place, total in zip(flat.tolist(), best.tolist(), strict=True)
        ]

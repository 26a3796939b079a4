"""Graph-based dependency parsing as head selection ("RNN-Based Sequence-Preserved Attention for
Dependency Parsing"): every word chooses its head, and where that is no tree the best tree is taken.

P(w_j | w_i) is a softmax over ROOT and all words of the sentence (Eq. 9; a word is not its own
head). The paper has no labels: here a biaffine classifier gives each arc one (Dozat & Manning
2017, §2).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from ...transitions.dependency.spanning_tree import maximum_spanning_tree
from ..kernels.autocast import at_least_single
from .arc_distance import ArcDistance
from .arc_scorers import ArcScorer, Biaffine, Bilinear, Concat, ScorerKind
from .label_scorer import LabelScorer
from .length_buckets import Side, side_by_side
from .second_pass import TwiceReader


@dataclass(frozen=True)
class GoldArcs:
    """What a graph parser learns from.

    n_words: (B,) words of each sentence, longest first. heads: (N,) within the sentence, the root
    its own head; -1 where unknown. labels: (N,) indices, -1 where unknown and at roots.
    """

    n_words: np.ndarray
    heads: Tensor
    labels: Tensor

    def to(self, device: torch.device) -> "GoldArcs":
        """The same on another device."""
        return GoldArcs(self.n_words, self.heads.to(device), self.labels.to(device))


@dataclass(frozen=True)
class ToWeigh:
    """Sentences whose heads' probabilities are asked for. n_words: (B,) words of each, longest
    first."""

    n_words: np.ndarray


class GraphParser(nn.Module):
    """A scorer of heads and labels.

    ``dropout`` is set by training: see :class:`TwiceReader`, and with ``everywhere`` in the
    perceptrons of the scorers too.

    Args:
        n_input: Width of the token vectors.
        n_labels: Number of labels of arcs.
        reading: Settings of :class:`TwiceReader`. The other arguments are settings of
            ``spacy-structparse.SPA.v1``.
    """

    def __init__(
        self,
        n_input: int,
        n_labels: int,
        *,
        scorer: ScorerKind,
        scorer_width: int,
        label_width: int,
        single_root: bool,
        max_cells: int,
        distance: bool = False,
        **reading: Any,
    ) -> None:
        super().__init__()
        self.dropout = 0.0
        self.single_root = single_root
        self.reader = TwiceReader(n_input, max_cells=max_cells, **reading)
        width = self.reader.width
        self.arcs: ArcScorer
        if scorer == "bilinear":
            self.arcs = Bilinear(width)
        elif scorer == "concat":
            self.arcs = Concat(width, scorer_width, max_cells)
        else:
            self.arcs = Biaffine(width, scorer_width)
        self.distance = ArcDistance(width) if distance else None
        self.labels = LabelScorer(width, label_width, n_labels)

    def read(self, tokens: Tensor, n_words: np.ndarray) -> Tensor:
        """r of ROOT and the words of every sentence: (N + B, width)."""
        return self.reader(tokens, n_words, self.dropout if self.training else 0.0)

    def _rate(self) -> float:
        return self.reader.rate_behind(self.dropout) if self.training else 0.0

    def arc_scores(self, r: Tensor, n_words: np.ndarray) -> list[tuple[Side, Tensor]]:
        """The scores of the heads of all words, sentences of about one length together.

        r: of :meth:`read`. Returns (B, longest, longest) each: of word j as the head of word i, and
        on the diagonal of word i as the root; -inf for what is no word of the sentence."""
        dependents, heads = self.arcs.sides(r, self._rate())
        by_distance = None if self.distance is None else self.distance.sides(r)
        found = []
        for side in side_by_side(n_words):
            # ROOT, a position of its own before each sentence, shifts rows.
            sentences = np.arange(side.first, side.first + len(side.rows))[:, None]
            words = torch.from_numpy(side.rows + sentences + 1).to(r.device)
            first = np.cumsum(n_words)[sentences] - n_words[sentences] + sentences
            roots = torch.from_numpy(first).to(r.device)
            candidates = torch.cat([roots, words], 1)
            scores = at_least_single(self.arcs(dependents[words], heads[candidates]))
            as_root, scores = scores[:, :, :1], scores[:, :, 1:]
            n = scores.shape[1]
            if self.distance is not None and by_distance is not None:
                scores = scores + self.distance(by_distance[words])
            diagonal = torch.eye(n, dtype=torch.bool, device=r.device)
            real = torch.from_numpy(side.real).to(r.device)
            scores = torch.where(diagonal, as_root, scores)
            found.append((side, scores.masked_fill(~(real[:, None] | diagonal), -torch.inf)))
        return found

    def loss(self, tokens: Tensor, gold: GoldArcs) -> Tensor:
        """The negative log-likelihood of each sentence's heads (Eq. 10) and labels: (B,)."""
        r = self.read(tokens, gold.n_words)
        losses = tokens.new_zeros(len(tokens))
        for side, scores in self.arc_scores(r, gold.n_words):
            rows = torch.from_numpy(side.rows[side.real]).to(tokens.device)
            of_words = scores[torch.from_numpy(side.real).to(tokens.device)]
            losses = losses.index_copy(
                0,
                rows,
                cross_entropy(of_words, gold.heads[rows], ignore_index=-1, reduction="none"),
            )
        labelled = (gold.labels >= 0).nonzero()[:, 0]
        scores = self._label_scores(r, gold.n_words, gold.heads, labelled)
        of_labels = cross_entropy(scores, gold.labels[labelled], reduction="none")
        losses = losses.index_add(0, labelled, of_labels)
        sentence = torch.from_numpy(np.repeat(np.arange(len(gold.n_words)), gold.n_words))
        total = losses.new_zeros(len(gold.n_words))
        return total.index_add(0, sentence.to(tokens.device), losses)

    def _label_scores(self, r: Tensor, n_words: np.ndarray, heads: Tensor, words: Tensor) -> Tensor:
        """The scores of all labels for the arcs of some words. heads: (N,) within the sentence;
        words: (M,). Returns (M, n_labels)."""
        sentence = np.repeat(np.arange(len(n_words)), n_words)
        first = torch.from_numpy((np.cumsum(n_words) - n_words)[sentence] + sentence + 1)
        own = torch.from_numpy(np.arange(len(sentence)) + sentence + 1)
        first, own = first.to(r.device)[words], own.to(r.device)[words]
        return self.labels(r, own, first + heads[words], self._rate())

    def parse(self, tokens: Tensor, n_words: np.ndarray) -> Tensor:
        """Heads within each sentence, the root its own, and labels, -1 at the root: (N, 2)."""
        r = self.read(tokens, n_words)
        heads = torch.empty(len(tokens), dtype=torch.int64, device=tokens.device)
        for side, scores in self.arc_scores(r, n_words):
            real = torch.from_numpy(side.real).to(tokens.device)
            rows = torch.from_numpy(side.rows[side.real]).to(tokens.device)
            heads[rows] = best_trees(scores, real, self.single_root)[real]
        words = torch.arange(len(tokens), device=tokens.device)
        labels = self._label_scores(r, n_words, heads, words).argmax(1)
        start = torch.from_numpy(np.repeat(np.cumsum(n_words) - n_words, n_words))
        is_root = heads == words - start.to(heads.device)
        return torch.stack([heads, labels.masked_fill(is_root, -1)], 1)

    def head_probabilities(self, tokens: Tensor, n_words: np.ndarray) -> list[Tensor]:
        """P(w_j | w_i) (Eq. 9) of each sentence: (n, n), on the diagonal that of being the root."""
        r = self.read(tokens, n_words)
        found = []
        for side, scores in self.arc_scores(r, n_words):
            of_sentences = zip(scores.softmax(2), side.real.sum(1).tolist(), strict=True)
            found += [p[:n, :n] for p, n in of_sentences]
        return found

    def forward(
        self, tokens: Tensor, content: GoldArcs | ToWeigh | np.ndarray
    ) -> Tensor | list[Tensor]:
        """The losses of sentences whose arcs are given, (B,); the parse of those without; or the
        probabilities of all heads.

        tokens: (N, n_input), the sentences end to end, longest first; content: their gold arcs, or
        (B,) how many words each has."""
        if isinstance(content, GoldArcs):
            return self.loss(tokens, content)
        if isinstance(content, ToWeigh):
            return self.head_probabilities(tokens, content.n_words)
        return self.parse(tokens, content)


def best_trees(scores: Tensor, real: Tensor, single_root: bool) -> Tensor:
    """The heads of highest score that are trees: (B, n).

    scores: (B, n, n) of heads, the diagonal of roots, -inf for what is no word; real: (B, n) which
    are. The highest score of each word is enough where it gives a tree; otherwise the sentence's
    maximum spanning tree is found on the host."""
    heads = scores.argmax(2)
    n = heads.shape[1]
    own = torch.arange(n, device=heads.device).expand_as(heads)
    heads = torch.where(real, heads, own)
    roots = (heads == own) & real
    n_roots = roots.sum(1)
    fine = (n_roots == 1) if single_root else (n_roots > 0)
    above = heads
    for _ in range(n.bit_length()):
        above = above.gather(1, above)
    fine &= (heads.gather(1, above) == above).all(1)
    fine &= scores.isfinite().any(2).logical_or(~real).all(1) & ~scores.isnan().flatten(1).any(1)
    for i in (~fine).nonzero()[:, 0].tolist():
        m = int(real[i].sum())
        tree = maximum_spanning_tree(scores[i, :m, :m].cpu().numpy(), single_root)
        heads[i, :m] = torch.from_numpy(tree).to(heads.device)
    return heads

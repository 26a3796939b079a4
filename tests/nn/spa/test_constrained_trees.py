"""Trees of the graph-based parser that keep what is known: those of trying every tree."""

import itertools
from typing import Any

import numpy as np
import pytest
import torch

from spacy_structparse.nn.spa.graph_parser import GraphParser
from spacy_structparse.nn.spa.graph_search import GraphSearch
from spacy_structparse.search_results import Sentences
from spacy_structparse.transitions.dependency.known_arcs import KnownArcs
from spacy_structparse.transitions.dependency.spanning_tree import is_tree

N, N_LABELS, WORD = 4, 3, 1
SETTINGS: dict[str, Any] = {
    "encoder": "bilstm", "encoder_width": 3, "encoder_depth": 1, "attention": "bot",
    "attention_width": 3, "scorer": "bilinear", "scorer_width": 4, "label_width": 3,
}  # fmt: skip
TREES = [np.array(heads) for heads in itertools.product(range(N), repeat=N)]
TREES = [heads for heads in TREES if is_tree(heads)]


@pytest.mark.parametrize("seed", range(6))
def test_a_known_label_weighs(seed: int) -> None:
    """The best tree is that of the highest sum of its heads' scores and the log probability of the
    label of the word where it is known."""
    torch.manual_seed(seed)
    parser = GraphParser(5, N_LABELS, **SETTINGS).double().eval()
    with torch.no_grad():
        for parameter in parser.parameters():
            parameter.normal_(0, 1.5 / parameter.shape[-1] ** 0.5)
    tokens, n_words, label = torch.randn(N, 5).double(), np.array([N]), seed % N_LABELS
    labels = np.ones((N, N_LABELS), dtype=bool)
    labels[WORD] = np.arange(N_LABELS) == label
    known = KnownArcs(np.full(N, -1), labels, np.arange(N) != WORD)
    with torch.inference_mode():
        r = parser.reader(tokens, n_words)
        [(_, scores)] = parser.head_scores(r, n_words)
        # ROOT is the first row of r.
        of_labels = parser.labels(r, torch.full((N,), 1 + WORD), 1 + torch.arange(N)).log_softmax(1)
        sentences = Sentences(n_words, [known])
        found = GraphSearch(parser, tokens, sentences, {"single_root": True}).best()
    total = scores[0].numpy()
    total[WORD] += of_labels[:, label].numpy()
    below = [heads for heads in TREES if heads[WORD] != WORD]
    best = max(below, key=lambda heads: total[np.arange(N), heads].sum())
    assert found.heads.tolist() == best.tolist()
    assert found.labels[WORD] == label

"""Starts of gold sentences among the tokens of the predicted Doc of an Example."""

import numpy as np
from spacy.training import Example


def same_tokens(example: Example) -> bool:
    """Whether both docs of an Example have the same tokens."""
    x, y = example.predicted, example.reference
    return len(x) == len(y) and np.array_equal(x.to_array("ORTH"), y.to_array("ORTH"))


def gold_starts(example: Example) -> np.ndarray:
    """(len(predicted),) True where a gold sentence begins; all False if the gold has no starts."""
    gold = example.reference
    if not gold.has_annotation("SENT_START"):
        return np.zeros(len(example.predicted), dtype=bool)
    if same_tokens(example):
        return gold.to_array("SENT_START") == 1
    return np.array([start == 1 for start in example.get_aligned_sent_starts()], dtype=bool)

"""Gold sentence starts, and whether the gold of an Example is of the text of its predicted Doc."""

import numpy as np
from spacy.training import Example


def same_tokens(example: Example) -> bool:
    """Whether both docs of an Example have the same tokens."""
    x, y = example.predicted, example.reference
    return len(x) == len(y) and np.array_equal(x.to_array("ORTH"), y.to_array("ORTH"))


def is_of_its_text(example: Example) -> bool:
    """Whether both docs of an Example have the same text, but for whitespace and case."""
    if same_tokens(example):
        return True
    try:
        return example.alignment is not None
    except ValueError:  # spaCy's E949
        return False


def gold_starts(example: Example) -> np.ndarray:
    """(len(predicted),) True where a gold sentence begins; all False if the gold has no starts."""
    gold = example.reference
    if not gold.has_annotation("SENT_START"):
        return np.zeros(len(example.predicted), dtype=bool)
    if same_tokens(example):
        return gold.to_array("SENT_START") == 1
    return np.array([start == 1 for start in example.get_aligned_sent_starts()], dtype=bool)

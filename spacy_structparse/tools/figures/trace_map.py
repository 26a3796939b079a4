"""The trace of a parser as the data of a picture of its attention."""

import numpy as np

from ...pipeline.seq2seq import Trace
from ...transitions.constituency.interface import Linearization
from .attention_map import AttentionMap
from .partial_trees import last_stack, stacks

LONGEST_SHOWN = 8
"""Elements of the stack with more words are shortened on pages."""


def attention_map(
    trace: Trace, linearization: Linearization | None, title: str, marked: int | None = None
) -> AttentionMap:
    """A trace as what pictures and pages are made from. Without a linearization, of a translation:
    no stacks and no tree."""
    built: list[list[str]] = []
    tree = ""
    if linearization is not None:
        built = stacks(linearization, trace.actions, trace.words, LONGEST_SHOWN)
        tree = " ".join(last_stack(linearization, trace.actions, trace.words))
    return AttentionMap(
        positions=trace.positions,
        steps=trace.names,
        weights=trace.attention,
        kind=trace.kind,
        title=title,
        marked=marked,
        probabilities=np.exp(trace.log_probs),
        stacks=built,
        tree=tree,
    )

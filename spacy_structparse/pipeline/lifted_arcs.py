"""Non-projective arcs of actions, put back before the actions are annotation."""

from functools import cache

import numpy as np
from spacy.pipeline._parser_internals import nonproj
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..transitions.dependency.arc_standard import ROOT_LABEL, ActionSet


def put_back(
    heads: np.ndarray, labels: np.ndarray, action_set: ActionSet
) -> tuple[np.ndarray, np.ndarray]:
    """Put lifted arcs back to their heads, as spaCy does in a Doc.

    Args:
        heads: (K, n) heads of K parses of a sentence, the root its own.
        labels: (K, n) indices of labels, some of which name the label of the head that the arc was
            lifted from; -1 at roots.
        action_set: The labels.

    Returns:
        The same with every arc at its own head. A label that is not among those of the actions
        without that name keeps it.
    """
    names = (*action_set.labels, ROOT_LABEL)
    lifted = np.array([nonproj.is_decorated(name) for name in names])
    heads, labels = heads.copy(), labels.copy()
    for row in np.flatnonzero(lifted[labels].any(1)).tolist():
        words = ["_"] * heads.shape[1]
        deps = [names[label] for label in labels[row].tolist()]
        doc = Doc(_vocab(), words=words, heads=heads[row].tolist(), deps=deps)
        nonproj.deprojectivize(doc)
        heads[row] = [token.head.i for token in doc]
        plain = [action_set.label_index(token.dep_) for token in doc]
        labels[row] = np.where(np.array(plain) >= 0, plain, labels[row])
    return heads, labels


@cache
def _vocab() -> Vocab:
    return Vocab()

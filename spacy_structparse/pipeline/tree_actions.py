"""Linearizations and batches of gold actions for a constituency parser.

Settings are those of ``spacy-structparse.Seq2Seq.v1``.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch

from ..brackets import Bracket
from ..errors import ActionError
from ..transitions.constituency.bottom_up import BottomUp
from ..transitions.constituency.bottom_up_heads import rightmost_heads, rule_heads, with_heads
from ..transitions.constituency.interface import Linearization
from ..transitions.constituency.registry import build_linearization
from .gold_trees import GoldTree, gold_trees

Settings = dict[str, Any]


def read_linearization(
    get_examples: Callable[[], Iterable[Example]], settings: Settings, spans_key: str, where: str
) -> dict[str, Any]:
    """Collect the arguments of the linearization of a treebank.

    Args:
        get_examples: A function that gives the examples.
        settings: Of the model.
        spans_key: The span group with the gold trees.
        where: The component, as errors name it.

    Raises:
        ValueError: There are no trees, or no tags where words are told apart by them.
    """
    treebank: list[list[Bracket]] = []
    problems: set[str] = set()
    symbols: set[str] = set()
    groups: set[str] = set()
    for examples in minibatch(get_examples(), size=256):
        for example in examples:
            groups.update(example.reference.spans)
            symbols |= _with_own_action(example.reference, settings["word_actions"])
        for gold in gold_trees(examples, spans_key=spans_key):
            if gold.problem is None:
                treebank.append(gold.brackets)
            else:
                problems.add(gold.problem)
    if not treebank:
        found = f" (of its sentences: {', '.join(sorted(problems))})" if problems else ""
        others = f"; there are {', '.join(sorted(groups))}" if groups else ""
        raise ValueError(
            f"{where} the training data has no trees{found}: the docs need "
            f'doc.spans["{spans_key}"], which "spacy structparse convert" writes{others}'
        )
    if settings["word_actions"] == "tag" and not symbols:
        raise ValueError(
            f"{where} word_actions is 'tag' but the training data has no tags: convert a treebank "
            "that has them, or set word_actions = 'one'"
        )
    chosen: dict[str, Any] = {}
    if settings["linearization"] != "bottom_up":
        chosen = {"closing_labels": settings["closing_labels"], "word_symbols": sorted(symbols)}
    return build_linearization(settings["linearization"], treebank, **chosen).settings()


def needs_heads(settings: Settings) -> bool:
    """Return True if training reads the head words that head-finding rules give."""
    return settings["attention"] == "datt-bound-head" and settings["heads"] == "paper"


def target_actions(
    gold: GoldTree, linearization: Linearization, settings: Settings
) -> tuple[list[int], np.ndarray, list[Bracket]]:
    """Find the actions that a model learns of a sentence.

    Args:
        gold: The sentence.
        linearization: The linearization.
        settings: Of the model.

    Returns:
        The T actions, the (T, |D|) positions that deterministic attention reads at each step, and
        the brackets of the tree.

    Raises:
        ActionError: The sentence cannot be used.
    """
    if gold.problem is not None:
        raise ActionError(gold.problem)
    n = len(gold.sentence.tokens)
    actions = linearization.oracle(gold.brackets, n, gold.symbols)
    positions = linearization.boundaries(actions, n)
    if settings["attention"] == "datt-bound-head":
        boundaries = torch.from_numpy(positions)
        if gold.heads is None or not isinstance(linearization, BottomUp):
            heads = rightmost_heads(boundaries)
        else:
            of_rules = rule_heads(linearization, actions, gold.brackets, gold.heads, n)
            heads = torch.from_numpy(of_rules)
        positions = with_heads(boundaries, heads).numpy()
    return actions, positions, gold.brackets


def _with_own_action(doc: Doc, word_actions: str) -> set[str]:
    """The tags, or the punctuation marks, that get an action of their own."""
    if word_actions == "tag":
        return {token.tag_ for token in doc if token.tag_}
    if word_actions == "punctuation":
        return {token.text for token in doc if token.is_punct}
    return set()

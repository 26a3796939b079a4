"""Gold trees of an Example, cut into sentences of the predicted doc's tokens."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from spacy.training import Example

from ..brackets import Bracket
from ..errors import TreeError
from ..transitions.constituency.interface import without_repeated_unaries
from ..trees.bracket_lists import bracket_heads, tree_from_brackets
from ..trees.span_group import SPANS_KEY, get_brackets
from .sentences import Sentence, cut_sentences, gold_starts, same_tokens, symbols_of

NO_TREE = "no tree"
NOT_ALIGNED = "its tree does not fit the doc's tokens"
CROSSING = "brackets of its doc cross"


@dataclass(frozen=True)
class GoldTree:
    """A sentence with its gold tree.

    Attributes:
        sentence: The sentence.
        brackets: Over the words of the sentence, in pre-order, without X over X.
        problem: The reason why training cannot use the sentence; None if it can.
        symbols: The words' gold tags or their texts, where a linearization reads them.
        heads: The head word of each bracket by head-finding rules, where attention reads them.
    """

    sentence: Sentence
    brackets: list[Bracket]
    problem: str | None = None
    symbols: list[str] | None = None
    heads: list[int] | None = None


def gold_trees(
    examples: Sequence[Example],
    reads: Literal["", "tag", "text"] = "",
    heads: bool = False,
    *,
    spans_key: str = SPANS_KEY,
) -> list[GoldTree]:
    """Cut the gold of a batch by the aligned gold sentence starts.

    Where the gold has no sentence starts, each of its trees is a sentence.

    Args:
        examples: The batch.
        reads: The kind of symbols to give.
        heads: Give head words.
        spans_key: The span group with the gold trees.
    """
    docs = [example.predicted for example in examples]
    brackets, starts = [], []
    crossing = set()
    for i, example in enumerate(examples):
        try:
            of_example = get_brackets(example.reference, spans_key) or []
        except TreeError:
            of_example = []
            crossing.add(i)
        starts.append(_starts(example, of_example))
        brackets.append(_aligned(example, of_example))
    result = []
    for sentence in cut_sentences(docs, starts):
        if sentence.doc in crossing:
            gold = GoldTree(sentence, [], CROSSING)
        else:
            gold = _of_sentence(sentence, brackets[sentence.doc])
        example, tokens = examples[sentence.doc], sentence.tokens.tolist()
        if reads:
            gold = replace(gold, symbols=_gold_symbols(example, reads, tokens))
        if heads and gold.problem is None:
            words = symbols_of(example.predicted, "text", tokens)
            tree = tree_from_brackets(gold.brackets, words, _gold_symbols(example, "tag", tokens))
            gold = replace(gold, heads=bracket_heads(tree))
        result.append(gold)
    return result


def _gold_symbols(example: Example, reads: Literal["tag", "text"], tokens: list[int]) -> list[str]:
    if reads == "text":
        return symbols_of(example.predicted, reads, tokens)
    tags = example.get_aligned("TAG", as_string=True)
    return [tags[i] or "" for i in tokens]


def _starts(example: Example, brackets: list[Bracket]) -> np.ndarray:
    """(len(predicted),) True where a gold sentence begins."""
    starts = gold_starts(example)
    if example.reference.has_annotation("SENT_START"):
        return starts
    end = 0
    for _, start, after in brackets:
        if start >= end:  # an outermost bracket
            end = after
            tokens = example.alignment.y2x[start]
            if len(tokens):
                starts[tokens[0]] = True
    return starts


def _aligned(example: Example, brackets: list[Bracket]) -> list[Bracket]:
    """The brackets over the predicted Doc's tokens; those that do not fit have no label."""
    if same_tokens(example):
        return brackets
    y2x, x2y = example.alignment.y2x, example.alignment.x2y
    n = len(example.predicted)
    result: list[Bracket] = []
    for label, start, end in brackets:
        first, last = y2x[start], y2x[end - 1]
        if not len(first) or not len(last):
            result.append(Bracket("", 0, n))  # it could be anywhere
            continue
        begin, after = int(first[0]), int(last[-1]) + 1
        # The tokens at both ends must hold nothing from outside of the bracket.
        fits = min(x2y[begin]) >= start and max(x2y[after - 1]) < end
        result.append(Bracket(label if fits else "", begin, after))
    return result


def _of_sentence(sentence: Sentence, brackets: list[Bracket]) -> GoldTree:
    tokens = sentence.tokens
    first, last = int(tokens[0]), int(tokens[-1])
    own: list[Bracket] = []
    for label, start, end in brackets:
        if end <= first or start > last:
            continue
        if not label or start < first or end > last + 1:
            return GoldTree(sentence, [], NOT_ALIGNED)
        # Fenceposts among the words: whitespace tokens do not count, nor brackets of them alone.
        i, j = np.searchsorted(tokens, [start, end]).tolist()
        if i < j:
            own.append(Bracket(label, i, j))
    if not own:
        return GoldTree(sentence, [], NO_TREE)
    if own[0][1:] != (0, len(tokens)):
        return GoldTree(sentence, [], NOT_ALIGNED)
    return GoldTree(sentence, without_repeated_unaries(own))

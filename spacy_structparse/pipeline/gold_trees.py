"""Gold trees of an Example, cut into sentences of the predicted doc's tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
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
    problem: str | None
    symbols: list[str] | None
    heads: list[int] | None


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
    brackets: list[list[Bracket] | None] = []
    starts = []
    for example in examples:
        try:
            of_example = get_brackets(example.reference, spans_key) or []
            brackets.append(_aligned(example, of_example))
        except TreeError:
            of_example = []
            brackets.append(None)
        starts.append(_starts(example, of_example))
    gold = []
    for sentence in cut_sentences(docs, starts):
        example, tokens = examples[sentence.doc], sentence.tokens.tolist()
        own, problem = _of_sentence(sentence, brackets[sentence.doc])
        symbols = _gold_symbols(example, reads, tokens) if reads else None
        head_words = None
        if heads and problem is None:
            words = symbols_of(example.predicted, "text", tokens)
            tree = tree_from_brackets(own, words, _gold_symbols(example, "tag", tokens))
            head_words = bracket_heads(tree)
        gold.append(GoldTree(sentence, own, problem, symbols, head_words))
    return gold


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


def _of_sentence(
    sentence: Sentence, brackets: list[Bracket] | None
) -> tuple[list[Bracket], str | None]:
    """The brackets of a sentence over its words, or the problem with them."""
    if brackets is None:
        return [], CROSSING
    tokens = sentence.tokens
    first, last = int(tokens[0]), int(tokens[-1])
    own: list[Bracket] = []
    for label, start, end in brackets:
        if end <= first or start > last:
            continue
        if not label or start < first or end > last + 1:
            return [], NOT_ALIGNED
        # Fenceposts among the words: whitespace tokens do not count, nor brackets of them alone.
        i, j = np.searchsorted(tokens, [start, end]).tolist()
        if i < j:
            own.append(Bracket(label, i, j))
    if not own:
        return [], NO_TREE
    if own[0][1:] != (0, len(tokens)):
        return [], NOT_ALIGNED
    return without_repeated_unaries(own), None

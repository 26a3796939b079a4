"""The parses that a reader chose for sentences, in place of the pipeline's own."""

from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc

from ...brackets import preorder
from ...extensions.confidence import ARC_NAMES, clear_bracket_confidence, clear_confidence
from ...pipeline.k_best import ScoredDependencies, ScoredTree
from ...trees.span_group import get_brackets, set_brackets
from ...viz.sentences import ParsedSentence, parsed_sentences
from .drawings import DEPENDENCIES, TREE
from .parsing import Parse, ParsingError


class Choice(NamedTuple):
    """A parse that a reader chose.

    Attributes:
        rank: Its number in the list of the best parses, from 1.
        parse: The parse.
    """

    rank: int
    parse: ScoredDependencies | ScoredTree


Choices = dict[tuple[int, str], Choice]
"""For the number of a sentence, from 0, and a kind (`DEPENDENCIES` or `TREE`) the chosen parse."""


def kind_of(one: ScoredDependencies | ScoredTree) -> str:
    """What a parse is: dependencies, or a tree."""
    return TREE if isinstance(one, ScoredTree) else DEPENDENCIES


def is_shown(sentence: ParsedSentence, one: ScoredDependencies | ScoredTree) -> bool:
    """Whether a sentence has this parse."""
    if isinstance(one, ScoredTree):
        return sentence.tree == one.tree
    arcs = [(token.head.i, token.dep_) for token in sentence.words]
    return arcs == list(zip(one.heads, one.labels, strict=True))


def with_choices(parse: Parse, choices: Choices) -> Parse:
    """A copy of a parse with the chosen parses of its sentences; the parse itself without any.

    A chosen parse has no confidence of its parts.

    Raises:
        ParsingError: With a chosen parse, the sentences would be others.
    """
    if not choices:
        return parse
    doc, key = parse.doc.copy(), parse.gives.spans_key
    for (number, _), (_, one) in choices.items():
        sentence = parse.sentences[number]
        if isinstance(one, ScoredTree):
            _set_tree(doc, sentence, one, key)
        else:
            _set_arcs(doc, sentence, one)
    sentences = parsed_sentences(doc, trees=True, spans_key=key)
    if _words(sentences) != _words(parse.sentences):
        raise ParsingError("with this parse, the text would have other sentences")
    return Parse(doc, sentences, parse.gives)


def told(choices: Choices, number: int) -> str:
    """Say which parses a reader chose: for a sentence, and for which others. Empty without any."""
    own = [
        f"{kind.lower()} number {choice.rank}"
        for (sentence, kind), choice in sorted(choices.items())
        if sentence == number
    ]
    others = sorted({sentence + 1 for sentence, _ in choices if sentence != number})
    said = []
    if own:
        said.append(f"You chose another parse of this sentence: {' and '.join(own)}.")
    if others:
        also = "You also chose" if own else "You chose"
        of = "sentence" if len(others) == 1 else "sentences"
        said.append(f"{also} another parse of {of} {', '.join(map(str, others))}.")
    return " ".join(said)


def _set_tree(doc: Doc, sentence: ParsedSentence, one: ScoredTree, key: str) -> None:
    start, end = sentence.span.start, sentence.span.end
    others = [
        bracket
        for bracket in get_brackets(doc, key) or ()
        if not (start <= bracket.start and bracket.end <= end)
    ]
    set_brackets(doc, sorted([*others, *one.brackets], key=preorder), key)
    clear_bracket_confidence(doc, key, within=_limits(sentence))


def _set_arcs(doc: Doc, sentence: ParsedSentence, one: ScoredDependencies) -> None:
    columns: Any = doc.to_array(["HEAD", "DEP"])
    tokens = list(one.tokens)
    columns[tokens, 0] = (np.array(one.heads) - np.array(tokens)).astype(np.uint64)
    columns[tokens, 1] = [doc.vocab.strings.add(label) for label in one.labels]
    doc.from_array(["HEAD", "DEP"], columns)
    clear_confidence(doc, ARC_NAMES, within=_limits(sentence))


def _limits(sentence: ParsedSentence) -> tuple[int, int]:
    return sentence.span.start_char, sentence.span.end_char


def _words(sentences: list[ParsedSentence]) -> list[list[int]]:
    return [[token.i for token in sentence.words] for sentence in sentences]

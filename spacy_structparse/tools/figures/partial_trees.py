"""The stack after every action, as short bracket strings.

``(NP The cat)`` is a complete bracket, ``(NP`` an open one, ``(NP The`` one that was opened after
its first child (in-order), ``[the cat]`` several elements joined without a label (bottom-up), and
``cat`` a word.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...pipeline.seq2seq import Trace
from ...transitions.constituency.bottom_up import COMBINE, FIRST_LABEL, NO_LABEL, SHIFT, BottomUp
from ...transitions.constituency.in_order import InOrder
from ...transitions.constituency.interface import Linearization
from ...transitions.constituency.open_bracket_states import CLOSE, OPEN, WORD
from ...transitions.constituency.open_brackets import OpenBrackets
from .attention import AttentionMap


@dataclass(frozen=True)
class _Element:
    """A slot of the stack.

    ``text`` is its bracket string, without the square brackets of an unlabelled element. An open
    bracket has no words of its own, or those of a first child.
    """

    text: str
    words: tuple[str, ...] = ()
    label: str = ""
    is_open: bool = False

    def shown(self, longest: int | None) -> str:
        """The text, with only the outer words of an element with more than ``longest`` words."""
        text = self.text
        if longest is not None and len(self.words) > longest:
            text = f"{self.words[0]} … {self.words[-1]}"
            if self.label:
                text = f"({self.label} {text}" + ("" if self.is_open else ")")
        return text if self.label or len(self.words) == 1 else f"[{text}]"


def stacks(
    linearization: Linearization,
    actions: Sequence[int],
    words: Sequence[str],
    longest: int | None = None,
) -> list[list[str]]:
    """List the stack after each of T actions, the bottom first.

    Actions of an unconstrained decoder are followed as far as possible: one that reads a word where
    none is left, or closes a bracket where none is open, changes nothing.

    Args:
        linearization: The linearization.
        actions: T actions.
        words: The words of the sentence.
        longest: Elements of more words are shown by their first and last word,
            ``(NP The … cat)``. At least 2; None: show all.
    """
    return [
        [element.shown(longest) for element in stack]
        for stack in _follow(linearization, actions, words)
    ]


def last_stack(
    linearization: Linearization, actions: Sequence[int], words: Sequence[str]
) -> list[str]:
    """The stack after all actions, as in `stacks`; empty without any."""
    return stacks(linearization, actions, words)[-1] if actions else []


def _follow(
    linearization: Linearization, actions: Sequence[int], words: Sequence[str]
) -> Iterator[list[_Element]]:
    if isinstance(linearization, BottomUp):
        return _bottom_up(linearization, actions, words)
    if isinstance(linearization, OpenBrackets):
        return _open_brackets(linearization, actions, words)
    raise TypeError(f"The stack of the linearization {linearization.name!r} is not known.")


def _joined(elements: Sequence[_Element]) -> _Element:
    text = " ".join(element.text for element in elements)
    return _Element(text, tuple(word for element in elements for word in element.words))


def _bottom_up(
    linearization: BottomUp, actions: Sequence[int], words: Sequence[str]
) -> Iterator[list[_Element]]:
    """Yield the stack after each action; all yields share one list."""
    stack: list[_Element] = []
    read = 0
    for action in actions:
        needed = {SHIFT: 0, COMBINE: 2}.get(action, 1)
        if len(stack) < needed or (action == SHIFT and read == len(words)):
            yield stack
            continue
        if action == SHIFT:
            stack.append(_Element(words[read], (words[read],)))
            read += 1
        elif action == COMBINE:
            stack[-2:] = [_joined(stack[-2:])]
        elif action != NO_LABEL:
            for label in reversed(linearization.chains[action - FIRST_LABEL]):
                text = f"({label} {stack[-1].text})"
                stack[-1] = replace(stack[-1], text=text, label=label)
        yield stack


def _open_brackets(
    linearization: OpenBrackets, actions: Sequence[int], words: Sequence[str]
) -> Iterator[list[_Element]]:
    """Yield the stack after each action; all yields share one list."""
    kinds, labels = linearization.kind_of.tolist(), linearization.label_of.tolist()
    after_first_child = isinstance(linearization, InOrder)
    stack: list[_Element] = []
    opened: list[int] = []  # where on the stack the open brackets are
    read = 0
    for action in actions:
        kind = kinds[action]
        if kind == WORD and read < len(words):
            stack.append(_Element(words[read], (words[read],)))
            read += 1
        elif kind == OPEN:
            label = linearization.labels[labels[action]]
            if not after_first_child:
                opened.append(len(stack))
                stack.append(_Element(f"({label}", label=label, is_open=True))
            elif stack and not stack[-1].is_open:
                opened.append(len(stack) - 1)
                text = f"({label} {stack[-1].text}"
                stack[-1] = replace(stack[-1], text=text, label=label, is_open=True)
        elif kind == CLOSE and opened:
            start = opened.pop()
            inside = _joined(stack[start:])
            closed = replace(inside, text=f"{inside.text})", label=stack[start].label)
            stack[start:] = [closed]
        yield stack


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

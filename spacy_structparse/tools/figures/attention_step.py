"""One step of a parser as a part of an HTML page: its words, each coloured by its attention, and
the stack before and after its action."""

from collections.abc import Sequence
from html import escape

from ...printable import printable
from .attention_map import AttentionMap, explain_scale

_WORD = "display: inline-block; text-align: center; margin: 2px; padding: 2px 5px"
_ELEMENT = (
    "display: inline-block; border: 1px solid #8888; border-radius: 3px; margin: 2px;"
    " padding: 0 5px; overflow-wrap: anywhere"
)
DARK = 0.5
"""The share of the full scale from which the colour is dark, and the word on it white."""


def attention_step(shown: AttentionMap, step: int) -> str:
    """The step as HTML. Long sentences wrap.

    Args:
        shown: The attention of all steps.
        step: The step's number, from 0.

    Raises:
        ValueError: There is no such step.
    """
    if not 0 <= step < len(shown.steps):
        raise ValueError(f"there is no step {step} of {len(shown.steps)}")
    words = "".join(
        _word(word, weight, shown.full_scale)
        for word, weight in zip(shown.positions, shown.weights[step].tolist(), strict=True)
    )
    probability = ""
    if len(shown.probabilities):
        probability = f" with probability {shown.probabilities[step]:.3f}"
    parts = [
        f"<p>Step {step + 1} of {len(shown.steps)}: <strong>{_text(shown.steps[step])}</strong>"
        f"{probability}</p>",
        f'<p dir="auto">{words}</p>',
        f"<p><small>{_text(explain_scale(shown))}</small></p>",
    ]
    if shown.stacks:
        before = shown.stacks[step - 1] if step else ()
        parts += [_stack("before", before), _stack("after", shown.stacks[step])]
    return "\n".join(parts)


def _word(word: str, weight: float, full_scale: float) -> str:
    share = weight / full_scale
    colour = "; color: #fff" if share > DARK else ""
    number = f"{weight:.2f}" if weight >= 0.005 else "&nbsp;"
    return (
        f'<span style="{_WORD}; background: rgba(8, 81, 156, {share:.3g}){colour}">'
        f"<bdi>{_text(word)}</bdi><br><small>{number}</small></span>"
    )


def _stack(when: str, elements: Sequence[str]) -> str:
    inside = "".join(f'<bdi style="{_ELEMENT}">{_text(one)}</bdi>' for one in elements)
    return f"<p>Stack {when} it: {inside or '<em>empty</em>'}</p>"


def _text(text: str) -> str:
    return escape(printable(text))

"""Trees from unconstrained top-down outputs (Vinyals et al. 2015, §3.2).

The paper adds brackets at the beginning or the end of an output until it is balanced, and does not
describe the rest. These rules apply in order:

* actions after the first ``</s>`` do not count; an output without one is cut off, and malformed;
* a closing bracket closes the innermost open one, whatever label it names;
* a closing bracket without an open one gets its opening bracket at the beginning (``TOP`` if it
  names no label);
* words beyond the sentence's are dropped;
* brackets still open are closed at the end;
* missing words go to the end of the first bracket, if that has all other words;
* brackets without words are dropped;
* where no bracket has all words, ``TOP`` is put around them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ...brackets import TOP_LABEL, Bracket
from .open_bracket_state import CLOSE, END, OPEN, WORD
from .top_down import TopDown


@dataclass(frozen=True)
class Repaired:
    """The tree of an output, and the faults of the output.

    Attributes:
        brackets: In pre-order, the first over all words.
        problems: Some of ``PROBLEMS``, each once and in this order.
    """

    brackets: list[Bracket]
    problems: tuple[str, ...]

    @property
    def malformed(self) -> bool:
        """Whether the output was not a tree over the sentence."""
        return bool(self.problems)


PROBLEMS = (
    "cut off",
    "wrong closing label",
    "unopened bracket",
    "extra words",
    "unclosed bracket",
    "missing words",
    "empty bracket",
    "no root",
)


def repair(linearization: TopDown, actions: Sequence[int], n: int) -> Repaired:
    """Find the tree over n words that a sequence of top-down actions comes closest to.

    A complete linearization, ``</s>`` included, gives its tree and no problem. The choice among the
    actions that read a word makes no difference.
    """
    problems: set[str] = set()
    brackets: list[Bracket] = []  # in the order of opening; end -1 while open
    is_open: list[int] = []
    read = 0
    for action in actions:
        kind, label = int(linearization.kind_of[action]), int(linearization.label_of[action])
        named = linearization.labels[label] if label >= 0 else TOP_LABEL
        if kind == END:
            break
        if kind == WORD:
            if read == n:
                problems.add("extra words")
            read = min(read + 1, n)
        elif kind == OPEN:
            is_open.append(len(brackets))
            brackets.append(Bracket(named, read, -1))
        elif kind == CLOSE and is_open:
            place = is_open.pop()
            if linearization.closing_labels and brackets[place].label != named:
                problems.add("wrong closing label")
            brackets[place] = brackets[place]._replace(end=read)
        else:
            problems.add("unopened bracket")
            brackets.insert(0, Bracket(named, 0, read))
    else:
        problems.add("cut off")
    for place in is_open:
        problems.add("unclosed bracket")
        brackets[place] = brackets[place]._replace(end=read)
    if read < n:
        problems.add("missing words")
        if brackets and brackets[0][1:] == (0, read):
            brackets[0] = brackets[0]._replace(end=n)
    kept = [bracket for bracket in brackets if bracket.start < bracket.end]
    if len(kept) < len(brackets):
        problems.add("empty bracket")
    if not kept or kept[0][1:] != (0, n):
        problems.add("no root")
        kept.insert(0, Bracket(TOP_LABEL, 0, n))
    return Repaired(kept, tuple(problem for problem in PROBLEMS if problem in problems))

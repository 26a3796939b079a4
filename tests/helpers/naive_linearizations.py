"""One sentence at a time, on Python lists: what the batched states must equal."""

from collections.abc import Callable

from spacy_structparse.transitions.constituency.bottom_up import BottomUp
from spacy_structparse.transitions.constituency.in_order import InOrder
from spacy_structparse.transitions.constituency.interface import Linearization
from spacy_structparse.transitions.constituency.top_down import TopDown


class NaiveBottomUp:
    """Ma et al., Table 3, with the conditions of `sh` and `nolabel` put right."""

    def __init__(self, system: BottomUp, n: int, symbols: list[str]) -> None:
        self.system, self.n = system, n
        self.z = 0
        self.stack: list[tuple[int, int]] = []
        self.t = 0

    @property
    def finished(self) -> bool:
        return self.z == 4 * self.n - 2

    def legal(self) -> set[int]:
        names = self.system.names
        if self.finished:
            return {0}
        if self.z % 2 == 0:
            shift = {"sh"} if self.t < self.n else set()
            combine = {"comb"} if len(self.stack) > 1 else set()
            return {names.index(name) for name in shift | combine}
        last = self.z == 4 * self.n - 3
        labels = {name for name in names if name.startswith("label-")}
        return {names.index(name) for name in labels | (set() if last else {"nolabel"})}

    def apply(self, action: int) -> None:
        if self.finished:
            return
        if self.system.names[action] == "sh":
            self.stack.append((self.t, self.t + 1))
            self.t += 1
        elif self.system.names[action] == "comb":
            (_, end), (start, _) = self.stack.pop(), self.stack.pop()
            self.stack.append((start, end))
        self.z += 1

    def boundaries(self) -> list[int]:
        starts = [-1, -1, *(start for start, _ in self.stack)]
        return [0, starts[-2], starts[-1], self.t, self.n]


class NaiveOpenBrackets:
    """A stack of words and closed brackets (start, depth of the unary chain on top of it) and of
    open brackets (start, label)."""

    def __init__(self, system: TopDown | InOrder, n: int, symbols: list[str]) -> None:
        self.system, self.n = system, n
        self.reads = system.word_actions(n, symbols)
        self.stack: list[tuple[str, int, str, int]] = []  # kind, start, label, unary brackets
        self.t = self.opened = 0
        self.finished = False

    def open_brackets(self) -> list[tuple[str, int, str, int]]:
        return [item for item in self.stack if item[0] == "open"]

    def name(self, action: int) -> tuple[str, str]:
        system = self.system
        if action == 0:
            return "end", ""
        if action < system.first_open:
            return "word", ""
        if action < system.first_close:
            return "open", system.labels[action - system.first_open]
        return "close", system.labels[action - system.first_close] if system.closing_labels else ""

    def legal(self) -> set[int]:
        if self.finished:
            return {0}
        return {action for action in range(len(self.system)) if self.is_legal(action)}

    def is_legal(self, action: int) -> bool:
        kind, label = self.name(action)
        system, depth = self.system, len(self.open_brackets())
        left = self.t < self.n
        room = self.opened < 2 * self.n + system.spare_brackets
        if kind == "word" and not (left and action == self.reads[self.t]):
            return False
        if kind == "close" and not depth:
            return False
        if kind == "close" and label and label != self.open_brackets()[-1][2]:
            return False
        if kind == "open" and not (room and depth < system.max_depth):
            return False
        top = self.stack[-1] if self.stack else ("none", -1, "", 0)
        if isinstance(system, TopDown):
            if kind == "word":
                return depth > 0
            if kind == "open":
                run = 0
                while run < len(self.stack) and self.stack[-1 - run][0] == "open":
                    run += 1
                return left and run < system.max_run
            if kind == "close":
                return top[0] == "done" and (depth > 1 or not left)
            return not left and not depth
        unary = self.stack[-2][3] if top[0] == "open" else top[3]
        if kind == "word":
            return depth > 0 or not self.stack
        if kind == "open":
            return top[0] == "done" and (left or unary < system.max_run)
        if kind == "close":
            may_stop = depth > 1 or not left or room
            return may_stop and (top[0] == "done" or unary < system.max_run)
        return not left and not depth and top[3] > 0

    def apply(self, action: int) -> None:
        if self.finished:
            return
        kind, label = self.name(action)
        if kind == "end":
            self.finished = True
        elif kind == "word":
            self.stack.append(("done", self.t, "", 0))
            self.t += 1
        elif kind == "open":
            start = self.stack[-1][1] if isinstance(self.system, InOrder) else self.t
            self.stack.append(("open", start, label, 0))
            self.opened += 1
        else:
            children = []
            while self.stack[-1][0] == "done":
                children.append(self.stack.pop())
            _, start, _, _ = self.stack.pop()
            if isinstance(self.system, InOrder):
                children.append(self.stack.pop())
            unary = children[0][3] + 1 if len(children) == 1 else 1
            self.stack.append(("done", start, "", unary))

    def boundaries(self) -> list[int]:
        below = [item[1] for item in self.stack[:-1] if item[0] == "open"]
        r = below[-1] if below else -1
        s = self.stack[-1][1] if self.stack else -1
        return [0, r, s, self.t, self.n]


def naive_state(system: Linearization, n: int, symbols: list[str]):
    kind: Callable = NaiveBottomUp if isinstance(system, BottomUp) else NaiveOpenBrackets
    return kind(system, n, symbols)

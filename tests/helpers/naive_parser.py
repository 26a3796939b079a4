"""The stack-LSTM parser as the paper's equations say it (Dyer et al. 2015, §2.1, §3): one sentence,
one action, one vector at a time, with Python lists for stacks. It reads the weights of a
``StackLSTM`` by their names and shares no code with it.

A stack's lowest elements are its guards: the empty-stack token and, on the stack that holds it,
ROOT. Moves that touch ROOT are forced, have probability one and are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

Layer = tuple[Tensor, Tensor]  # h and c of one layer; the RNN keeps its c at zero


class NaiveRecurrence:
    """Layers of one cell. prefix: what the names of the layers' weights begin with."""

    def __init__(self, weights: dict[str, Tensor], prefix: str, cell: str) -> None:
        self.cell = cell
        self.layers: list[dict[str, Tensor]] = []
        while f"{prefix}.{len(self.layers)}.bias" in weights:
            start = f"{prefix}.{len(self.layers)}."
            self.layers.append(
                {k.removeprefix(start): v for k, v in weights.items() if k.startswith(start)}
            )

    def start(self) -> list[Layer]:
        zeros = [layer["bias"].new_zeros(layer["weight_h"].shape[1]) for layer in self.layers]
        return [(zero, zero) for zero in zeros]

    def step(self, x: Tensor, before: list[Layer]) -> list[Layer]:
        after = []
        for weights, (h, c) in zip(self.layers, before, strict=True):
            h, c = self.equations(weights, x, h, c)
            after.append((h, c))
            x = h
        return after

    def equations(self, w: dict[str, Tensor], x: Tensor, h: Tensor, c: Tensor) -> Layer:
        n = len(h)

        def gate(index: int) -> Tensor:
            """W_x x + W_h h + b of one block of rows."""
            rows = slice(index * n, (index + 1) * n)
            return w["weight_x"][rows] @ x + w["weight_h"][rows] @ h + w["bias"][rows]

        if self.cell == "rnn":
            return torch.tanh(gate(0)), c
        # The blocks are i, f, o and the candidate; torch.nn.LSTM has the candidate before o.
        order = (0, 1, 2, 3) if self.cell == "paper" else (0, 1, 3, 2)
        a_i, a_f, a_o, a_c = (gate(index) for index in order)
        if self.cell == "paper":
            a_i = a_i + w["weight_c"][:n] @ c
            a_f = a_f + w["weight_c"][n:] @ c
        c = torch.sigmoid(a_f) * c + torch.sigmoid(a_i) * torch.tanh(a_c)
        if self.cell == "paper":
            a_o = a_o + w["weight_oc"] @ c
        return torch.sigmoid(a_o) * torch.tanh(c), c


@dataclass
class NaiveStack:
    """Elements with the recurrence's states after each; entries[0] is the state before them."""

    recurrence: NaiveRecurrence
    entries: list[tuple[Tensor, int, list[Layer]]] = field(default_factory=list)

    def push(self, element: Tensor, word: int = -1) -> None:
        before = self.entries[-1][2] if self.entries else self.recurrence.start()
        self.entries.append((element, word, self.recurrence.step(element, before)))

    def pop(self) -> tuple[Tensor, int]:
        element, word, _ = self.entries.pop()
        return element, word

    def words(self) -> list[int]:
        """The words on the stack, guards left out."""
        return [word for _, word, _ in self.entries if word >= 0]

    def element(self, depth: int) -> Tensor:
        """The element ``depth`` below the top, guards left out; zeros if there is none."""
        held = [element for element, word, _ in self.entries if word >= 0]
        return held[-1 - depth] if depth < len(held) else torch.zeros_like(self.entries[0][0])

    def summary(self) -> Tensor:
        """The output of the top layer at the top of the stack."""
        return self.entries[-1][2][-1][0]

    def copy(self) -> "NaiveStack":
        return NaiveStack(self.recurrence, list(self.entries))


class NaiveParser:
    """The parser; ``weights`` are copies of the module's, ready for autograd.

    n_labels: the actions are SHIFT, LEFT of every label, RIGHT of every label.
    """

    def __init__(self, module: torch.nn.Module, n_labels: int, cell: str) -> None:
        self.weights = {
            name: parameter.detach().clone().requires_grad_()
            for name, parameter in module.named_parameters()
        }
        self.n_labels = n_labels
        self.recurrences = {
            name: NaiveRecurrence(self.weights, f"{name}.layers", cell)
            for name in ("stack", "buffer", "history")
        }

    def encode(self, tokens: Tensor) -> list[Tensor]:
        """The vectors of the words: both LSTMs' outputs side by side, through the linear map."""
        words = list(tokens)
        depth = 0
        while f"encoder.forwards.{depth}.bias" in self.weights:
            outputs = []
            for name, order in (("forwards", 1), ("backwards", -1)):
                layer = NaiveRecurrence(self.weights, f"encoder.{name}", "torch")
                layer.layers = layer.layers[depth : depth + 1]
                state, hidden = layer.start(), []
                for x in words[::order]:
                    state = layer.step(x, state)
                    hidden.append(state[0][0])
                outputs.append(hidden[::order])
            both = [torch.cat(pair) for pair in zip(*outputs, strict=True)]
            words = both if depth == 0 else [x + y for x, y in zip(words, both, strict=True)]
            depth += 1
        if "adapt.weight" in self.weights:
            words = [self.weights["adapt.weight"] @ x + self.weights["adapt.bias"] for x in words]
        return words

    def start(self, tokens: Tensor) -> "NaiveState":
        """The state before the first move (§3.1)."""
        stacks = {name: NaiveStack(recurrence) for name, recurrence in self.recurrences.items()}
        for name, stack in stacks.items():
            for guard in self.weights[f"{name}.guards"]:
                stack.push(guard)
        words = self.encode(tokens)
        for word in reversed(range(len(words))):
            stacks["buffer"].push(words[word], word)
        return NaiveState(self, words, stacks["stack"], stacks["buffer"], stacks["history"])

    def log_probabilities(self, tokens: Tensor, actions: Sequence[int]) -> list[dict[int, Tensor]]:
        """For each state on the way, log p of its legal actions."""
        state = self.start(tokens)
        found = []
        for action in actions:
            found.append(state.log_probabilities())
            state.apply(action)
        return found

    def log_likelihood(self, tokens: Tensor, actions: Sequence[int]) -> Tensor:
        """log p(z | w), Eq. 1."""
        steps = self.log_probabilities(tokens, actions)
        return torch.stack([p[z] for p, z in zip(steps, actions, strict=True)]).sum()

    def greedy(self, tokens: Tensor) -> list[int]:
        """The best legal action in every state."""
        return self.beam(tokens, 1)[0]

    @torch.no_grad()
    def beam(self, tokens: Tensor, width: int) -> tuple[list[int], float]:
        """The actions and the log-likelihood of the best hypothesis of a beam."""
        beam = [(0.0, self.start(tokens))]
        for _ in range(2 * len(tokens) - 1):
            candidates = [
                (total + log_p.item(), action, state)
                for total, state in beam
                for action, log_p in state.log_probabilities().items()
            ]
            candidates.sort(key=lambda candidate: -candidate[0])
            beam = []
            for total, action, state in candidates[:width]:
                state = state.copy()
                state.apply(action)
                beam.append((total, state))
        return beam[0][1].taken, beam[0][0]


@dataclass
class NaiveState:
    """What the stacks S, B and A hold."""

    parser: NaiveParser
    words: list[Tensor]
    s: NaiveStack
    b: NaiveStack
    a: NaiveStack
    taken: list[int] = field(default_factory=list)

    def copy(self) -> "NaiveState":
        stacks = self.s.copy(), self.b.copy(), self.a.copy()
        return NaiveState(self.parser, self.words, *stacks, list(self.taken))

    def word_at(self, depth: int) -> Tensor:
        """The vector of the head word ``depth`` below the top of S; zeros if there is none."""
        held = self.s.words()
        return (
            self.words[held[-1 - depth]] if depth < len(held) else torch.zeros_like(self.words[0])
        )

    def legal(self) -> list[int]:
        """The actions A(S, B), in order."""
        shift = [0] if self.b.words() else []
        n_reductions = 2 * self.parser.n_labels if len(self.s.words()) >= 2 else 0
        return shift + list(range(1, 1 + n_reductions))

    def scores(self) -> Tensor:
        """g_z . p_t + q_z of all actions, legal or not (§3.1)."""
        w = self.parser.weights
        p = (
            w["state_s.weight"] @ self.s.summary()
            + w["state_b.weight"] @ self.b.summary()
            + w["state_a.weight"] @ self.a.summary()
            + w["state_s.bias"]
        )
        if "state_x.weight" in w:  # not in the paper: what the stacks hold at their tops
            tops = [self.b.element(0), self.s.element(0), self.s.element(1)]
            tops += [self.word_at(0), self.word_at(1)]
            p = p + w["state_x.weight"] @ torch.cat(tops)
        return w["output.weight"] @ torch.relu(p) + w["output.bias"]

    def log_probabilities(self) -> dict[int, Tensor]:
        """log p(z | p_t) of the legal actions."""
        legal = self.legal()
        scores = self.scores()[legal]
        return dict(zip(legal, scores - scores.exp().sum().log(), strict=True))

    def apply(self, action: int) -> None:
        """One row of Figure 3: SHIFT, or a reduction, whose head is composed with its dependent."""
        w = self.parser.weights
        if action == 0:
            self.s.push(*self.b.pop())
        else:
            (top, u), (below, v) = self.s.pop(), self.s.pop()
            is_right = action > self.parser.n_labels
            head, dependent, word = (below, top, v) if is_right else (top, below, u)
            if "compose.weight" in w:
                matrix = torch.cat([w["compose.weight"], w["compose.relation.weight"]], 1)
                parts = torch.cat([head, dependent, w["relations.weight"][action]])
                head = torch.tanh(matrix @ parts + w["compose.relation.bias"])
            self.s.push(head, word)
        self.a.push(w["actions.weight"][action])
        self.taken.append(action)

"""The sequence-to-sequence parsers as the papers' equations say them (Vinyals et al. 2015, §2; Ma
et al. 2017, §3): one sentence, one word, one action at a time. It reads the weights of a
``Seq2Seq`` by their names and shares no code with it; which actions are legal it asks the
linearization.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor
from torch.nn.functional import layer_norm

from spacy_structparse.nn.seq2seq.model import Seq2Seq
from spacy_structparse.transitions.constituency.interface import Linearization

State = list[tuple[Tensor, ...]]
"""(h,) of every layer of a GRU, (h, c) or (h, m) of an LSTM."""
Weights = dict[str, Tensor]


def gru(w: Sequence[Tensor], x: Tensor, before: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Cho et al. (2014), as torch.nn.GRU documents it."""
    (h,) = before
    w_x, w_h, b_x, b_h = w
    x_r, x_z, x_n = (w_x @ x + b_x).chunk(3)
    h_r, h_z, h_n = (w_h @ h + b_h).chunk(3)
    r, z = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
    return ((1 - z) * torch.tanh(x_n + r * h_n) + z * h,)


def lstm(w: Sequence[Tensor], x: Tensor, before: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """The LSTM as torch.nn.LSTM documents it."""
    h, c = before
    w_x, w_h, *biases = w
    i, f, g, o = (w_x @ x + w_h @ h + sum(biases)).chunk(4)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def paper_lstm(w: Sequence[Tensor], x: Tensor, before: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Vinyals et al., §2; the rows of the two matrices are W_1 and W_2 (i), W_5 and W_6 (f), W_7
    and W_8 (o), W_3 and W_4 (i')."""
    h, m = before
    of_x, of_h = w
    n = len(h)
    i = torch.sigmoid(of_x[:n] @ x + of_h[:n] @ h)
    new = torch.tanh(of_x[3 * n :] @ x + of_h[3 * n :] @ h)
    f = torch.sigmoid(of_x[n : 2 * n] @ x + of_h[n : 2 * n] @ h)
    o = torch.sigmoid(of_x[2 * n : 3 * n] @ x + of_h[2 * n : 3 * n] @ h)
    m = m * f + i * new
    return m * o, m


def gated_convolution(w: Weights, prefix: str, words: list[Tensor], dilation: int) -> list[Tensor]:
    """A separable convolution with a gate, beside what it reads."""
    norm = w[f"{prefix}.norm.weight"], w[f"{prefix}.norm.bias"]
    shown = [layer_norm(x, x.shape, *norm) for x in words]
    both = []
    for i, x in enumerate(words):
        near = zip((i - dilation, i, i + dilation), w[f"{prefix}.taps"], strict=True)
        mixed = sum(shown[j] * tap for j, tap in near if 0 <= j < len(words))
        a, b = (w[f"{prefix}.weight"] @ mixed + w[f"{prefix}.bias"]).chunk(2)
        both.append(x + a * torch.sigmoid(b))
    return both


def layers_of(w: Weights, prefix: str) -> list[list[Tensor]]:
    """The weights of each layer of a recurrent network."""
    found: list[list[Tensor]] = []
    names = ("weight_x", "weight_h", "bias", "bias_x", "bias_h")
    while f"{prefix}.{len(found)}.weight_x" in w:
        every = (f"{prefix}.{len(found)}.{name}" for name in names)
        found.append([w[name] for name in every if name in w])
    return found


@dataclass
class NaiveStack:
    """The parser's stack, elements from the lowest up: where each begins, and whether it is an open
    bracket; t is the first word not read."""

    linearization: Linearization
    n: int
    elements: list[tuple[int, bool]] = field(default_factory=list)
    t: int = 0

    def apply(self, action: int) -> None:
        name = self.linearization.names[action]
        kind = self.linearization.name
        if kind == "words":
            return
        if name in ("</s>", "FINISH", "nolabel") or name.startswith("label-"):
            return
        if name in ("sh", "XX", "SHIFT"):
            self.elements.append((self.t, False))
            self.t += 1
        elif name == "comb":
            self.elements.pop()
        elif kind == "top_down" and name.startswith("("):
            self.elements.append((self.t, True))
        elif kind == "in_order" and name.startswith("PJ-"):
            start, _ = self.elements.pop()
            self.elements.append((start, True))
        else:  # a bracket is closed
            while not self.elements[-1][1]:
                self.elements.pop()
            start, _ = self.elements.pop()
            self.elements.append((start, False))

    def positions(self, heads: bool) -> list[int]:
        """D: (0, r, s, t, T), or (0, r, s, t, h_rs, h_st, T), h the last word of its element; -1
        where there is none."""
        s = self.elements[-1][0] if self.elements else -1
        below = self.elements[:-1]
        if self.linearization.name != "bottom_up":
            below = [element for element in below if element[1]]
        r = below[-1][0] if below else -1
        of_elements = [max(s, 0) - 1, self.t - 1] if heads else []
        return [0, r, s, self.t, *of_elements, self.n]


class NaiveSeq2Seq:
    """The parser; ``weights`` are copies of the module's, ready for autograd."""

    def __init__(self, module: Seq2Seq, **settings: object) -> None:
        self.weights: Weights = {
            name: parameter.detach().clone().requires_grad_()
            for name, parameter in module.named_parameters()
        }
        self.linearization = module.linearization
        self.settings = settings
        named = {"gru": gru, "lstm": paper_lstm if settings["cell"] == "paper" else lstm}
        self.decoder_cell = named[str(settings["decoder"])]
        self.encoder_cell = named.get(str(settings["encoder"]), lstm)

    # --- the encoder ---------------------------------------------------------------------------

    def encode(self, tokens: Tensor) -> tuple[list[Tensor], State]:
        """The vectors of the words and the end symbol, and the state of a one-way encoder."""
        w, kind = self.weights, self.settings["encoder"]
        words = [*tokens, w["encoder.end"]]
        if kind == "lstm":
            order = -1 if self.settings["reverse"] else 1
            layers = layers_of(w, "encoder.rnn.layers")
            state = self.zeros(layers, 2)
            if self.settings["cell"] == "paper":  # h_0 is a parameter of each layer, m_0 is zero
                starts = zip(w["encoder.h_0"], state, strict=True)
                state = [(h_0, m_0) for h_0, (_, m_0) in starts]
            outputs = []
            for x in words[::order]:
                state = self.step(self.encoder_cell, layers, x, state)
                outputs.append(state[-1][0])
            return outputs[::order], state
        if kind == "cnn":
            words = [w["encoder.rnn.input.weight"] @ x + w["encoder.rnn.input.bias"] for x in words]
            for depth, dilation in enumerate((1, 2)):
                words = gated_convolution(w, f"encoder.rnn.layers.{depth}", words, dilation)
            norm = w["encoder.rnn.norm.weight"], w["encoder.rnn.norm.bias"]
            return [layer_norm(x, x.shape, *norm) for x in words], []
        if kind == "bigru":
            prefixes = [(f"encoder.rnn.{i}", f"encoder.rnn.{i + 1}") for i in (0, 2)]
            pairs = [[layers_of(w, f"{way}.layers") for way in both] for both in prefixes]
            cell, n_parts = gru, 1
        else:
            ways = [layers_of(w, f"encoder.rnn.{name}") for name in ("forwards", "backwards")]
            pairs = [[[f], [b]] for f, b in zip(*ways, strict=True)]
            cell, n_parts = lstm, 2
        for depth, pair in enumerate(pairs):
            if not pair[0]:
                break
            read = []
            for layer, order in zip(pair, (1, -1), strict=True):
                state, outputs = self.zeros(layer, n_parts), []
                for x in words[::order]:
                    state = self.step(cell, layer, x, state)
                    outputs.append(state[-1][0])
                read.append(outputs[::order])
            both = [torch.cat(pair) for pair in zip(*read, strict=True)]
            residual = kind == "bilstm" and depth > 0
            words = [x + y for x, y in zip(words, both, strict=True)] if residual else both
        return words, []

    def zeros(self, layers: list[list[Tensor]], n_parts: int) -> State:
        widths = [w[1].shape[1] for w in layers]
        return [tuple(layers[0][0].new_zeros(width) for _ in range(n_parts)) for width in widths]

    @staticmethod
    def step(cell: object, layers: list[list[Tensor]], x: Tensor, before: State) -> State:
        after = []
        for w, one in zip(layers, before, strict=True):
            after.append(cell(w, x, one))  # type: ignore[operator]
            x = after[-1][0]
        return after

    # --- the decoder ---------------------------------------------------------------------------

    def start(self, tokens: Tensor) -> "NaiveDerivation":
        """Before the first action."""
        words, last = self.encode(tokens)
        state = last
        if "bridge.weight" in self.weights:
            mean = torch.stack(words).mean(0)
            first = torch.tanh(self.weights["bridge.weight"] @ mean + self.weights["bridge.bias"])
            n_parts = 1 if self.settings["decoder"] == "gru" else 2
            parts = first.chunk(len(layers_of(self.weights, "decoder.layers")) * n_parts)
            state = [tuple(parts[i : i + n_parts]) for i in range(0, len(parts), n_parts)]
        phrases = self.phrases(tokens)
        width = len(words[0]) if self.settings["attention"] == "probabilistic" else 0
        context = words[0].new_zeros(width + (len(phrases[0]) if phrases else 0))
        stack = NaiveStack(self.linearization, len(tokens))
        return NaiveDerivation(self, words, phrases, state, context, stack)

    def phrases(self, tokens: Tensor) -> list[Tensor]:
        """The state of a GRU after every word, or the end symbol alone, from every start."""
        kind = self.settings.get("pyramid", "none")
        if kind == "none":
            return []
        names = ("weight_x", "weight_h", "bias_x", "bias_h")
        w = [self.weights[f"phrases.scan.{name}"] for name in names]
        words = [*tokens, self.weights["encoder.end"]]
        found = []
        for start in range(len(words)):
            h = (tokens.new_zeros(w[1].shape[1]),)
            for i in range(start, len(words)):
                h = gru(w, words[i], h)
                if kind == "all" or i == len(words) - 1:
                    found += h
        return found

    def scores(self, tokens: Tensor, actions: Sequence[int]) -> Tensor:
        """The scores of all actions in every state on the way: (T, n_actions)."""
        return self.scores_and_shares(tokens, actions)[0]

    def scores_and_shares(
        self, tokens: Tensor, actions: Sequence[int]
    ) -> tuple[Tensor, list[Tensor]]:
        """The scores, and what probabilistic attention gives to the next word in each state."""
        derivation, scores, shares = self.start(tokens), [], []
        for action in actions:
            scores.append(derivation.scores())
            if self.settings["attention"] == "probabilistic":
                shares.append(derivation.shares()[derivation.stack.t])
            derivation.apply(int(action))
        return torch.stack(scores), shares

    def loss(self, tokens: Tensor, actions: Sequence[int]) -> Tensor:
        """-log p of the actions, every softmax over all of them; and, where attention is guided,
        -log of what it gives to the next word, times the guidance."""
        weight = float(self.settings.get("attention_guidance", 0.0))  # type: ignore[arg-type]
        scores, shares = self.scores_and_shares(tokens, actions)
        guidance = -weight * torch.stack(shares).log().sum() if weight else 0.0
        log_p = scores - scores.exp().sum(1, keepdim=True).log()
        smoothing = float(self.settings.get("label_smoothing", 0.0))  # type: ignore[arg-type]
        gold = log_p[range(len(actions)), list(actions)]
        return -((1 - smoothing) * gold + smoothing * log_p.mean(1)).sum() + guidance

    # --- search --------------------------------------------------------------------------------

    def greedy(self, tokens: Tensor) -> list[int]:
        """The best legal action in every state."""
        return self.beam(tokens, 1)[0]

    @torch.no_grad()
    def beam(self, tokens: Tensor, width: int, penalty: float = 0.0) -> tuple[list[int], float]:
        """The actions and the log probability of the best hypothesis of a beam; a softmax is over
        the legal actions. penalty: hypotheses are compared by log p / length ** penalty, and
        search goes on until all have ended."""
        legality = self.linearization.initial([len(tokens)])
        beam = [(0.0, self.start(tokens), legality)]
        while not all(one.finished for _, _, one in (beam if penalty else beam[:1])):
            candidates = []
            for total, derivation, legality in beam:
                if legality.finished:
                    candidates.append((total, None, derivation, legality))
                    continue
                legal = legality.legal_mask()[0]
                log_p = derivation.scores().masked_fill(~legal, -torch.inf).log_softmax(0)
                for action in legal.nonzero()[:, 0].tolist():
                    candidates.append((total + float(log_p[action]), action, derivation, legality))
            lengths = [len(d.taken) + (chosen is not None) for _, chosen, d, _ in candidates]
            ranked = sorted(
                zip(candidates, lengths, strict=True),
                key=lambda pair: -pair[0][0] / pair[1] ** penalty,
            )
            candidates = [candidate for candidate, _ in ranked]
            beam = []
            for total, chosen, derivation, legality in candidates[:width]:
                if chosen is not None:
                    derivation = derivation.copy()
                    derivation.apply(chosen)
                legality = legality.select(torch.tensor([0]))
                legality.apply(torch.tensor([chosen or 0]))
                beam.append((total, derivation, legality))
        return beam[0][1].taken, beam[0][0]


@dataclass
class NaiveDerivation:
    """One hypothesis: the decoder's state, what it attended to last, the stack, and the actions."""

    parser: NaiveSeq2Seq
    words: list[Tensor]
    phrases: list[Tensor]
    state: State
    context: Tensor
    stack: NaiveStack
    taken: list[int] = field(default_factory=list)
    stepped: tuple[State, Tensor, Tensor] | None = None

    def copy(self) -> "NaiveDerivation":
        stack = replace(self.stack, elements=list(self.stack.elements))
        return NaiveDerivation(
            self.parser, self.words, self.phrases, self.state, self.context, stack, list(self.taken)
        )

    def deterministic_context(self) -> Tensor:
        """c = sum over m of A_m h[D_m] (Ma et al., Eq. 6)."""
        w, heads = self.parser.weights, self.parser.settings["attention"] == "datt-bound-head"
        positions = self.stack.positions(heads)
        matrices = w["attention.weight"].chunk(len(positions))
        return sum(
            a @ (self.words[p] if p >= 0 else w["attention.padding"])
            for a, p in zip(matrices, positions, strict=True)
        )

    def shares_for(self, d: Tensor, read: list[Tensor], name: str = "attention") -> Tensor:
        """a = softmax(v tanh(W_1 h_i + W_2 d)) (Vinyals et al.)."""
        w = self.parser.weights
        of_h, of_d = w[f"{name}.of_position"], w[f"{name}.of_query"]
        u = [w[f"{name}.v"] @ torch.tanh(of_h @ h + of_d @ d) for h in read]
        return torch.stack(u).softmax(0)

    def shares(self) -> Tensor:
        """Those of the step whose scores were asked for last."""
        assert self.stepped is not None
        return self.shares_for(self.stepped[2], self.words)

    def probabilistic_context(self, d: Tensor) -> Tensor:
        """d' = sum over i of a_i h_i, of words and of phrases, side by side."""
        found = [d[:0]]
        if self.parser.settings["attention"] == "probabilistic":
            shares = self.shares_for(d, self.words)
            found.append(sum(a * h for a, h in zip(shares, self.words, strict=True)))
        if self.phrases:
            shares = self.shares_for(d, self.phrases, "phrase_attention")
            found.append(sum(a * h for a, h in zip(shares, self.phrases, strict=True)))
        return torch.cat(found)

    def scores(self) -> Tensor:
        """s_i = f(s_{i-1}, y_{i-1}, c_i), then g(y_{i-1}, s_i, c_i) (Ma et al., Eqs. 1 and 2)."""
        w, kind = self.parser.weights, self.parser.settings["attention"]
        before = w["actions.weight"][self.taken[-1] if self.taken else -1]
        known = [self.deterministic_context()] if str(kind).startswith("datt") else []
        attend_before_step = self.parser.settings.get("attention_query") == "previous"
        if attend_before_step:
            self.context = self.probabilistic_context(self.state[-1][0])
        inputs = [before, *known, self.context]
        layers = layers_of(w, "decoder.layers")
        state = self.parser.step(self.parser.decoder_cell, layers, torch.cat(inputs), self.state)
        h = state[-1][0]
        context = self.context if attend_before_step else self.probabilistic_context(h)
        read = [h, context, *known]
        self.stepped = state, context, h
        if "readout.weight" in w:
            whole = torch.cat([*read, before])
            read = [torch.tanh(w["readout.weight"] @ whole + w["readout.bias"])]
        scores = w["output.weight"] @ torch.cat(read)
        if self.parser.decoder_cell is paper_lstm:  # softmax(W_o h)
            return scores
        return scores + w["output.bias"]

    def apply(self, action: int) -> None:
        """Take an action; :meth:`scores` must have been asked for before."""
        if self.stepped is None:
            self.scores()
        self.state, self.context, _ = self.stepped  # type: ignore[misc]
        self.stepped = None
        self.stack.apply(action)
        self.taken.append(action)

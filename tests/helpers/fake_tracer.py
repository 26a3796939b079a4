"""A parser that needs no training and tells how it parses: it branches to one side."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span

from spacy_structparse.brackets import Bracket
from spacy_structparse.pipeline.seq2seq import Trace
from spacy_structparse.transitions.constituency.registry import load_linearization

SETTINGS = {
    "bottom_up": {"chains": [["NP"], ["S"]]},
    "top_down": {"labels": ["NP", "S"]},
    "in_order": {"labels": ["NP", "S"]},
}


class FakeTracer:
    def __init__(self, linearization: str, attention: str, branches: str) -> None:
        self.linearization = load_linearization(linearization, SETTINGS[linearization])
        self.attention = attention
        self.branches = branches

    def __call__(self, doc: Doc) -> Doc:
        return doc

    def trace(self, docs: Iterable[Doc]) -> list[list[Trace]]:
        cut = [[self._words(sentence) for sentence in doc.sents] for doc in docs]
        return [[self._trace(words) for words in sentences if words] for sentences in cut]

    def _words(self, sentence: Span) -> list[str]:
        return [token.text for token in sentence if not token.is_space]

    def _brackets(self, n: int) -> list[Bracket]:
        right = [Bracket("NP", start, n) for start in range(1, n - 1)]
        left = [Bracket("NP", 0, end) for end in range(n - 1, 1, -1)]
        return [Bracket("S", 0, n), *(right if self.branches == "right" else left)]

    def _trace(self, words: list[str]) -> Trace:
        n = len(words)
        brackets = self._brackets(n)
        actions = self.linearization.oracle(brackets, n)
        attention = np.zeros((len(actions), n + 1))
        if self.attention == "deterministic":
            for step, positions in enumerate(self.linearization.boundaries(actions, n)):
                positions = positions[positions >= 0]
                np.add.at(attention[step], positions, 1 / len(positions))
        elif self.attention == "probabilistic":
            attention[:, :-1] = 0.9 / n
            attention[:, -1] = 0.1
        return Trace(
            words=words,
            actions=actions,
            names=[self.linearization.names[action] for action in actions],
            log_probs=np.log(np.linspace(0.8, 1.0, len(actions))),
            attention=attention,
            kind=self.attention,
            brackets=brackets,
        )


@Language.factory(
    "fake_tracer",
    default_config={
        "linearization": "bottom_up",
        "attention": "deterministic",
        "branches": "right",
    },
)
def make_fake_tracer(
    nlp: Language, name: str, linearization: str, attention: str, branches: str
) -> FakeTracer:
    return FakeTracer(linearization, attention, branches)


def save_pipeline(path: Path, *, names: Iterable[str] = ("fake_tracer",), **config: str) -> Path:
    """A pipeline folder with fake parsers of these names."""
    nlp = spacy.blank("en")
    for name in names:
        nlp.add_pipe("fake_tracer", name=name, config=config)
    nlp.to_disk(path)
    return path

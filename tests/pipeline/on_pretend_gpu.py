"""Training and parsing on the pretend GPU; ``test_devices.py`` runs it in a process of its own."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_structparse.nn.layers.beam import Beam
from spacy_structparse.nn.seq2seq.search import STEPS_TO_CHECK
from tests.helpers.attacks import bounded
from tests.helpers.pipeline_kinds import KINDS
from tests.helpers.pretend_cupy import on_pretend_gpu
from tests.helpers.pretend_gpu import counted_waits, pretend_gpu
from tests.helpers.small_parser import HASHED, WIDTH, add_parser, bare, examples_of
from tests.helpers.tiny_bert import LISTENER as TRANSFORMER_LISTENER
from tests.helpers.tiny_bert import model_of, save_tiny_bert

# Waits for the device in an update (two of them are the loss and the norm of the gradients), and in
# parsing a batch. Searches for sequences of unknown length also ask which sentences are done.
COPIES = {
    "stack_lstm_dep": (2, 1),
    "stack_lstm_dep with all": (3, 1),  # a beam, and the actions that were explored
    "stack_lstm_dep, paper": (2, 1),
    "spa_dep, tob": (3, 4),  # arcs with a label; three more for sentences that need the best tree
    "spa_dep, concat": (3, 4),
    "spa_dep, max margin": (7, 4),  # the best trees, and which sentences have unknown heads
    "spa_dep, transition": (2, 1),
    "trees, heads": (2, 1),
    "trees, top down": (2, 1),
    "trees, in order": (2, 1),
    "trees, phrases": (2, 1),  # a beam
    "trees, exploration": (3, 1),
    "language model": (2, 2),  # surprisals, and the weights of phrases
    "language model, none": (2, 1),
    "language model, update": (2, 2),
    "translator, beam": (2, 1),
    "translator, phrases": (2, 1),
}
ONE_OF_EACH = [
    "stack_lstm_dep with all", "spa_dep, tob", "trees, heads", "language model", "translator, beam",
]  # fmt: skip
UPSTREAM = ["tok2vec", "transformer"]
# PyTorch counts the devices when a process computes its first gradient.
DEVICE = pretend_gpu()
TOK2VEC_LISTENER = {
    "@architectures": "spacy.Tok2VecListener.v1",
    "width": WIDTH,
    "upstream": "tok2vec",
}


@pytest.fixture
def on_gpu() -> Iterator[None]:
    with on_pretend_gpu():
        yield


@pytest.fixture
def short_and_long(tree_docs: list[Doc]) -> list[Doc]:
    """Two sentences of 5 and 6 words, and two of 12 and 14."""
    by_length = {len(doc): doc for doc in tree_docs}
    return [by_length[n] for n in (5, 6, 12, 14)]


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """One entry for each step of a search of a sequence-to-sequence model."""
    found: list[None] = []
    choose = Beam.choose

    def counted(beam: Beam, *scores: torch.Tensor, **finished: Any) -> Any:
        found.append(None)
        return choose(beam, *scores, **finished)

    monkeypatch.setattr(Beam, "choose", counted)
    return found


def halves(examples: list[Example]) -> list[list[Example]]:
    """The two shortest and the two longest."""
    ordered = sorted(examples, key=lambda example: len(example.reference))
    return [ordered[:2], ordered[-2:]]


def inputs(nlp: Language, examples: list[Example]) -> list[Doc]:
    return [bare(nlp.vocab, example.predicted) for example in examples]


def update(nlp: Language, examples: list[Example]) -> float:
    fix_random_seed(1)
    return sum(nlp.update(examples, sgd=nlp.create_optimizer()).values())


@pytest.mark.parametrize("kind", bounded(ONE_OF_EACH, list(COPIES)))
def test_every_way_of_training_and_parsing(
    kind: str, short_and_long: list[Doc], steps: list[None]
) -> None:
    nlp, examples = KINDS[kind](short_and_long)
    expected = [update(nlp, part) for part in halves(examples)]
    with on_pretend_gpu():
        nlp, examples = KINDS[kind](short_and_long)
        assert {p.device for p in parameters(nlp)} == {DEVICE}
        of_update, of_parsing = COPIES[kind]
        for part, loss in zip(halves(examples), expected, strict=True):
            steps.clear()
            with counted_waits() as waits:
                assert update(nlp, part) == pytest.approx(loss, rel=1e-3)
            assert len(waits) <= of_update + most_checks(steps), Counter(waits)
            steps.clear()
            with counted_waits() as waits:
                assert len(list(nlp.pipe(inputs(nlp, part)))) == len(part)
            assert len(waits) <= of_parsing + most_checks(steps), Counter(waits)


def most_checks(steps: list[None]) -> int:
    """A check asks which sentences are done and, where some are, with which probability."""
    return 2 * -(-len(steps) // STEPS_TO_CHECK)


def parameters(nlp: Language) -> Iterator[torch.nn.Parameter]:
    for _, pipe in nlp.pipeline:
        for node in pipe.model.walk():
            for shim in node.shims:
                if getattr(shim, "module", None) is not None:
                    yield from shim.module.parameters()


def test_everything_else_that_asks_a_model(on_gpu: None, short_and_long: list[Doc]) -> None:
    nlp, examples = KINDS["spa_dep, tob"](short_and_long)
    docs = inputs(nlp, examples)
    probabilities = nlp.get_pipe("arcs").arc_probabilities(docs)
    assert [p.shape for p in probabilities] == [(len(doc), len(doc)) for doc in docs]
    nlp, examples = KINDS["trees, phrases"](short_and_long)
    traces = nlp.get_pipe("seq2seq_constituency").trace(inputs(nlp, examples))
    assert [len(of_doc) for of_doc in traces] == [1] * len(docs)
    nlp, examples = KINDS["language model"](short_and_long)
    drawn = nlp.get_pipe("phrasal_lm").sample(2, generator=torch.Generator(), max_words=3)
    assert len(drawn) == 2


@pytest.mark.parametrize("upstream", bounded(UPSTREAM[-1:], UPSTREAM))
def test_shared_embeddings(upstream: str, short_and_long: list[Doc], tmp_path: Path) -> None:
    if upstream == "tok2vec":
        model, listener = HASHED, TOK2VEC_LISTENER
    else:
        pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")
        bert = save_tiny_bert(tmp_path, sorted({token.text for token in short_and_long[0]}))
        model = model_of(bert)
        listener = TRANSFORMER_LISTENER
    with on_pretend_gpu():
        nlp = spacy.blank("en")
        nlp.add_pipe(upstream, config={"model": model})
        add_parser(nlp, tok2vec=listener)
        examples = examples_of(nlp, short_and_long)
        nlp.initialize(lambda: examples)
        sgd = nlp.create_optimizer()
        losses = [sum(nlp.update(examples, sgd=sgd).values()) for _ in range(2)]
        assert losses[1] != losses[0]
        assert len(list(nlp.pipe(inputs(nlp, examples)))) == len(examples)
        assert {p.device for p in parameters(nlp)} == {DEVICE}


def test_weights_of_averages_and_of_files(on_gpu: None, short_and_long: list[Doc]) -> None:
    nlp, examples = KINDS["stack_lstm_dep"](short_and_long)
    sgd = nlp.create_optimizer()
    nlp.update(examples, sgd=sgd)
    saved = nlp.to_bytes()
    with nlp.use_params(sgd.averages):
        list(nlp.pipe(inputs(nlp, examples)))
    nlp.from_bytes(saved)
    assert {p.device for p in parameters(nlp)} == {DEVICE}
    assert nlp.to_bytes() == saved

"""Training and parsing on the pretend GPU; ``test_devices.py`` runs it in a process of its own."""

from collections import Counter
from collections.abc import Callable, Iterator
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
from tests.helpers.pretend_gpu import counted_waits, on_pretend_gpu, pretend_gpu
from tests.helpers.small_lm import lm_pipeline
from tests.helpers.small_parser import HASHED, WIDTH, add_parser, bare, examples_of, small_pipeline
from tests.helpers.small_translator import pairs, translator
from tests.helpers.small_trees import tree_pipeline
from tests.helpers.tiny_bert import LISTENER, model_of, save_tiny_bert

EXACT = {"bfloat16": False}
STACK, SPA = ({"parser": name, **EXACT} for name in ("stack_lstm_dep", "spa_dep"))
TRANSITION = {"parser": "spa_dep, transition", **EXACT}
# What makes a pipeline, its settings, and how often the host waits for the device in an update (two
# waits are the loss and the norm of the gradients) and in parsing a batch.
KINDS: dict[str, tuple[Any, dict[str, Any], int, int]] = {
    "stack_lstm_dep": (small_pipeline, STACK, 2, 1),
    # A beam, and the actions that were explored.
    "stack_lstm_dep with all": (
        small_pipeline,
        {**STACK, "encoder_width": 16, "direct": True, "exploration": 1.0, "beam_width": 2},
        3,
        1,
    ),
    "stack_lstm_dep, paper": (small_pipeline, {**STACK, "cell": "paper"}, 2, 1),
    # Arcs with a label; three more for sentences that need the best tree.
    "spa_dep, tob": (small_pipeline, {**SPA, "attention": "tob", "distance": True}, 3, 4),
    "spa_dep, concat": (small_pipeline, {**SPA, "scorer": "concat", "encoder": "bigru"}, 3, 4),
    # The best trees, and which sentences have unknown heads.
    "spa_dep, max margin": (
        small_pipeline, {**SPA, "attention": "none", "head_loss": "max_margin"}, 7, 4,
    ),
    "spa_dep, transition": (small_pipeline, TRANSITION, 2, 1),
    "trees, heads": (tree_pipeline, {"attention": "datt-bound-head", "encoder": "bigru"}, 2, 1),
    "trees, top down": (
        tree_pipeline,
        {"linearization": "top_down", "attention": "probabilistic", "attention_guidance": 0.5},
        2,
        1,
    ),
    "trees, in order": (
        tree_pipeline, {"linearization": "in_order", "attention": "none", "decoder": "gru"}, 2, 1,
    ),
    "trees, phrases": (tree_pipeline, {"pyramid": "all", "beam_width": 2}, 2, 1),
    "trees, exploration": (tree_pipeline, {"exploration": 1.0}, 3, 1),
    # Surprisals, and the weights of phrases.
    "language model": (lm_pipeline, {"model": EXACT}, 2, 2),
    "language model, none": (lm_pipeline, {"model": {"pyramid": "none", **EXACT}}, 2, 1),
    "language model, update": (
        lm_pipeline, {"model": {"cell": "update", "feed": False, **EXACT}}, 2, 2,
    ),
    "translator, beam": (translator, {"beam_width": 2}, 2, 1),
    "translator, phrases": (
        translator, {"pyramid": "last", "attention_query": "current", "decoder": "lstm"}, 2, 1,
    ),
}  # fmt: skip
ONE_OF_EACH = [
    "stack_lstm_dep with all", "spa_dep, tob", "trees, heads", "language model", "translator, beam",
]  # fmt: skip
UPSTREAM = ["tok2vec", "transformer"]
# PyTorch counts the devices when a process computes its first gradient.
DEVICE = pretend_gpu()


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
    taken: list[None] = []
    choose = Beam.choose

    def counted(beam: Beam, *scores: torch.Tensor, **finished: Any) -> Any:
        taken.append(None)
        return choose(beam, *scores, **finished)

    monkeypatch.setattr(Beam, "choose", counted)
    return taken


def pipeline(kind: str, docs: list[Doc]) -> tuple[Language, list[Example]]:
    """A pipeline, and examples of the docs. The translators read a sample of their own."""
    build, settings, _, _ = KINDS[kind]
    if build is translator:
        nlp = translator(6, **settings)
        return nlp, pairs(nlp, 6)
    nlp = build(lambda nlp: examples_of(nlp, docs), **settings)
    return nlp, examples_of(nlp, docs)


def halves(examples: list[Example]) -> list[list[Example]]:
    """The two shortest and the two longest."""
    ordered = sorted(examples, key=lambda example: len(example.reference))
    return [ordered[:2], ordered[-2:]]


def inputs(nlp: Language, examples: list[Example]) -> list[Doc]:
    return [bare(nlp.vocab, example.predicted) for example in examples]


def update(nlp: Language, examples: list[Example]) -> float:
    fix_random_seed(1)
    return sum(nlp.update(examples, sgd=nlp.create_optimizer()).values())


def devices(nlp: Language) -> set[torch.device]:
    """Where the weights of all modules are."""
    shims = (shim for _, pipe in nlp.pipeline for node in pipe.model.walk() for shim in node.shims)
    modules = [shim.module for shim in shims if getattr(shim, "module", None) is not None]
    return {parameter.device for module in modules for parameter in module.parameters()}


def waiting(most: int, steps: list[None], run: Callable[[], Any]) -> Any:
    """The result; the host may wait so often. Searches for sequences of unknown length also ask now
    and then which sentences are done, and with which probability."""
    steps.clear()
    with counted_waits() as waits:
        result = run()
    assert len(waits) <= most + 2 * -(-len(steps) // STEPS_TO_CHECK), Counter(waits)
    return result


@pytest.mark.parametrize("kind", bounded(ONE_OF_EACH, list(KINDS)))
def test_every_way_of_training_and_parsing(
    kind: str, short_and_long: list[Doc], steps: list[None]
) -> None:
    nlp, examples = pipeline(kind, short_and_long)
    expected = [update(nlp, part) for part in halves(examples)]
    _, _, in_update, in_parsing = KINDS[kind]
    with on_pretend_gpu():
        nlp, examples = pipeline(kind, short_and_long)
        assert devices(nlp) == {DEVICE}
        for part, loss in zip(halves(examples), expected, strict=True):
            found = waiting(in_update, steps, lambda part=part: update(nlp, part))
            assert found == pytest.approx(loss, rel=1e-3)
            parses = waiting(in_parsing, steps, lambda part=part: [*nlp.pipe(inputs(nlp, part))])
            assert len(parses) == len(part)


def test_everything_else_that_asks_a_model(on_gpu: None, short_and_long: list[Doc]) -> None:
    nlp, examples = pipeline("spa_dep, tob", short_and_long)
    docs = inputs(nlp, examples)
    probabilities = nlp.get_pipe("arcs").arc_probabilities(docs)
    assert [p.shape for p in probabilities] == [(len(doc), len(doc)) for doc in docs]
    nlp, examples = pipeline("trees, phrases", short_and_long)
    traces = nlp.get_pipe("seq2seq_constituency").trace(inputs(nlp, examples))
    assert [len(of_doc) for of_doc in traces] == [1] * len(docs)
    nlp, examples = pipeline("language model", short_and_long)
    drawn = nlp.get_pipe("phrasal_lm").sample(2, generator=torch.Generator(), max_words=3)
    assert len(drawn) == 2


@pytest.mark.parametrize("upstream", bounded(UPSTREAM[-1:], UPSTREAM))
def test_shared_embeddings(upstream: str, short_and_long: list[Doc], tmp_path: Path) -> None:
    model = HASHED
    listener: dict[str, Any] = {"@architectures": "spacy.Tok2VecListener.v1", "width": WIDTH}
    if upstream == "transformer":
        pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")
        words = sorted({token.text for token in short_and_long[0]})
        model, listener = model_of(save_tiny_bert(tmp_path, words)), LISTENER
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
        assert devices(nlp) == {DEVICE}


def test_weights_of_averages_and_of_files(on_gpu: None, short_and_long: list[Doc]) -> None:
    nlp, examples = pipeline("stack_lstm_dep", short_and_long)
    sgd = nlp.create_optimizer()
    nlp.update(examples, sgd=sgd)
    saved = nlp.to_bytes()
    with nlp.use_params(sgd.averages):
        list(nlp.pipe(inputs(nlp, examples)))
    nlp.from_bytes(saved)
    assert devices(nlp) == {DEVICE}
    assert nlp.to_bytes() == saved

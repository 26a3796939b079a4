"""A small parser: its config, its examples and its training."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

EMBEDDING = {
    "width": 32,
    "word_width": 16,
    "feature_rows": [300, 200, 200, 200],
    "feature_width": 8,
}
STACK_LSTM = "stack_lstm_dep"
SMALL: dict[str, dict[str, Any]] = {
    STACK_LSTM: {
        "hidden_width": 32,
        "hidden_depth": 1,
        "element_width": 32,
        "action_width": 8,
        "state_width": 32,
        "encoder_width": 0,
        "exploration": 0.0,
    },
    "spa_dep": {
        "encoder_width": 24,
        "encoder_depth": 1,
        "attention_width": 16,
        "scorer_width": 24,
        "label_width": 16,
    },
    "spa_dep, transition": {
        "encoder_width": 24,
        "encoder_depth": 1,
        "attention_width": 16,
        "hidden_width": 32,
    },
}
"""The parsers, and the settings of a small model of each."""
NAME = "arcs"
"""What the dependency parser is called in pipelines of its own."""

WIDTH = 24
HASHED = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "width": WIDTH,
    "depth": 1,
    "embed_size": 300,
    "window_size": 1,
    "maxout_pieces": 2,
    "subword_features": True,
    "pretrained_vectors": None,
}
TAGGER = {"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": HASHED}}


def small(parser: str = STACK_LSTM, **settings: Any) -> dict[str, Any]:
    """A component's config: the small model, with the settings given (``tok2vec`` is merged)."""
    tok2vec = settings.pop("tok2vec", {})
    if "@architectures" not in tok2vec:
        tok2vec = {**EMBEDDING, **tok2vec}
    _, _, decoder = parser.partition(", ")
    component = {"decoder": decoder} if decoder else {}
    return {**component, "model": {**SMALL[parser], **settings, "tok2vec": tok2vec}}


def add_parser(nlp: Language, parser: str = STACK_LSTM, **settings: Any) -> Any:
    """Add a small parser to a pipeline, under its name."""
    return nlp.add_pipe(factory_of(parser), name=NAME, config=small(parser, **settings))


def factory_of(parser: str) -> str:
    """The name of a parser's factory."""
    return parser.partition(", ")[0]


def arcs(doc: Doc) -> list[tuple[int, str]]:
    """What a parse is: every token's head and label."""
    return [(token.head.i, token.dep_) for token in doc]


def bare(vocab: Any, gold: Doc, starts: bool = False) -> Doc:
    """The tokens of a gold doc without its annotation (but for sentence starts, if asked)."""
    return Doc(
        vocab,
        words=[token.text for token in gold],
        spaces=[bool(token.whitespace_) for token in gold],
        sent_starts=[bool(token.is_sent_start) for token in gold] if starts else None,
    )


def examples_of(nlp: Language, docs: Iterable[Doc], starts: bool = False) -> list[Example]:
    """Examples that predict on the bare tokens of gold docs."""
    return [Example(bare(nlp.vocab, doc, starts), doc) for doc in docs]


def train(
    nlp: Language, examples: list[Example], steps: int, rate: float = 0.01, **update: Any
) -> list[float]:
    """Update a pipeline on all examples at once. Returns the losses of its parser."""
    optimizer = update.pop("sgd", None) or nlp.create_optimizer()
    optimizer.learn_rate = rate
    curve = []
    for _ in range(steps):
        losses: dict[str, float] = {}
        nlp.update(examples, sgd=optimizer, losses=losses, **update)
        curve.append(sum(losses.get(name, 0.0) for name in (NAME, STACK_LSTM)))
    return curve


def step_of(nlp: Language, name: str, *batches: list[Example]) -> np.ndarray:
    """The gradient of a component's step after some batches, as an optimizer gets it. No weight
    changes."""
    given: list[np.ndarray] = []

    def keep(_: Any, weights: np.ndarray, gradient: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        given.append(gradient.ravel().copy())
        return weights, gradient

    for batch in batches:
        fix_random_seed(0)  # rare words become unknown ones at random
        nlp.update(batch, sgd=False)  # type: ignore[arg-type]
    component: Any = nlp.get_pipe(name)
    component.finish_update(keep)
    return np.concatenate(given)


def weights_of(nlp: Language) -> dict[tuple[str, str], np.ndarray]:
    """Copies of all weights, by the component and by the node and name of each."""
    weights = {}
    for component, pipe in nlp.pipeline:
        for i, node in enumerate(pipe.model.walk()) if hasattr(pipe, "model") else ():
            for name in node.param_names:
                if node.has_param(name):
                    weights[component, f"{i} {name}"] = node.get_param(name).copy()
            for shim in node.shims:
                for name, parameter in shim._model.named_parameters() if shim._model else ():
                    weights[component, f"{i} {name}"] = parameter.detach().numpy().copy()
    return weights


def small_pipeline(
    examples: Callable[[Language], list[Example]], parser: str = STACK_LSTM, **settings: Any
) -> Language:
    """An English pipeline with an initialized small parser."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    add_parser(nlp, parser, **settings)
    nlp.initialize(lambda: examples(nlp))
    return nlp


def tagger_config(folder: Path, reader: str, max_steps: int = 1, **settings: Any) -> Path:
    """A config that trains a small tagger.

    Args:
        folder: The folder of the config.
        reader: The reader of both corpora.
        max_steps: The number of updates.
        settings: Settings of the reader.
    """
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger", config=TAGGER)
    corpus = {"@readers": reader, "path": None, **settings}
    nlp.config["corpora"] = {"train": corpus, "dev": dict(corpus)}
    nlp.config["training"].update(max_steps=max_steps, eval_frequency=max_steps)
    nlp.config.to_disk(folder / "tagger.cfg")
    return folder / "tagger.cfg"

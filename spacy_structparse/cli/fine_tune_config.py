"""Training configs that go on from a trained pipeline, as `init-config --from` writes them."""

from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, get_args

from confection import Config
from spacy.language import Language
from spacy.util import load_config, load_model_from_config
from thinc.api import Model

from ..corpora.pipeline_outputs import HEADS
from ..models.torch_model import shim_of
from .compose_config import Parser, ordered

# The factories of what is trained unless somebody says otherwise.
PARSERS = get_args(Parser)
TEMPLATE = Path(__file__).with_name("fine_tune.cfg")
FINE_TUNING = {"patience": 0, "max_epochs": 12, "max_steps": 0, "eval_frequency": 50}
ADDING = {"patience": 400, "max_epochs": 0, "max_steps": 1000, "eval_frequency": 100}
# Of what is trained further: the rate, for that of new components, and the share of the weights
# before training in the mean that is saved.
RATE, INITIAL_SHARE = 0.7, 0.5


def fine_tune_config(
    nlp: Language, base: str, add: Sequence[str], train: Sequence[str]
) -> tuple[Config, list[str]]:
    """Make the config that trains parts of a pipeline, or new components beside it.

    All else stays as it is: the tokenizer and the vocabulary are copied, the other components are
    frozen. What is trained reads the vectors of words that the frozen components share.

    Args:
        nlp: The trained pipeline.
        base: Its name or folder, as it is to stand in the config.
        add: Factories of new components, such as `ner`.
        train: Names of components to train further. `parser` is the dependency parser. Empty: the
            parsers, or none if there are components to add.

    Returns:
        The config with all settings, and the names of the components that it trains.

    Raises:
        ValueError: A component or factory is unknown, or components that share their vectors
            with others cannot be trained alone.
    """
    trained = _trained(nlp, train, any_added=bool(add))
    for name in add:
        if name in nlp.component_names:
            raise ValueError(f"{base} has a component '{name}': name it with --train")
        if not nlp.has_factory(name):
            raise ValueError(f"There is no factory '{name}' to add")
        if rival := _rival(nlp, name):
            raise ValueError(
                f"'{name}' would overwrite what '{rival}' finds: train that with --train {rival}"
            )
    names = nlp.component_names
    sources = {name: {"source": "${paths.base}"} for name in names}
    added = {name: _new_component(nlp, name) for name in add}
    frozen = [name for name in names if name not in trained]
    config = load_config(TEMPLATE, interpolate=False)
    config["paths"]["base"] = base
    config["system"]["gpu_allocator"] = nlp.config["system"]["gpu_allocator"]
    config["nlp"] = {**nlp.config.interpolate()["nlp"], "pipeline": [*names, *add]}
    config["components"] = {**sources, **added}
    training = config["training"]
    training.update(ADDING if add else FINE_TUNING)
    training["frozen_components"] = frozen
    read = _attributes_read(nlp)
    training["annotating_components"] = [
        name
        for name in nlp.pipe_names
        if (name in frozen and _listeners(nlp, name))
        or not read.isdisjoint(nlp.get_pipe_meta(name).assigns)
    ]
    training["optimizer"]["factors"] = dict.fromkeys(trained, RATE)
    training["optimizer"]["initial_share"] = dict.fromkeys(trained, INITIAL_SHARE)
    if any(nlp.get_pipe_meta(name).factory == "tagger" for name in trained):
        augmenter = {"@augmenters": "spacy-structparse.known_tags.v1"}
        config["corpora"]["train"]["augmenter"] = augmenter
    filled = load_model_from_config(config, auto_fill=True).config
    filled["components"].update(sources)
    _score_alone(filled["training"]["score_weights"], nlp, trained, add)
    return filled, [*trained, *add]


def fine_tune_text(nlp: Language, base: str, add: str, train: str) -> str:
    """Write the config of `fine_tune_config`, from names with commas between them."""
    names = ([name.strip() for name in text.split(",") if name.strip()] for text in (add, train))
    config, learning = fine_tune_config(nlp, base, *names)
    header = f"# Trains {', '.join(learning)} of {base} and keeps the rest as it is.\n\n"
    return header + ordered(config)


def _trained(nlp: Language, train: Sequence[str], any_added: bool) -> list[str]:
    """The names of the components to train further, in the pipeline's order."""
    factories = {name: nlp.get_pipe_meta(name).factory for name in nlp.pipe_names}
    wanted = set(train) - {"parser"}
    if "parser" in train:
        parsers = {name for name in factories if HEADS in nlp.get_pipe_meta(name).assigns}
        if not parsers:
            raise ValueError(f"There is no parser among {', '.join(factories)}")
        wanted |= parsers
    elif not train and not any_added:
        wanted = {name for name, factory in factories.items() if factory in PARSERS}
    unknown = sorted(wanted - factories.keys())
    if unknown or not (wanted or any_added):
        name = unknown[0] if unknown else "to train"
        raise ValueError(f"There is no component {name} among {', '.join(factories)}")
    for name in wanted:
        left_out = [other for other in _listeners(nlp, name) if other not in wanted]
        if left_out:
            raise ValueError(f"{', '.join(left_out)} read {name}: train them, too, or leave it out")
    return [name for name in nlp.pipe_names if name in wanted]


def _rival(nlp: Language, factory: str) -> str:
    """The component of a pipeline that sets an attribute of tokens as a new one would."""
    new = {name for name in nlp.get_factory_meta(factory).assigns if name.startswith("token.")}
    new -= {"token.is_sent_start"}  # which parsers set, too
    rivals = (name for name in nlp.pipe_names if new & set(nlp.get_pipe_meta(name).assigns))
    return next(rivals, "")


def _score_alone(
    weights: dict[str, float | None], nlp: Language, trained: Sequence[str], added: Sequence[str]
) -> None:
    """Weigh the scores of what is trained alone: the data need not have what others find."""
    metas = [nlp.get_pipe_meta(name) for name in trained] + [*map(nlp.get_factory_meta, added)]
    own = {score for meta in metas for score in meta.default_score_weights or {}}
    weights |= {score: None for score in weights if score not in own}
    if total := sum(filter(None, weights.values())):
        weights |= {score: round(value / total, 2) for score, value in weights.items() if value}


def _listeners(nlp: Language, name: str) -> list[str]:
    """The components that read the vectors of one."""
    listening = getattr(nlp.get_pipe(name), "listening_components", ())
    return [other for other in listening if other in nlp.pipe_names]


def _attributes_read(nlp: Language) -> set[str]:
    """The attributes of tokens that embeddings read, by the names of what components assign."""
    models = (getattr(pipe, "model", None) for _, pipe in nlp.pipeline)
    names: set[str] = set()
    for node in (node for model in models if isinstance(model, Model) for node in model.walk()):
        names.update(map(str, node.attrs.get("columns", ())))  # of spaCy's embeddings
        if "vocabulary" in node.attrs:
            settings = shim_of(node).settings
            names.update(settings["features"])
            if settings["tag_width"]:
                names.add(settings["pos_attr"])
    return {f"token.{name.lower()}" for name in names}


def _new_component(nlp: Language, factory: str) -> dict[str, Any]:
    """A new component, which reads the vectors that a parser of the pipeline shares with others."""
    default = nlp.get_factory_meta(factory).default_config or {}
    model = deepcopy(dict(default.get("model", {})))
    components = nlp.config.interpolate()["components"]
    shared = [
        components[name]["model"]["tok2vec"]
        for name in nlp.pipe_names
        if nlp.get_pipe_meta(name).factory in PARSERS
        and any(name in _listeners(nlp, other) for other in nlp.pipe_names)
    ]
    if "tok2vec" not in model or not shared:
        return {"factory": factory}
    model["tok2vec"] = deepcopy(shared[0])
    return {"factory": factory, "model": model}

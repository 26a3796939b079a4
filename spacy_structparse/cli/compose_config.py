"""Training configs made of a shipped config, an embedding and an aim, as `init-config` writes them.

The sizes of spaCy's `tok2vec`, the names of transformers and the schedule for these are those of
`spacy init config`.
"""

from copy import deepcopy
from enum import Enum
from importlib.util import find_spec
from typing import Any

from spacy.cli.init_config import RECOMMENDATIONS
from spacy.util import CONFIG_SECTION_ORDER, load_config_from_str, load_model_from_config


class Parser(str, Enum):
    """The parsers that configs are composed for: those that can share an embedding."""

    stack_lstm_dep = "stack_lstm_dep"
    spa_dep = "spa_dep"
    seq2seq_constituency = "seq2seq_constituency"


class Encoder(str, Enum):
    """What gives a parser the vectors of words."""

    own = "own"
    tok2vec = "tok2vec"
    trf = "trf"


class Aim(str, Enum):
    """What a config is made for."""

    accuracy = "accuracy"
    speed = "speed"


class ComposeError(ValueError):
    """A config that cannot be made with the installed packages."""


SIZES = {Aim.speed: {"width": 96, "depth": 4}, Aim.accuracy: {"width": 256, "depth": 8}}
TRANSFORMERS_PACKAGE = "spacy_transformers"


def base_name(parser: Parser, aim: Aim) -> str:
    """The shipped config that a parser with an embedding of its own has."""
    return parser.value if aim is Aim.speed else f"{parser.value}_tagged"


def compose_tok2vec(plain: str, aimed: str, parser: Parser, aim: Aim) -> str:
    """Put a parser on a shared `tok2vec`.

    Args:
        plain: The parser's shipped config, in the wanted language.
        aimed: The config of its sizes and of its training for the aim.
        parser: The parser.
        aim: What the config is made for.

    Returns:
        The text of a config with every setting.
    """
    config, sizes = (load_config_from_str(text) for text in (plain, aimed))
    config["components"][parser.value]["model"] = sizes["components"][parser.value]["model"]
    # A tagger whose tags the parser reads is frozen there; here none is read.
    config["training"] = {**sizes["training"], "frozen_components": []}
    name, component, listener = _tok2vec(aim)
    for user in config["components"].values():
        user["model"]["tok2vec"] = deepcopy(listener)
    config["components"] = {name: component, **config["components"]}
    config["nlp"]["pipeline"] = [name, *config["nlp"]["pipeline"]]
    # Every setting that is left out, as `spacy init fill-config` writes it.
    filled = load_model_from_config(config, auto_fill=True).config
    return _header(parser, Encoder.tok2vec, aim) + ordered(filled.to_str(interpolate=False))


def compose_transformer(shipped: str, parser: Parser, aim: Aim) -> str:
    """Put a parser on the transformer that spaCy recommends for its language.

    Args:
        shipped: The parser's shipped config for a transformer, in the wanted language.
        parser: The parser.
        aim: What the config is made for.

    Returns:
        The text of a config with every setting.

    Raises:
        ComposeError: spacy-transformers is needed and not installed.
    """
    if find_spec(TRANSFORMERS_PACKAGE) is None:
        raise ComposeError(
            "--encoder trf needs the package spacy-transformers, the extra 'transformers': "
            "python -m pip install 'spacy-structparse[transformers]'"
        )
    config = load_config_from_str(shipped)
    config["paths"]["transformer"] = _recommended(config["nlp"]["lang"], aim)
    # 5e-5, as in `spacy init config`: what is recommended is of the size of BERT base.
    config["training"]["optimizer"]["factors"]["transformer"] = 0.025
    return _header(parser, Encoder.trf, aim) + ordered(config.to_str(interpolate=False))


def _tok2vec(aim: Aim) -> tuple[str, dict[str, Any], dict[str, Any]]:
    model = {
        "@architectures": "spacy.HashEmbedCNN.v2",
        **SIZES[aim],
        "embed_size": 2000,
        "window_size": 1,
        "maxout_pieces": 3,
        "subword_features": True,
        "pretrained_vectors": None,
    }
    listener = {
        "@architectures": "spacy.Tok2VecListener.v1",
        "width": "${components.tok2vec.model.width}",
        "upstream": "*",
    }
    return "tok2vec", {"factory": "tok2vec", "model": model}, listener


def _recommended(lang: str, aim: Aim) -> str:
    """The transformer that spaCy recommends for a language, or for all where it has none."""
    several = (RECOMMENDATIONS.get(lang, {}), RECOMMENDATIONS["__default__"])
    recommended = next(one["transformer"] for one in several if one.get("transformer"))
    return recommended["accuracy" if aim is Aim.accuracy else "efficiency"]["name"]


def ordered(text: str) -> str:
    """The text of a config with its sections in spaCy's order, each before those inside it."""
    blocks = {
        tuple(block.partition("]")[0].strip("[").split(".")): block
        for block in text.strip().split("\n\n")
    }
    place: dict[tuple[str, ...], int] = {}
    for number, path in enumerate(blocks):
        for depth in range(len(path)):  # a section may have nothing but sections inside it
            place.setdefault(path[: depth + 1], number)
    place |= {(name,): number for number, name in enumerate(CONFIG_SECTION_ORDER)}

    def key(path: tuple[str, ...]) -> list[int]:
        return [place[path[: depth + 1]] for depth in range(len(path))]

    return "\n\n".join(blocks[path] for path in sorted(blocks, key=key)) + "\n"


def _header(parser: Parser, encoder: Encoder, aim: Aim) -> str:
    shared = "a transformer" if encoder is Encoder.trf else "a shared tok2vec"
    return (
        f"# {parser.value} on {shared}, for {aim.value}.\n"
        f"# Made by `spacy structparse init-config --parser {parser.value} "
        f"--encoder {encoder.value} --optimize {aim.value}`.\n\n"
    )

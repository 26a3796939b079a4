"""Shipped training configs, and those made of one, an embedding and an aim, for `init-config`.

The sizes of spaCy's `tok2vec`, the names of transformers and the schedule for these are those of
`spacy init config`.
"""

import re
from copy import deepcopy
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path

import srsly
from spacy.cli.init_config import RECOMMENDATIONS
from spacy.util import (
    CONFIG_SECTION_ORDER,
    get_lang_class,
    load_config,
    load_config_from_str,
    load_model_from_config,
)


class Parser(StrEnum):
    """The parsers that configs are composed for: those that can share an embedding."""

    stack_lstm_dep = "stack_lstm_dep"
    spa_dep = "spa_dep"
    seq2seq_constituency = "seq2seq_constituency"


class Encoder(StrEnum):
    """What gives a parser the vectors of words."""

    own = "own"
    tok2vec = "tok2vec"
    trf = "trf"


class Aim(StrEnum):
    """What a config is made for."""

    accuracy = "accuracy"
    speed = "speed"


class ComposeError(ValueError):
    """A config that cannot be made with the installed packages."""


_PACKAGE = Path(__file__).resolve().parent.parent
SIZES = {Aim.speed: {"width": 96, "depth": 4}, Aim.accuracy: {"width": 256, "depth": 8}}
HASH_EMBED = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "embed_size": 2000,
    "window_size": 1,
    "maxout_pieces": 3,
    "subword_features": True,
    "pretrained_vectors": None,
}
OPTIONAL_PATHS = ("vectors", "init_tok2vec", "transformer", "base")
TRANSFORMERS_PACKAGE = "spacy_transformers"


def shipped_configs() -> dict[str, Path]:
    """Find the shipped config files.

    They lie in the package where it was built (setup.py), and beside it in a checkout.

    Returns:
        The path of each config by its name, `"stack_lstm_dep"` for `stack_lstm_dep.cfg`, sorted.

    Raises:
        FileNotFoundError: The installation has no config files.
    """
    for folder in (_PACKAGE / "configs", _PACKAGE.parent / "configs"):
        paths = sorted(folder.glob("*.cfg"))
        if paths:
            return {path.stem: path for path in paths}
    raise FileNotFoundError(
        f"No config files found in {_PACKAGE / 'configs'}: the installation of spacy-structparse "
        "is incomplete; install it again."
    )


def shipped_list() -> str:
    """Return a line for each shipped config: its name, and what it says of itself."""
    configs = shipped_configs()
    width = max(map(len, configs)) + 2
    first = {name: path.read_text("utf8").splitlines()[0] for name, path in configs.items()}
    return "\n".join(f"{name:<{width}}{line.removeprefix('# ')}" for name, line in first.items())


def read_shipped(name: str, lang: str | None) -> str:
    """Read a shipped config; for another language it has that language's tokenizer.

    Raises:
        ImportError: spaCy has no such language.
    """
    text = shipped_configs()[name].read_text(encoding="utf8")
    if lang is None:
        return text
    defaults = get_lang_class(lang).Defaults.config.get("nlp", {})
    text = re.sub('^lang = "en"$', f'lang = "{lang}"', text, flags=re.MULTILINE)
    if "tokenizer" in defaults:
        tokenizer = f"tokenizer = {srsly.json_dumps(defaults['tokenizer'])}"
        text = re.sub("^tokenizer = .*$", lambda _: tokenizer, text, flags=re.MULTILINE)
    return text


def compose(parser: Parser, encoder: Encoder, aim: Aim, lang: str | None) -> str:
    """Make the config of a parser.

    Raises:
        ComposeError: spacy-transformers is needed and not installed.
        ImportError: spaCy has no such language.
    """
    name = parser.value if aim is Aim.speed else f"{parser.value}_tagged"
    aimed = read_shipped(name, lang)
    if encoder is Encoder.own:
        return aimed
    if encoder is Encoder.trf:
        return _compose_transformer(read_shipped(f"{parser.value}_trf", lang), parser, aim)
    return _compose_tok2vec(read_shipped(parser.value, lang), aimed, parser, aim)


def _compose_tok2vec(plain: str, aimed: str, parser: Parser, aim: Aim) -> str:
    """Put a parser's plain config on a shared `tok2vec`, with the sizes of the one for its aim."""
    config, sizes = (load_config_from_str(text) for text in (plain, aimed))
    config["components"][parser.value]["model"] = sizes["components"][parser.value]["model"]
    # A tagger whose tags the parser reads is frozen there; here none is read.
    config["training"] = {**sizes["training"], "frozen_components": []}
    listener = {
        "@architectures": "spacy.Tok2VecListener.v1",
        "width": "${components.tok2vec.model.width}",
        "upstream": "*",
    }
    for user in config["components"].values():
        user["model"]["tok2vec"] = deepcopy(listener)
    tok2vec = {"factory": "tok2vec", "model": {**HASH_EMBED, **SIZES[aim]}}
    config["components"] = {"tok2vec": tok2vec, **config["components"]}
    config["nlp"]["pipeline"] = ["tok2vec", *config["nlp"]["pipeline"]]
    # Every setting that is left out, as `spacy init fill-config` writes it.
    filled = load_model_from_config(config, auto_fill=True).config
    return _header(parser, Encoder.tok2vec, aim) + ordered(filled.to_str(interpolate=False))


def _compose_transformer(shipped: str, parser: Parser, aim: Aim) -> str:
    """Put a parser on the transformer that spaCy recommends for its language."""
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


def training_command(config: Path, *, on_gpu: bool) -> str:
    """Return the command that trains a config, with the paths that it needs."""
    paths = load_config(config, interpolate=False)["paths"]
    needed = " ".join(f"--paths.{path} …" for path in paths if path not in OPTIONAL_PATHS)
    return f"python -m spacy train {config} --output … {needed}{' --gpu-id 0' if on_gpu else ''}"


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

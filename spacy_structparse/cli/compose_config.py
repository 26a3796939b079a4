"""Shipped training configs, and those made of one, an embedding and an aim, for `init-config`.

The sizes of spaCy's `tok2vec` and the names of transformers are those of `spacy init config`.
"""

import re
from copy import deepcopy
from pathlib import Path
from typing import Any, Literal

import srsly
from confection import Config
from spacy.cli.init_config import RECOMMENDATIONS
from spacy.util import (
    CONFIG_SECTION_ORDER,
    get_lang_class,
    load_config,
    load_config_from_str,
    load_model_from_config,
)

# The parsers that configs are composed for: those that can share an embedding.
Parser = Literal["stack_lstm_dep", "spa_dep", "seq2seq_constituency"]
# What gives a parser the vectors of words.
Encoder = Literal["own", "tok2vec", "trf"]
# What a config is made for.
Aim = Literal["accuracy", "speed"]
_PACKAGE = Path(__file__).resolve().parent.parent
SIZES: dict[Aim, Any] = {"speed": {"width": 96, "depth": 4}, "accuracy": {"width": 256, "depth": 8}}
OPTIONAL_PATHS = ("vectors", "init_tok2vec", "transformer", "base")


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
    raise FileNotFoundError(f"No config files in {_PACKAGE / 'configs'}: install the package again")


def shipped_list() -> str:
    """Return a line for each shipped config: its name, and what it says of itself."""
    configs = shipped_configs()
    width = max(map(len, configs)) + 2
    first = {name: path.read_text("utf8").splitlines()[0] for name, path in configs.items()}
    return "\n".join(f"{name:<{width}}{line.removeprefix('# ')}" for name, line in first.items())


def read_config(name: str, lang: str | None) -> str:
    """Read a config; for another language it has that language's tokenizer, or its learned one.

    Args:
        name: The name of a shipped config, or a config file.
        lang: The code of a language, see `language_of_spacy`; None: that of the config.

    Raises:
        ValueError: There is no such config.
    """
    path = shipped_configs().get(name, Path(name))
    if not path.is_file():
        raise ValueError(f"there is no config '{name}': choose {', '.join(shipped_configs())}")
    text = path.read_text(encoding="utf8")
    if lang is None:
        return text
    lang = language_of_spacy(lang)
    defaults = get_lang_class(lang).Defaults.config.get("nlp", {})
    text = re.sub('^lang = "(en|xx)"$', f'lang = "{lang}"', text, flags=re.MULTILINE)
    if "tokenizer" in defaults:
        tokenizer = f"tokenizer = {srsly.json_dumps(defaults['tokenizer'])}"
        text = text.replace('tokenizer = {"@tokenizers":"spacy.Tokenizer.v1"}', tokenizer)
    return text


def language_of_spacy(lang: str) -> str:
    """Return the code of a language, or "xx", any language, if spaCy does not have it."""
    try:
        get_lang_class(lang)
    except ImportError:
        return "xx"
    return lang


def compose(parser: Parser, encoder: Encoder, aim: Aim, lang: str | None) -> str:
    """Make the config of a parser; see `read_config`.

    Raises:
        ImportError: The tokenizer of the language needs a package.
    """
    shared = "a transformer" if encoder == "trf" else "a shared tok2vec"
    header = f"# {parser} on {shared}, for {aim}, made by init-config.\n\n"
    if encoder == "trf":
        config = load_config_from_str(read_config(f"{parser}_trf", lang))
        config["paths"]["transformer"] = _recommended(config["nlp"]["lang"], aim)
        # 5e-5, as in `spacy init config`: what is recommended is of the size of BERT base.
        config["training"]["optimizer"]["factors"]["transformer"] = 0.025
        return header + ordered(config)
    aimed = read_config(parser if aim == "speed" else f"{parser}_tagged", lang)
    if encoder == "own":
        return aimed
    config = load_config_from_str(read_config(parser, lang))
    return header + _on_tok2vec(config, load_config_from_str(aimed), parser, aim)


def _on_tok2vec(config: Config, aimed: Config, parser: str, aim: Aim) -> str:
    """Put a parser's plain config on a shared `tok2vec`, with the sizes of the one for its aim."""
    config["components"][parser]["model"] = aimed["components"][parser]["model"]
    # A tagger whose tags the parser reads is frozen there; here none is read.
    config["training"] = {**aimed["training"], "frozen_components": []}
    listener = {
        "@architectures": "spacy.Tok2VecListener.v1",
        "width": "${components.tok2vec.model.width}",
        "upstream": "*",
    }
    for user in config["components"].values():
        user["model"]["tok2vec"] = deepcopy(listener)
    hash_embedding = {"@architectures": "spacy.HashEmbedCNN.v2", **SIZES[aim]}
    tok2vec = {"factory": "tok2vec", "model": hash_embedding}
    config["components"] = {"tok2vec": tok2vec, **config["components"]}
    config["nlp"]["pipeline"] = ["tok2vec", *config["nlp"]["pipeline"]]
    # Every setting that is left out, as `spacy init fill-config` writes it.
    return ordered(load_model_from_config(config, auto_fill=True).config)


def training_command(config: Path, *, on_gpu: bool) -> str:
    """Return the command that trains a config, with the paths that it needs."""
    paths = load_config(config, interpolate=False)["paths"]
    needed = " ".join(f"--paths.{path} …" for path in paths if path not in OPTIONAL_PATHS)
    return f"python -m spacy train {config} --output … {needed}{' --gpu-id 0' if on_gpu else ''}"


def _recommended(lang: str, aim: Aim) -> str:
    """The transformer that spaCy recommends for a language, or for all where it has none."""
    default = RECOMMENDATIONS["__default__"]["transformer"]
    recommended = RECOMMENDATIONS.get(lang, {}).get("transformer") or default
    return recommended["accuracy" if aim == "accuracy" else "efficiency"]["name"]


def ordered(config: Config) -> str:
    """Write a config with its sections in spaCy's order, each before those inside it."""

    def place(block: str) -> tuple[int, list[str]]:
        path = block.partition("]")[0].strip("[").split(".")
        return CONFIG_SECTION_ORDER.index(path[0]), path

    blocks = config.to_str(interpolate=False).split("\n\n")
    return "\n\n".join(sorted(blocks, key=place)) + "\n"

"""The parsers of a training config or of a saved pipeline."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import spacy
import srsly
from spacy.language import Language
from spacy.util import get_model_meta, get_package_path, is_package, load_config
from thinc.api import Config

from ..corpora.pipeline_outputs import TREES
from ..trees import SPANS_KEY

SPACY_PARSERS = ("parser", "beam_parser")  # these have their own `spacy debug data`


@dataclass(frozen=True)
class GivenConfig:
    """A training config, or that of a saved pipeline.

    Attributes:
        path: The config file, or the folder of the pipeline.
        content: The config, interpolated.
        is_saved: It is that of a saved pipeline.
    """

    path: Path
    content: Config
    is_saved: bool

    @classmethod
    def read(cls, path: Path) -> "GivenConfig":
        """Read the config of a file, of a pipeline's folder or of an installed pipeline.

        Raises:
            OSError: It cannot be read.
            ValueError: It is malformed.
        """
        if not path.exists() and is_package(str(path)):
            package = get_package_path(str(path))
            meta = get_model_meta(package)
            path = package / f"{meta['lang']}_{meta['name']}-{meta['version']}"
        is_saved = path.is_dir()
        return cls(path, load_config(path / "config.cfg" if is_saved else path), is_saved)


@dataclass(frozen=True)
class ParserSettings:
    """A parser.

    Attributes:
        name: The name of its component.
        learns: The kind of its parses.
        uses_tags: Its model embeds tags.
        labels: The dependency labels that it is given or has learned; None where they will be read
            from the training data.
        labels_from: The file or setting with the labels.
        spans_key: The span group that a parser of trees learns from.
    """

    name: str
    learns: Literal["dependencies", "trees"] = "dependencies"
    uses_tags: bool = False
    labels: list[str] | None = None
    labels_from: str = ""
    spans_key: str = SPANS_KEY


def read_parser_settings(given_config: GivenConfig) -> list[ParserSettings]:
    """The parsers of a config file or of a pipeline's folder, without spaCy's own.

    Raises:
        OSError: A file of labels cannot be read.
        ValueError: It is malformed.
    """
    path, config = given_config.path, given_config.content
    spacy.blank("xx")  # spaCy finds the factories of installed packages when it makes a pipeline
    result = []
    for name in config.get("nlp", {}).get("pipeline", []):
        component = config.get("components", {}).get(name, {})
        if "source" in component:
            source = Path(component["source"])
            labels = _saved_labels(source, component.get("component", name))
            if labels is not None:
                result.append(ParserSettings(name, labels=labels, labels_from=str(source)))
            continue
        factory = component.get("factory", "")
        if not Language.has_factory(factory) or factory in SPACY_PARSERS:
            continue
        assigns = Language.get_factory_meta(factory).assigns
        uses_tags = _has(component, "use_pos", True)
        if TREES in assigns:
            spans_key = component.get("spans_key", SPANS_KEY)
            result.append(ParserSettings(name, "trees", uses_tags, spans_key=spans_key))
        if "token.dep" not in assigns:
            continue
        labels, labels_from = None, ""
        if given_config.is_saved:
            labels, labels_from = _saved_labels(path, name), str(path)
        else:
            given = config.get("initialize", {}).get("components", {}).get(name, {}).get("labels")
            if isinstance(given, Mapping) and given.get("path"):
                labels, labels_from = _read_labels(Path(given["path"])), str(given["path"])
            elif isinstance(given, list):
                labels, labels_from = given, f"[initialize.components.{name}] labels"
        result.append(
            ParserSettings(
                name,
                uses_tags=uses_tags,
                labels=labels,
                labels_from=labels_from,
            )
        )
    return result


def _saved_labels(pipeline: Path, name: str) -> list[str] | None:
    """The dependency labels of a component of this package in a pipeline's folder."""
    path = pipeline / name / "cfg"
    labels = srsly.read_json(path).get("labels") if path.is_file() else None
    return labels if isinstance(labels, list) else None


def _read_labels(path: Path) -> list[str]:
    labels = srsly.read_json(path)
    if not isinstance(labels, list):
        raise ValueError(f"{path} holds no list of labels; make it with 'spacy init labels'")
    return labels


def _has(section: Any, key: str, value: Any) -> bool:
    """Whether a setting has a value anywhere in a section of a config."""
    if not isinstance(section, Mapping):
        return False
    return section.get(key) == value or any(_has(part, key, value) for part in section.values())

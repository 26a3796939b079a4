"""The configs of a sweep: composed as `spacy train` does it, and checked before the first run."""

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import srsly
from spacy.schemas import ConfigSchemaInit, ConfigSchemaTraining
from spacy.util import load_config, load_model_from_config, registry, resolve_dot_names
from thinc.api import Config

from ..config_errors import (
    in_one_line,
    sections_in,
    unknown_override,
    unknown_setting,
    unusable_config,
)
from ..resuming import settings_in
from .grid import Axis, Point, SweepError

_SEED = "training.seed"
_SHARED_SEED = "system.seed"
_ALLOCATOR = "training.gpu_allocator"
_VARIABLE = re.compile(r"\$\{(.+)\}")


class BaseConfig:
    """The config that all runs have in common.

    Args:
        path: The config file.
        overrides: Settings that all runs have, by their full names.

    Attributes:
        config: The config with the overrides, not interpolated.

    Raises:
        SweepError: It is no training config.
        OSError: It cannot be read.
    """

    def __init__(self, path: Path, overrides: Mapping[str, Any]) -> None:
        self.path = path
        self.overrides = dict(overrides)
        with unusable_config(path, SweepError):
            self.config = self._load({})
            components = self.config.get("components", {})
            sourced = [name for name, one in components.items() if "factory" not in one]
            _check_paths(self.config, [f"components.{name}.source" for name in sourced])
            self.filled = load_model_from_config(self.config, auto_fill=True).config

    @property
    def settings(self) -> dict[str, Any]:
        """All settings of the config, by their full names."""
        return dict(settings_in(self.config))

    @property
    def score_weights(self) -> dict[str, float | None]:
        """The weights of the scores that training has."""
        return dict(self.filled.interpolate()["training"]["score_weights"])

    def check_axes(self, axes: Collection[Axis]) -> None:
        """Raise SweepError for settings that the config does not have, or that are overridden, and
        for one that `spacy train` does not fill in."""
        sections = set(sections_in(self.filled))
        known = {name for name, _ in settings_in(self.filled)} | sections
        written = set(sections_in(self.config))
        names = [axis.name for axis in axes]
        remedy = (
            f"Write all settings into it: python -m spacy init fill-config {self.path} {self.path}"
        )
        if problem := unknown_override(self.overrides, self.path):
            raise SweepError(problem)
        for name in (*names, _SEED, _SHARED_SEED):
            if name in self.overrides:
                raise SweepError(f"--{name} is given, and a sweep sets it")
        for name in (*names, _SEED):
            if name not in known:
                raise SweepError(unknown_setting("--set ", name, known, self.path))
            if (section := name.rpartition(".")[0]) not in written:
                raise SweepError(
                    f"{name} cannot be set: {self.path} has no section [{section}]. {remedy}"
                )
        if _ALLOCATOR not in {*names, *self.settings}:
            raise SweepError(
                f"{self.path} has no {_ALLOCATOR}, without which spaCy does not train. {remedy}"
            )

    def compose(self, point: Point, seed: int) -> Config:
        """The config of a run, not interpolated.

        Raises:
            SweepError: It cannot be composed.
        """
        seeds = {_SEED: seed}
        if "seed" in self.config.get("system", {}):
            seeds[_SHARED_SEED] = seed
        try:
            return self._load({**point.settings, **seeds})
        except Exception as error:
            raise SweepError(f"{point.text or self.path}: {in_one_line(error)}") from error

    def _load(self, settings: Mapping[str, Any]) -> Config:
        return load_config(self.path, {**self.overrides, **settings}, interpolate=False)


class ConfigCheck:
    """Checks of configs, as of `spacy debug config`; and their corpora have documents."""

    def __init__(self) -> None:
        self.read: set[str] = set()

    def check(self, name: str, config: Config) -> None:
        """Raise SweepError, which begins with the name, if a config cannot be trained."""
        try:
            self._check(config)
        except Exception as error:  # of any component or reader
            raise SweepError(f"{name}: {in_one_line(error)}") from error

    def _check(self, config: Config) -> None:
        nlp = load_model_from_config(config, auto_fill=True)
        filled = nlp.config.interpolate()
        registry.resolve(filled["initialize"], schema=ConfigSchemaInit)
        training = registry.resolve(filled["training"], schema=ConfigSchemaTraining)
        names = [training["train_corpus"], training["dev_corpus"]]
        try:
            corpora = resolve_dot_names(filled, names)
        except Exception:  # of any reader
            _check_paths(config, [f"{name}.path" for name in names])
            raise
        written = srsly.json_dumps([names, filled["corpora"]])
        if written in self.read:
            return
        for name, corpus in zip(names, corpora, strict=True):
            if next(iter(corpus(nlp)), None) is None:
                raise SweepError(f"[{name}] has no documents")
        self.read.add(written)


def _check_paths(config: Config, names: Iterable[str]) -> None:
    """Raise SweepError, which says what to give, for settings that are null and name files.

    config: not interpolated. Where a setting is a variable, such as `${paths.train}`, the error
    names that.
    """
    written, values = dict(settings_in(config)), dict(settings_in(config.interpolate()))
    null = [name for name in names if values.get(name, "") is None]
    variables = {name: _VARIABLE.fullmatch(str(written[name])) for name in null}
    unset = dict.fromkeys(found[1] if found else name for name, found in variables.items())
    if unset:
        options = " ".join(f"--{name} PATH" for name in unset)
        verb, them = ("is", "it") if len(unset) == 1 else ("are", "them")
        raise SweepError(
            f"{' and '.join(unset)} {verb} null: give {options}, or write {them} into the config"
        )

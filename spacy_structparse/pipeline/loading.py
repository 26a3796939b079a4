"""Checked loading: errors name the component, the place and the version that saved it, and labels
fit the weights.

Every component with weights records the version in its ``cfg``, which is saved with it. Components
know nothing of their pipeline but the folder, so the messages name the folder and come once.
"""

import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from heapq import nsmallest
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any, Self

import srsly
from packaging.version import InvalidVersion, Version
from spacy.pipeline import TrainablePipe
from spacy.util import get_package_path, is_package
from thinc.api import Config, Model

from ..input_limits import check_plain
from ..models.parser_model import parser_shims
from ..models.token_embedding import vocabulary_indexes
from ..models.torch_model import TorchModule, WeightsError
from ..printable import described

RECORD = "spacy_structparse_version"
"""The key in the ``cfg`` of a component."""
_PACKAGE = "spacy-structparse"
AUTHOR = "the spacy-structparse developers"
"""The author in the ``meta.json`` of the pipelines that come with this package."""
_SHARED_FACTORIES = {"tok2vec", "transformer", "senter", "tagger", "morphologizer"}
_VERSION = re.compile(r"[\w.+!-]{1,40}")


def record_version(cfg: dict[str, Any]) -> None:
    """Record this version in the ``cfg`` of a component, before it is saved."""
    cfg[RECORD] = version(_PACKAGE)


def version_note(record: object) -> str:
    """The end of a message of a component that cannot be loaded: another version saved it.

    Args:
        record: The version in its ``cfg``; None: it has none.

    Returns:
        A sentence after a full stop. Empty if this version saved the component.
    """
    this = version(_PACKAGE)
    if record == this:
        return ""
    if isinstance(record, str) and _VERSION.fullmatch(record):
        maker, remedy = f"{_PACKAGE} {record}", f"install {record}"
    else:
        maker, remedy = f"an earlier version of {_PACKAGE}", "install that version"
    return f". It was made by {maker}, this is {this}: {remedy} or train again"


def warn_of_newer(record: object, folder: Path) -> None:
    """Warn, once for each pipeline, of one that a newer minor version of this package saved.

    Args:
        record: The version in the ``cfg`` of a component that was loaded.
        folder: The folder of the pipeline.
    """
    this = version(_PACKAGE)
    try:
        is_newer = Version(str(record)).release[:2] > Version(this).release[:2]
    except InvalidVersion:  # None of an early version, or a damaged file
        return
    if is_newer:
        _warn_once(f"{folder} was saved by {_PACKAGE} {record}, this is {this}: update {_PACKAGE}")


def warn_of_inherited_meta(folder: Path, was_trained: bool) -> None:
    """Warn, once for each folder, of a changed pipeline whose meta data is still of this package.

    Args:
        folder: The folder of the pipeline, which is being saved.
        was_trained: Whether a component has learned since it was loaded.
    """
    meta = folder / "meta.json"
    config = folder / "config.cfg"
    if not (meta.is_file() and config.is_file()):  # a component that is saved alone
        return
    described = srsly.read_json(meta)
    if described.get("author") != AUTHOR:
        return
    components = Config().from_disk(config, interpolate=False)["components"]
    factories = {settings["factory"] for settings in components.values()}
    if was_trained or factories - _SHARED_FACTORIES - _own_factories():
        _warn_once(
            f"{meta} still describes {described['lang']}_{described['name']} "
            f"{described['version']}: set name, version, author, license and performance in "
            "nlp.meta"
        )


@cache
def _warn_once(message: str) -> None:
    warnings.warn(message, stacklevel=4)


def pipeline_note(model: str | Path) -> str:
    """`version_note` of the first component of a saved pipeline that has one.

    Args:
        model: A folder, or the name of an installed package.

    Returns:
        The note. Empty also where no component can be read.
    """
    try:
        return next(filter(None, map(version_note, _records(_folder_of(model)))), "")
    except Exception:  # the folder is known to be bad, and has been reported
        return ""


def _folder_of(model: str | Path) -> Path:
    """The folder with the config of a pipeline."""
    if not is_package(str(model)):
        return Path(model)
    return next(get_package_path(str(model)).glob("*/config.cfg")).parent


def _records(folder: Path) -> Iterator[object]:
    """The records of this package's components in a folder; None for one without a record."""
    config = folder / "config.cfg"
    if not config.is_file():  # nor a pipe, which could be read for ever
        return
    ours = _own_factories()
    components = Config().from_disk(config, interpolate=False)["components"]
    for name, settings in components.items():
        path = folder / name / "cfg"
        # A component without weights has no cfg.
        if settings.get("factory") in ours and path.is_file():
            yield srsly.read_json(path).get(RECORD)


def _own_factories() -> set[str]:
    entries = entry_points(group="spacy_factories")
    return {entry.name for entry in entries if entry.value.startswith("spacy_structparse.")}


class CheckedLoading(TrainablePipe):
    """Mixin of components with checked ``from_bytes`` and ``from_disk``.

    What is saved records the version of this package. The weights bring the configuration that
    their module is built from (:mod:`spacy_structparse.models.torch_model`), so that nothing has to
    be initialized first.
    """

    cfg: dict[str, Any]
    was_trained = False
    """True if the component has learned since it was made or loaded."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the component, without ROOT, which every root gets."""
        return tuple(self.cfg["labels"])

    @property
    def _shim(self) -> TorchModule:
        return self.model.get_ref("parser").shims[0]

    def prepare(self) -> None:
        """Called when labels and model are in place, fresh or loaded."""

    def weights_changed(self) -> None:
        """Called when the model has other weights, or is about to get them."""

    def _store_labels(self) -> None:
        """Called when the string store may have been replaced."""

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        record_version(self.cfg)
        return super().to_bytes(exclude=tuple(exclude))

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        record_version(self.cfg)
        super().to_disk(path, exclude=tuple(exclude))
        warn_of_inherited_meta(Path(path).parent, self.was_trained)

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        with self._checked("bytes", exclude):
            super().from_bytes(bytes_data, exclude=tuple(exclude))
        return self

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Self:
        with self._checked(str(path), exclude):
            check_plain(Path(path))
            super().from_disk(path, exclude=tuple(exclude))
        self.was_trained = False
        warn_of_newer(self.cfg.get(RECORD), Path(path).parent)
        return self

    @contextmanager
    def _checked(self, source: str, exclude: Iterable[str]) -> Iterator[None]:
        """Check what is loaded within it. Errors name the component and the place."""
        before = _fixed_parts(self.model)
        self.cfg.pop(RECORD, None)  # of what was loaded or saved before
        if "model" not in exclude:
            self.weights_changed()
        cfg = dict(self.cfg)
        try:
            yield
            if _fixed_parts(self.model) != before:
                raise WeightsError("its layers are not those of the config")
            whole = "model" not in exclude and "cfg" not in exclude
            if whole:
                self._check_model()
            self._store_labels()
            if whole and self._shim.is_built:
                self.prepare()
        except OSError:
            raise
        except Exception as error:
            # The version of a cfg that was not read is not known.
            note = version_note(self.cfg.get(RECORD)) if self.cfg != cfg else ""
            raise WeightsError(
                f"[{self.name}] cannot be loaded from {source}: {described(error)} (a truncated or "
                f"foreign file? restore it or train again){note}"
            ) from error

    def _check_model(self) -> None:
        """Check that all modules have weights, or none, and that the labels are theirs."""
        shims = [shim for node in self.model.walk() for shim in node.shims]
        modules = list(dict.fromkeys(shim for shim in shims if isinstance(shim, TorchModule)))
        if not any(shim.is_built for shim in modules):
            return
        for shim in modules:
            if not shim.is_built:
                raise WeightsError(f"there are no weights for the {shim.named}")
        for shim in parser_shims(self.model):
            _check_labels(self.cfg["labels"], shim)
        for node in self.model.walk():
            if "vocabulary" in node.attrs:
                vocabulary_indexes(node)


def _fixed_parts(model: Model) -> list[Any]:
    """The parts of our layers that a file of weights must not change: references, and functions."""
    nodes = [node for node in model.walk() if node.has_ref("parser") or "vocabulary" in node.attrs]
    references = [
        node.get_ref(name).id if node.has_ref(name) else None
        for node in nodes
        for name in ("parser", "tok2vec")
    ]
    attrs = [node.attrs for node in (*nodes, *map(_parser_of, nodes))]
    functions = [one[name] for one in attrs for name in sorted(one) if callable(one[name])]
    return [references, functions]


def _parser_of(node: Model) -> Model:
    return node.get_ref("parser") if node.has_ref("parser") else node


def _check_labels(labels: Any, shim: TorchModule) -> None:
    """The labels of a component are those of its weights."""
    stored = shim.cfg["labels"]
    if not all(isinstance(one, str) and one for one in _leaves(labels)):
        raise WeightsError("its labels are not all strings, or one is empty")
    if stored != labels:
        differing = set(strings_in(stored)) ^ set(strings_in(labels))
        raise WeightsError(
            f"the labels in its cfg are not those of the weights of the {shim.named} (differing: "
            f"{', '.join(nsmallest(10, differing)) or 'order'}); they belong to different training "
            "runs"
        )


def _leaves(labels: Any) -> Iterator[Any]:
    """All that is in nested lists, which may stand in a dictionary of settings."""
    for part in labels.values() if isinstance(labels, dict) else labels:
        if isinstance(part, dict | list):
            yield from _leaves(part)
        elif isinstance(labels, list):
            yield part


def strings_in(labels: Any) -> Iterator[str]:
    """All strings in nested lists and dictionaries."""
    if isinstance(labels, str):
        yield labels
    elif isinstance(labels, dict | list):
        for part in labels.values() if isinstance(labels, dict) else labels:
            yield from strings_in(part)

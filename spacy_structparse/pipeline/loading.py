"""Checked loading: errors name the component, the place and the version that saved it, and labels
fit the weights."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from heapq import nsmallest
from pathlib import Path
from typing import Any, Self

from spacy.pipeline import TrainablePipe
from thinc.api import Model

from ..input_limits import check_plain
from ..models.parser_model import parser_shims
from ..models.token_embedding import vocabulary_indexes
from ..models.torch_model import TorchModule, WeightsError
from ..printable import described
from .made_by import (
    RECORD,
    record_version,
    version_note,
    warn_of_inherited_meta,
    warn_of_newer,
)


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

"""Checked loading: errors name the component and the place, and labels fit the weights."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Self

from spacy.pipeline import TrainablePipe

from ..models.parser_model import parser_shims
from ..models.torch_model import TorchModule, WeightsError
from ..plain_files import check_plain


class CheckedLoading(TrainablePipe):
    """Mixin of components with checked ``from_bytes`` and ``from_disk``.

    The weights bring the configuration that their module is built from
    (:mod:`spacy_structparse.models.torch_model`), so that nothing has to be initialized first.
    """

    cfg: dict[str, Any]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the component, without ROOT, which every root gets."""
        return tuple(self.cfg["labels"])

    @property
    def _shim(self) -> TorchModule:
        return self.model.get_ref("parser").shims[0]

    def prepare(self) -> None:
        """Called when labels and model are in place, fresh or loaded."""

    def _store_labels(self) -> None:
        """Called when the string store may have been replaced."""

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        with self._named_errors("bytes"):
            super().from_bytes(bytes_data, exclude=tuple(exclude))
        self._after_loading("bytes", exclude)
        return self

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Self:
        with self._named_errors(str(path)):
            check_plain(Path(path))
            super().from_disk(path, exclude=tuple(exclude))
        self._after_loading(str(path), exclude)
        return self

    def _named_errors(self, source: str) -> "_NamedErrors":
        return _NamedErrors(f"[{self.name}] cannot be loaded from {source}")

    def _after_loading(self, source: str, exclude: Iterable[str]) -> None:
        self._store_labels()
        parsers = parser_shims(self.model)
        if "model" in exclude or "cfg" in exclude or not any(shim.is_built for shim in parsers):
            return
        for shim in parsers:
            if not shim.is_built:
                raise WeightsError(
                    f"[{self.name}] cannot be loaded from {source}: there are no weights for the "
                    f"{shim.named}"
                )
            stored = shim.cfg["labels"]
            if stored != self.cfg["labels"]:
                missing = sorted(set(strings_in(stored)) ^ set(strings_in(self.cfg["labels"])))
                raise WeightsError(
                    f"[{self.name}] cannot be loaded from {source}: the labels in its cfg are not "
                    f"those of the weights of the {shim.named} (differing: "
                    f"{', '.join(missing[:10]) or 'order'}); they belong to different training runs"
                )
        self.prepare()


def strings_in(labels: Any) -> Iterator[str]:
    """All strings in nested lists and dictionaries."""
    if isinstance(labels, str):
        yield labels
    elif isinstance(labels, dict | list):
        for part in labels.values() if isinstance(labels, dict) else labels:
            yield from strings_in(part)


class _NamedErrors:
    """Adds the component and the place to errors raised while loading."""

    def __init__(self, where: str) -> None:
        self.where = where

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        if isinstance(error, OSError) or not isinstance(error, Exception):
            return
        raise WeightsError(
            f"{self.where}: {error} (a truncated or foreign file? restore it or train again)"
        ) from error

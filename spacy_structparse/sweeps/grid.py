"""The grid of a sweep: settings with their values, and the runs that they make."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from typing import Any, NoReturn
from unicodedata import normalize

_LONGEST_NAME = 100  # bytes; with a checksum and a seed below the 143 of encrypted file systems
_SEEDS = ("training.seed", "system.seed")


class SweepError(ValueError):
    """A sweep that cannot be made of what was given."""


@dataclass(frozen=True)
class Axis:
    """A setting and the values that it is given.

    Attributes:
        name: Its full name, such as `training.dropout`.
        values: The values, no two of them equal.
    """

    name: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Point:
    """One value for each setting.

    Attributes:
        settings: The values, by the full names of the settings.
        name: The values in short, as part of a folder's name. Empty: there are no settings.
    """

    settings: Mapping[str, Any]
    name: str

    @property
    def text(self) -> str:
        """The settings by their full names, for messages."""
        return ", ".join(f"{name}={written(value)}" for name, value in self.settings.items())

    def run_name(self, seed: int) -> str:
        """The name of the run with a seed."""
        return f"{self.name},seed={seed}" if self.name else f"seed={seed}"


def parse_axes(given: Iterable[str]) -> list[Axis]:
    """Read settings with their values, as `--set` has them.

    Args:
        given: `NAME=VALUES` each. The values of a setting that is named twice are joined.

    Raises:
        SweepError: There are no values, a value is not JSON though it begins so, or is there
            twice, or a setting is a part of another one.
    """
    found: dict[str, list[Any]] = {}
    for text in given:
        name, equals, values = text.partition("=")
        name = name.strip()
        if not equals or "." not in name:
            raise SweepError(f"--set {text}: write it as SECTION.SETTING=VALUE,VALUE")
        if name in _SEEDS:
            raise SweepError(f"--set {name}: --seeds sets it")
        found.setdefault(name, []).extend(split_values(name, values))
    for name, all_values in found.items():
        texts = [json.dumps(value) for value in all_values]
        if again := next((one for one in texts if texts.count(one) > 1), None):
            raise SweepError(f"--set {name}: the value {again} is there twice")
        if above := next((one for one in found if name.startswith(f"{one}.")), None):
            raise SweepError(f"--set {name}: it is a part of {above}, which is set too")
    return [Axis(name, tuple(values)) for name, values in found.items()]


def split_values(name: str, text: str) -> list[Any]:
    """Values between commas. Commas inside a JSON list, object or string do not count.

    Args:
        name: The name of the setting, for messages.
        text: The values, such as `0.2,0.3` or `[1,2],[3]`. As in `spacy train`, what is not JSON
            is a string.

    Raises:
        SweepError: There is no value, or an open bracket or quotation mark.
    """
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    values: list[Any] = []
    rest = text.strip()
    while True:
        try:
            value, end = decoder.raw_decode(rest)
        except ValueError:
            value, end = None, -1
        if end < 0 or rest[end:].lstrip()[:1] not in ("", ","):
            if rest[:1] in ("[", "{", '"'):
                raise SweepError(f"--set {name}: {rest} does not begin with a JSON value")
            value = rest.partition(",")[0].strip()
            end = len(rest.partition(",")[0])
            if not value:
                raise SweepError(
                    f"--set {name}={text}: a value is missing. Write an empty string as '\"\"'"
                )
        values.append(value)
        rest = rest[end:].lstrip()
        if not rest:
            return values
        rest = rest[1:].lstrip()


def make_grid(axes: Sequence[Axis]) -> list[Point]:
    """Every combination of the values of settings; one without any where there are none."""
    shorts = short_names([axis.name for axis in axes])
    points = []
    for values in product(*(axis.values for axis in axes)):
        settings = {axis.name: value for axis, value in zip(axes, values, strict=True)}
        points.append(Point(settings, _name(shorts, settings)))
    return points


def short_names(names: Sequence[str]) -> dict[str, str]:
    """The shortest ends of full names by which they can be told apart."""
    shorts = {}
    for name in names:
        parts = name.split(".")
        ends = (".".join(parts[-n:]) for n in range(1, len(parts) + 1))
        shorts[name] = next(
            end for end in ends if sum(f".{one}".endswith(f".{end}") for one in names) == 1
        )
    return shorts


def written(value: Any) -> str:
    """A value as it is shown: a string without quotation marks, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _name(shorts: Mapping[str, str], settings: Mapping[str, Any]) -> str:
    """A name that no other values have, and that is not too long for a folder: the values in short,
    and a checksum of all settings where this does not do. It does not depend on the other values
    of a grid, so that its run is found again when values are added."""
    name = ",".join(f"{shorts[one]}={_short(value)}" for one, value in settings.items())
    data = name.encode()
    if all(map(_is_plain, settings.values())) and len(data) <= _LONGEST_NAME:
        return name
    start = data[:_LONGEST_NAME].decode(errors="ignore")  # without a part of a character
    checksum = sha256(json.dumps(settings).encode()).hexdigest()[:8]
    return f"{start}-{checksum}"


def _short(value: Any) -> str:
    return re.sub(r"[^\w+.-]+", "-", written(value))


def _is_plain(value: Any) -> bool:
    """Whether no other value has its short text, nor one with a checksum."""
    text = _short(value)
    if not text or text != _folded(text):
        return False
    if isinstance(value, str) and re.search("-[0-9a-f]{8}$", text):
        return False
    # As text, "1" is the number 1, and "a/b" is "a-b".
    return json.dumps(split_values("", text)) == json.dumps([value])


def _folded(text: str) -> str:
    """What texts have in common that some file systems take for one name: in any case, composed or
    not."""
    return normalize("NFC", normalize("NFC", text).casefold())


def _no_constant(name: str) -> NoReturn:
    """NaN and Infinity are no JSON."""
    raise ValueError(name)

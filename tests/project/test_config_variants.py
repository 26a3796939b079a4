"""A shipped config that is a variant of another one differs from it in the settings that its header
names, and in no other."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from spacy.util import load_config

ROOT = Path(__file__).resolve().parent.parent.parent
CONFIGS = ROOT / "configs"
BASE = re.compile(r"^# Differs from (\S+) in$", re.MULTILINE)
VARIANTS = [
    path
    for path in sorted([*CONFIGS.glob("*.cfg"), *ROOT.glob("benchmarks/configs/*.cfg")])
    if BASE.search(path.read_text(encoding="utf8"))
]


def test_a_config_named_after_another_one_says_how_it_differs() -> None:
    paths = sorted(CONFIGS.glob("*.cfg"))
    named = {a for a in paths for b in paths if a.stem.startswith(f"{b.stem}_")}
    assert named
    assert named <= set(VARIANTS)


@pytest.mark.parametrize("path", VARIANTS, ids=lambda path: path.stem)
def test_a_variant_differs_as_its_header_says(path: Path) -> None:
    _, base, rest = BASE.split(path.read_text(encoding="utf8"))
    listed = rest.partition("\n\n")[0].replace("\n#", "")
    said = re.findall(r"([\w.]+): ((?:\w+, +)*\w+)", listed)
    here, there = (load_config(one, interpolate=False) for one in (path, CONFIGS / base))
    differing: dict[str, list[str]] = {}
    for section, name in differences(here, there):
        differing.setdefault(section, []).append(name)
    assert {section: sorted(re.split(", +", names)) for section, names in said} == {
        section: sorted(names) for section, names in differing.items()
    }


def differences(
    here: dict[str, Any], there: dict[str, Any], section: str = ""
) -> Iterator[tuple[str, str]]:
    """The section and the name of each setting that is not the same; a function, with all of its
    settings, is one where another one is in its place."""
    for name in {**here, **there}:
        one, other = here.get(name), there.get(name)
        whole = f"{section}.{name}" if section else name
        if isinstance(one, dict) and isinstance(other, dict) and _function(one) == _function(other):
            yield from differences(one, other, whole)
        elif name not in here or name not in there or one != other:
            yield section, name


def _function(settings: dict[str, Any]) -> list[Any]:
    return [value for name, value in settings.items() if name.startswith("@")]

"""Settings with their values, as the command line has them, and the grid that they make."""

import json
import re
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_structparse.sweeps.grid import (
    Axis,
    SweepError,
    make_grid,
    parse_axes,
    short_names,
    split_values,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@given(st.lists(JSON, min_size=1, max_size=4), st.sampled_from([",", ", ", " ,"]))
def test_json_values_are_split_at_the_commas_between_them(values: list[Any], comma: str) -> None:
    assert split_values("a.b", comma.join(json.dumps(value) for value in values)) == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0.2,0.30", [0.2, 0.3]),
        ("relu,tanh", ["relu", "tanh"]),
        ("null,true,True", [None, True, "True"]),
        ("[1,2],[3]", [[1, 2], [3]]),
        ("[1,2]", [[1, 2]]),
        ('"a,b",c', ["a,b", "c"]),
        ('{"@schedules":"constant.v1","rate":1},2', [{"@schedules": "constant.v1", "rate": 1}, 2]),
        ('""', [""]),
        ("1e-3,1e,-1", [0.001, "1e", -1]),
        ("NaN", ["NaN"]),
        ("corpus/a.spacy,corpus/b c.spacy", ["corpus/a.spacy", "corpus/b c.spacy"]),
    ],
)
def test_values(text: str, values: list[Any]) -> None:
    """What is not JSON is a string, as in `spacy train`."""
    assert split_values("a.b", text) == values


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["a.b="], "--set a.b=: a value is missing"),
        (["a.b=1,,2"], "a value is missing"),
        (["a.b=1,"], "a value is missing"),
        (["a.b=[1,2"], r"--set a.b: \[1,2 does not begin with a JSON value"),
        (["a.b=[1]2"], r"\[1\]2 does not begin"),
        (['a.b="x'], "does not begin"),
        (["a.b"], "SECTION.SETTING=VALUE"),
        (["a=1"], "SECTION.SETTING=VALUE"),
        (["a.b=1,2,1"], "the value 1 is there twice"),
        (["a.b=1", "a.b=1"], "the value 1 is there twice"),
        (["a.b=1", "a.b.c=1"], "a.b.c: it is a part of a.b"),
        (["system.seed=1"], "--seeds sets it"),
    ],
)
def test_settings_that_do_not_do(given: list[str], says: str) -> None:
    with pytest.raises(SweepError, match=says):
        parse_axes(given)


def test_the_grid_is_the_product() -> None:
    axes = parse_axes(["a.rate=0.1,0.2", "b.depth=1", "a.rate=0.3", "b.depth=[2,3]"])
    assert axes == [Axis("a.rate", (0.1, 0.2, 0.3)), Axis("b.depth", (1, [2, 3]))]
    points = make_grid(axes)
    assert [list(point.settings.values()) for point in points] == [
        [rate, depth] for rate in (0.1, 0.2, 0.3) for depth in (1, [2, 3])
    ]
    assert points[0].run_name(7) == "rate=0.1,depth=1,seed=7"
    assert re.fullmatch("rate=0.1,depth=-2-3--[0-9a-f]{8}", points[1].name)
    (alone,) = make_grid([])
    assert (alone.settings, alone.run_name(0)) == ({}, "seed=0")


@given(st.lists(JSON, min_size=2, max_size=5, unique_by=json.dumps))
def test_a_name_does_not_depend_on_the_other_values(values: list[Any]) -> None:
    """So that runs are found again when values are added."""
    names = [point.name for point in make_grid([Axis("a.b", tuple(values))])]
    alone = [make_grid([Axis("a.b", (value,))])[0].name for value in values]
    assert names == alone
    assert len({normalize("NFC", name).casefold() for name in names}) == len(values)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        *[(value, True) for value in (1, 1.0, -0.5, 1e-05, 1e16, True, None, "relu", "ner_v2.1")],
        *[(value, False) for value in ("1", "1.0", "true", "null", "", "a b", "a/b", "TAG", [1])],
        # These names are those that other values have, with a checksum.
        *[("a-b-3c7d4ab7", False), ("a-b-3c7d4ab", True)],
    ],
)
def test_a_name_without_a_checksum_is_the_value(value: Any, plain: bool) -> None:
    """It says which value it is, and of which type."""
    (point,) = make_grid([Axis("a.b", (value,))])
    text = value if isinstance(value, str) else json.dumps(value)
    assert (point.name == f"b={text}") == plain
    assert plain or re.search("-[0-9a-f]{8}$", point.name)


def test_every_run_has_a_name_of_its_own() -> None:
    values = ("a b", "a/b", "A-B", "x" * 300, "x" * 301, "../..", "\uf900", "\u8c48")
    names = [point.name for point in make_grid([Axis("a.b", values)])]
    # macOS takes names for one that differ in case, or in the code points of one character.
    assert len({normalize("NFC", name).casefold() for name in names}) == len(values)
    assert all(len(name) < 200 and "/" not in name for name in names)


@pytest.mark.parametrize(
    "values",
    [("語" * 100, "語" * 101), ("é" * 99, "é" * 98), ("x" * 97 + "語", "x" * 97 + "本")],
)
def test_a_name_fits_into_a_file_system(values: tuple[str, ...]) -> None:
    """A file system takes 255 bytes, an encrypted one 143."""
    points = make_grid([Axis("a.b", values)])
    names = [point.run_name(99_999) for point in points]
    assert len(set(names)) == len(values)
    assert all(len(name.encode()) <= 143 for name in names)
    for point, value in zip(points, values, strict=True):
        # The same beside other values, and it begins with what can be read of it.
        assert make_grid([Axis("a.b", (value, "other"))])[0].name == point.name
        assert point.name.startswith(f"b={value[:32]}")


def test_a_name_that_fits_stays_as_it_is() -> None:
    for value in ("x" * 98, "語" * 32, "x" * 95 + "語"):
        assert make_grid([Axis("a.b", (value,))])[0].name == f"b={value}"


def test_short_names() -> None:
    names = ["training.dropout", "components.x.model.dropout", "components.x.model.depth"]
    shorts = ["training.dropout", "model.dropout", "depth"]
    assert list(short_names(names).values()) == shorts

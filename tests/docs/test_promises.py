"""Every promise of the page about safety and limits names tests, and they exist."""

import ast
import re

import pytest

from tests.helpers.paths import ROOT

PAGE = (ROOT / "docs" / "safety-and-limits.md").read_text(encoding="utf8")
SECTIONS = {part.partition("\n")[0]: part for part in PAGE.split("\n## ")[1:]}
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


@pytest.mark.parametrize("title", SECTIONS)
def test_a_promise_says_what_is_not_promised_and_names_its_tests(title: str) -> None:
    section = SECTIONS[title]
    assert "\nNot promised: " in section
    closing = section.rstrip().rpartition("\n\n")[2]
    assert re.match(r"Tests?: `", closing)
    assert len(TEST.findall(closing)) == closing.count("`") / 2


@pytest.mark.parametrize(("file", "name"), sorted(set(TEST.findall(PAGE))), ids=str)
def test_the_tests_exist(file: str, name: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert name.startswith("test_")
    assert name in functions

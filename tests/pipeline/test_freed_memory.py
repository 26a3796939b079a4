"""What a parse or an update needed is freed at once, and not when the garbage collector runs.

The collector may wait for minutes, and a cycle of references can hold all weights of a model.
"""

import gc
from collections.abc import Callable, Iterator

import pytest
from spacy.language import Language
from spacy.tokens import Doc

from tests.helpers.small_parser import bare, examples_of


@pytest.fixture(autouse=True)
def garbage_is_kept() -> Iterator[None]:
    """Objects that only the collector can free are put into gc.garbage."""
    gc.collect()
    gc.disable()
    yield
    gc.set_debug(0)
    gc.garbage.clear()
    gc.enable()


def left_by(action: Callable[[], object]) -> list[str]:
    """The kinds of objects that are left in cycles by an action, the second time."""
    action()
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)
    action()
    gc.collect()
    return [f"{type(one).__name__} {getattr(one, '__qualname__', '')}" for one in gc.garbage]


def test_parsing_dependencies_leaves_no_cycles(trained: Language, twenty: list[Doc]) -> None:
    def parse() -> None:
        for _ in trained.pipe([bare(trained.vocab, doc) for doc in twenty]):
            pass

    assert left_by(parse) == []


def test_parsing_trees_leaves_no_cycles(trained_trees: Language, twenty_trees: list[Doc]) -> None:
    def parse() -> None:
        for _ in trained_trees.pipe([bare(trained_trees.vocab, doc) for doc in twenty_trees]):
            pass

    assert left_by(parse) == []


def test_training_dependencies_leaves_no_cycles(untrained: Language, twenty: list[Doc]) -> None:
    examples = examples_of(untrained, twenty)
    assert left_by(lambda: untrained.update(examples, drop=0.1)) == []


def test_training_trees_leaves_no_cycles(
    untrained_trees: Language, twenty_trees: list[Doc]
) -> None:
    examples = examples_of(untrained_trees, twenty_trees)
    assert left_by(lambda: untrained_trees.update(examples, drop=0.1)) == []

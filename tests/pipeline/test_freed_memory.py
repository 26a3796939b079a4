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


@pytest.mark.parametrize("is_tree_parser", [False, True])
def test_parsing_leaves_no_cycles(
    trained: Language, trained_trees: Language, twenty_trees: list[Doc], is_tree_parser: bool
) -> None:
    nlp = trained_trees if is_tree_parser else trained
    assert left_by(lambda: list(nlp.pipe([bare(nlp.vocab, doc) for doc in twenty_trees]))) == []


@pytest.mark.parametrize("is_tree_parser", [False, True])
def test_training_leaves_no_cycles(
    untrained: Language, untrained_trees: Language, twenty_trees: list[Doc], is_tree_parser: bool
) -> None:
    nlp = untrained_trees if is_tree_parser else untrained
    examples = examples_of(nlp, twenty_trees)
    assert left_by(lambda: nlp.update(examples, drop=0.1)) == []

"""The linearizations by the name that a config gives them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...brackets import Bracket
from .bottom_up import BottomUp
from .in_order import InOrder
from .interface import Linearization
from .top_down import TopDown

LINEARIZATIONS: dict[str, Any] = {kind.name: kind for kind in (TopDown, BottomUp, InOrder)}


def build_linearization(
    name: str, treebank: Iterable[Sequence[Bracket]], **settings: Any
) -> Linearization:
    """Build a linearization with the actions that the trees of a treebank need.

    Args:
        name: ``top_down``, ``bottom_up`` or ``in_order``.
        treebank: The brackets of each tree, in pre-order.
        settings: Other arguments of its class (none for ``bottom_up``).
    """
    return LINEARIZATIONS[name].from_treebank(treebank, **settings)


def load_linearization(name: str, settings: Mapping[str, Any]) -> Linearization:
    """Build a linearization from its name and its `settings()`."""
    return LINEARIZATIONS[name](**settings)

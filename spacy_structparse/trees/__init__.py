"""Constituency trees: the type, Penn brackets, storage in a Doc."""

from ..errors import TreeError, TreeReadError
from .bracket_lists import bracket_heads, tree_brackets, tree_from_brackets
from .doc import get_tree, sentence_trees, set_trees
from .extensions import register_extensions
from .files import read_numbered_trees, read_trees, write_trees
from .heads import dependency_heads, find_head, head_words
from .retokenizing import follow_retokenization, realign_trees
from .span_group import SPANS_KEY, get_brackets
from .transform import (
    base_label,
    label_wh_phrases,
    remove_empty,
    strip_functions,
    unwrap,
    wrap,
)
from .tree import Tree

__all__ = [
    "SPANS_KEY",
    "Tree",
    "TreeError",
    "TreeReadError",
    "base_label",
    "bracket_heads",
    "dependency_heads",
    "find_head",
    "get_brackets",
    "get_tree",
    "head_words",
    "label_wh_phrases",
    "read_numbered_trees",
    "read_trees",
    "realign_trees",
    "register_extensions",
    "remove_empty",
    "sentence_trees",
    "set_trees",
    "strip_functions",
    "tree_brackets",
    "tree_from_brackets",
    "unwrap",
    "wrap",
    "write_trees",
]

register_extensions()
follow_retokenization()

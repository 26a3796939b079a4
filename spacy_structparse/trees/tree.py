"""The constituency tree: an immutable value of any depth."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import eq
from typing import Any

from ..brackets import Bracket
from .notation import format_line, format_lines, unescape_label, unescape_word
from .scanner import parse_tree
from .svg import draw_tree, scrolling

# label, word (None for a bracket), number of children
Row = tuple[str, str | None, int]


class Tree:
    """A node of a constituency tree, with everything below it.

    A bracket has a label and children. A preterminal has a label (its tag), a word and no children.
    Words are text: `(` is `(` here and `-LRB-` only in bracket notation (see `notation`). Only a
    bracket may have an empty label, as the outermost often has.

    Trees are immutable, and compare by value and hash. No method recurses, so that a tree may be as
    deep as memory allows. Traces (`(-NONE- *T*-1)`) are preterminals; `transform.remove_empty`
    removes them.

    Args:
        label: The phrase label or tag.
        children: The children, left to right.
        word: The word of a preterminal.

    Raises:
        ValueError: The node has both children and a word, or neither, or is a preterminal with an
            empty tag or word.
        TypeError: A part is of another type.
    """

    __slots__ = ("children", "label", "word")

    label: str
    children: "tuple[Tree, ...]"
    word: str | None

    def __init__(
        self, label: str, children: "Iterable[Tree]" = (), word: str | None = None
    ) -> None:
        children = tuple(children)
        if not isinstance(label, str) or not (word is None or isinstance(word, str)):
            raise TypeError(f"a tree's label and word are strings, not {label!r} and {word!r}")
        for child in children:
            if not isinstance(child, Tree):
                raise TypeError(f"a child of the bracket {label!r} is not a Tree: {child!r}")
        if word is None:
            if not children:
                raise ValueError(f"the bracket {label!r} has neither children nor a word")
        elif children:
            raise ValueError(f"the bracket {label!r} has both children and the word {word!r}")
        elif not label or not word:
            raise ValueError(f"a preterminal needs a tag and a word, not {label!r} and {word!r}")
        _set_label(self, label)
        _set_children(self, children)
        _set_word(self, word)

    @classmethod
    def from_string(cls, text: str) -> "Tree":
        """Read the only tree in `text`, on any number of lines.

        Raises:
            TreeReadError: The text is not exactly one tree.
        """
        return parse_tree(text, make_node)

    @classmethod
    def from_nltk(cls, tree: Any) -> "Tree":
        """Convert an `nltk.Tree`, or any object with `label()` that iterates over its children.

        Escapes such as `-LRB-` become the text that they stand for, as when brackets are read.

        Raises:
            TypeError: It is no such object, or a label is no string.
            ValueError: A bracket is empty, or a word has no tag: `Tree("NP", ["a", "dog"])`.
        """
        nodes, pending = [], [tree]
        while pending:
            node = pending.pop()
            if not callable(getattr(node, "label", None)):
                raise TypeError(f"Tree.from_nltk() reads an nltk.Tree, not {node!r}")
            nodes.append(node)
            pending.extend(child for child in node if not isinstance(child, str))
        built: list[Tree] = []
        for node in reversed(nodes):  # children before their bracket, left to right
            label, words = node.label(), [child for child in node if isinstance(child, str)]
            if words and len(node) > 1:
                raise ValueError(
                    f"the word {words[0]!r} under {label!r} has no tag: in a Tree every word is "
                    f"under a bracket of its own, such as (NN {words[0]})"
                )
            first = len(built) - (0 if words else len(node))
            word = unescape_word(words[0]) if words else None
            built[first:] = [cls(unescape_label(label), built[first:], word)]
        return built[0]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Tree is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Tree is immutable: cannot delete {name!r}")

    @property
    def is_preterminal(self) -> bool:
        """Return whether the node is a tag over a word."""
        return self.word is not None

    def __iter__(self) -> "Iterator[Tree]":
        """Iterate over all nodes in pre-order: this one first, preterminals included."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))

    def subtrees(self, filter: "Callable[[Tree], bool] | None" = None) -> "Iterator[Tree]":
        """Iterate over all nodes in pre-order, or over those for which `filter` is true."""
        return (node for node in self if filter is None or filter(node))

    def leaves(self) -> "list[Tree]":
        """The preterminals, left to right."""
        return [node for node in self if node.word is not None]

    def words(self) -> list[str]:
        """The words, left to right."""
        return [node.word for node in self if node.word is not None]

    def tags(self) -> list[str]:
        """The tags of the words, left to right."""
        return [node.label for node in self if node.word is not None]

    def spans(self) -> list[Bracket]:
        """List the brackets in pre-order, without preterminals; positions count leaves from 0."""
        spans: list[Bracket] = []
        position = 0
        pending: list[Tree | int] = [self]  # an int: the place of a bracket that ends here
        while pending:
            node = pending.pop()
            if isinstance(node, int):
                spans[node] = spans[node]._replace(end=position)
            elif node.word is not None:
                position += 1
            else:
                pending.append(len(spans))
                pending.extend(reversed(node.children))
                spans.append(Bracket(node.label, position, position))
        return spans

    @property
    def height(self) -> int:
        """The number of nodes on the longest path down; a preterminal has height 1."""
        level, height = [self], 0
        while level:
            level = [child for node in level for child in node.children]
            height += 1
        return height

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        # Rows say how many there are: no tree's rows are the beginning of another tree's.
        return self is other or all(map(eq, self._rows(), other._rows()))

    def __hash__(self) -> int:
        return hash(tuple(self._rows()))

    def __str__(self) -> str:
        return format_line(self)

    def __repr__(self) -> str:
        return f"Tree.from_string({format_line(self)!r})"

    def pretty(self, margin: int = 80) -> str:
        """Write the tree on several indented lines, of at most `margin` columns where possible."""
        return format_lines(self, margin)

    def to_svg(self, *, background: str | None = "white") -> str:
        """Draw the tree as an SVG document. In a notebook a tree draws itself.

        Args:
            background: The colour behind dark ink. None: no background, and the ink of the page.
        """
        return draw_tree(self, background=background)

    def _repr_html_(self) -> str:
        return scrolling(draw_tree(self, background=None), self.words())

    def _repr_svg_(self) -> str:
        return draw_tree(self)

    def to_nltk(self) -> Any:
        """Convert the tree to an `nltk.Tree`, whose leaves are the words.

        Raises:
            ImportError: NLTK is not installed.
        """
        try:
            from nltk.tree import Tree as NltkTree
        except ImportError as error:
            raise ImportError(
                "Tree.to_nltk() needs NLTK: python -m pip install 'spacy-structparse[nltk]'"
            ) from error
        return self.fold(
            lambda node, children: NltkTree(
                node.label, list(children) if node.word is None else [node.word]
            )
        )

    def fold(self, combine: "Callable[[Tree, Sequence[Any]], Any]") -> Any:
        """Compute a value for every node from the bottom up, without recursion.

        Args:
            combine: A function from a node and the values of its children to its value.

        Returns:
            The value of this node.
        """
        values: list[Any] = []
        for node in reversed(list(self)):
            # Reversed pre-order meets a node after its children, the leftmost of them last.
            count = len(node.children)
            if count:
                below = values[: -1 - count : -1]
                del values[-count:]
                values.append(combine(node, below))
            else:
                values.append(combine(node, ()))
        return values[0]

    def _rows(self) -> Iterator[Row]:
        for node in self:
            yield node.label, node.word, len(node.children)

    def __reduce__(self) -> tuple:
        return _from_rows, (list(self._rows()),)


_new = object.__new__
_set_label: Callable[[Tree, str], None] = Tree.__dict__["label"].__set__
_set_children: Callable[[Tree, tuple[Tree, ...]], None] = Tree.__dict__["children"].__set__
_set_word: Callable[[Tree, str | None], None] = Tree.__dict__["word"].__set__


def make_node(label: str, children: tuple[Tree, ...], word: str | None) -> Tree:
    """Make a node without checks, which takes less time; for readers, whose parts are right."""
    node = _new(Tree)
    _set_label(node, label)
    _set_children(node, children)
    _set_word(node, word)
    return node


def _from_rows(rows: list[Row]) -> Tree:
    nodes: list[Tree] = []
    for label, word, count in reversed(rows):
        children = tuple(nodes[len(nodes) - count :][::-1])
        del nodes[len(nodes) - count :]
        nodes.append(make_node(label, children, word))
    return nodes[0]

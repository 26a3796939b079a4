"""Given trees and the tokens of the sentences that they are for."""

from collections.abc import Iterable, Iterator

from spacy.tokens import Doc

from .errors import TreeAlignmentError
from .labels import EMPTY_TAG
from .offsets import excerpt
from .transform import bracket_text
from .tree import Tree
from .words import sentences_of, words_of


def checked(trees: Iterable[Tree | None]) -> list[Tree | None]:
    """The trees as a list; a tree in brackets, or a tree outside of a list, is a TypeError."""
    if isinstance(trees, Tree | str):
        raise TypeError(
            f"set_trees takes a list of trees, one a sentence, not a single {_kind(trees)}: "
            f"set_trees(doc, [{'tree' if isinstance(trees, Tree) else 'Tree.from_string(text)'}])"
        )
    given = list(trees)
    for number, tree in enumerate(given, 1):
        if tree is not None and not isinstance(tree, Tree):
            raise TypeError(
                f"tree {number} of {len(given)} is a {_kind(tree)}, not a Tree: "
                f"{excerpt(str(tree))}; Tree.from_string and Tree.from_nltk make one"
            )
    return given


def _kind(value: object) -> str:
    """The name of a value's type; with its module where that is not Python's own."""
    module, name = type(value).__module__, type(value).__qualname__
    return name if module == "builtins" else f"{module}.{name}"


def paired(doc: Doc, trees: list[Tree | None]) -> Iterator[tuple[Tree | None, list[int]]]:
    """Pair each tree with the indices of the tokens that should be its leaves.

    Raises:
        TreeAlignmentError: There are more or fewer trees than sentences.
    """
    if doc.has_annotation("SENT_START"):
        sentences = [[token.i for token in words_of(sent)] for sent in sentences_of(doc)]
        if len(sentences) != len(trees):
            raise TreeAlignmentError(
                f"the doc has {len(sentences)} sentences with words in them, but {len(trees)} "
                f"trees were given: {excerpt(doc.text)}"
            )
        yield from zip(trees, sentences, strict=True)
        return
    words = [token.i for token in words_of(doc)]
    used = 0
    for number, tree in enumerate(trees, 1):
        if tree is None and len(trees) > 1:
            raise TreeAlignmentError(
                "a doc without sentence boundaries needs a tree for each of its sentences, not "
                f"None: {excerpt(doc.text)}"
            )
        count = len(tree.leaves()) if tree is not None else len(words)
        # The last tree gets all that is left, so that a difference shows as an error there.
        yield tree, words[used:] if number == len(trees) else words[used : used + count]
        used += count
    if not trees and words:
        raise TreeAlignmentError(f"no tree was given for the doc: {excerpt(doc.text)}")


def check_leaves(doc: Doc, tree: Tree, tokens: list[int], number: int, match_words: bool) -> None:
    """Raise TreeAlignmentError where a tree's leaves are not the tokens."""
    leaves = tree.leaves()
    where = f"sentence {number} of the doc"
    for leaf in leaves:
        if leaf.label == EMPTY_TAG:
            raise TreeAlignmentError(
                f"{where}: the trace {leaf.word!r} has no token; remove_empty() takes traces out "
                "of a tree"
            )
    if match_words:
        for place, (leaf, index) in enumerate(zip(leaves, tokens, strict=False), 1):
            word, text = leaf.word or "", doc[index].text
            if word != text and bracket_text(word) != bracket_text(text):
                raise TreeAlignmentError(
                    f"{where}: leaf {place} of its tree is {word!r}, but token {index} of the doc "
                    f"is {text!r}"
                )
    if len(leaves) != len(tokens):
        text = " ".join(doc[index].text for index in tokens)
        raise TreeAlignmentError(
            f"{where}: its tree has {len(leaves)} leaves for {len(tokens)} tokens (whitespace "
            f"tokens are no leaves): {excerpt(text)}"
        )

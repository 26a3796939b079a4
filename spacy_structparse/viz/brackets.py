"""Penn brackets with colours."""

import re

from ..printable import printable
from ..trees import Tree
from .paint import Paint

# A label, and the word after it if it is a tag. In the notation neither has brackets or spaces.
_LABELLED = re.compile(r"\(([^ \n()]*)(?: ([^ \n()]+))?")


def painted_brackets(tree: Tree, width: int, paint: Paint) -> str:
    """The tree as indented Penn brackets, with a colour for labels and one for tags.

    Args:
        tree: The tree.
        width: The columns that lines take where possible; see :meth:`Tree.pretty`.
        paint: Colours the labels and words.
    """

    def painted(found: re.Match[str]) -> str:
        label, word = found.groups()
        if word is None:
            return "(" + paint("phrase", label)
        return f"({paint('tag', label)} {paint('word', word)}"

    return _LABELLED.sub(painted, printable(tree.pretty(width), keep="\n"))

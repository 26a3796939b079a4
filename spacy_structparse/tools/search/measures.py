"""Measures of syntactic complexity.

A word is a token with a letter or a digit. Punctuation neither counts nor is a sister in trees.

* Fourteen ratios of the L2 Syntactic Complexity Analyzer, from counts of the structures of
  :mod:`.l2sca` (Lu 2010). A ratio is 0 where its denominator is.
* Yngve depth: the mean over words of the number of right sisters of the nodes on the way from the
  sentence down to the word (Yngve 1960, "A model and an hypothesis for language structure").
* Frazier depth: the mean over words of the number of phrases that begin with the word, a clause
  counted as 1.5 (Frazier 1985, "Syntactic complexity"; as by Roark et al. 2007).
* Dependency distance: the mean number of words from a word to its head, the next word being 1
  (Liu 2008, "Dependency distance as a metric of language comprehension difficulty").
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...trees import Tree, base_label, sentence_trees, unwrap
from ...trees.span_group import SPANS_KEY
from .matcher import TreeMatcher

_CLAUSE = (
    "@S|SINV|SQ [> ROOT <, (@VP <# VB) | <# MD|VBZ|VBP|VBD"
    " | < (@VP [<# MD|VBP|VBZ|VBD | < CC < (@VP <# MD|VBP|VBZ|VBD)])]"
)
_T_UNIT = "@S|SBARQ|SINV|SQ > ROOT | [$-- @S|SBARQ|SINV|SQ !>> @SBAR|VP]"
_T_UNIT_GROUPED = "@S|SBARQ|SINV|SQ [> ROOT | [$-- @S|SBARQ|SINV|SQ !>> @SBAR|VP]]"
_DEPENDENT = f"@SBAR < ({_CLAUSE})"

STRUCTURES: dict[str, tuple[str, ...]] = {
    "S": ("ROOT",),
    "VP": ("@VP > @S|SINV|SQ", "MD|VBZ|VBP|VBD > (@SQ !< @VP)"),
    "C": (_CLAUSE, f"@FRAG > ROOT !<< ({_CLAUSE})"),
    "T": (_T_UNIT, f"@FRAG > ROOT !<< ({_T_UNIT})"),
    "DC": (_DEPENDENT,),
    "CT": (f"{_T_UNIT_GROUPED} << ({_DEPENDENT})",),
    "CP": ("@ADJP|ADVP|NP|VP < CC",),
    "CN": (
        "@NP !> @NP [<< @JJ|POS|PP|S|VBG | << (@NP $++ @NP !$+ CC)]",
        "@SBAR [<# @WHNP | <# (IN < That|that|For|for) | <, @S] & [$+ @VP | > @VP]",
        "@S < (@VP <# VBG|TO) $+ @VP",
    ),
}
"""The patterns of each structure: sentences, verb phrases, clauses, T-units, dependent clauses,
complex T-units, coordinate phrases and complex nominals. The number of a structure is the sum over
its patterns of the number of nodes that match."""


RATIOS = (
    ("MLS", "W", "S"), ("MLT", "W", "T"), ("MLC", "W", "C"), ("C/S", "C", "S"),
    ("VP/T", "VP", "T"), ("C/T", "C", "T"), ("DC/C", "DC", "C"), ("DC/T", "DC", "T"),
    ("T/S", "T", "S"), ("CT/T", "CT", "T"), ("CP/T", "CP", "T"), ("CP/C", "CP", "C"),
    ("CN/T", "CN", "T"), ("CN/C", "CN", "C"),
    ("yngve", "yngve_sum", "W"), ("frazier", "frazier_sum", "W"),
    ("dependency_distance", "distance_sum", "arcs"),
)  # fmt: skip
"""Each measure with the counts that it divides."""
COUNTS = ("W", *STRUCTURES)
CLAUSES = ("S", "SBAR", "SBARQ", "SINV", "SQ")

Counts = dict[str, float]
"""Sums that measures divide. Those of several Docs may be added."""


class SyntaxCounter:
    """Counts what measures of Docs are computed from.

    Args:
        vocab: The vocabulary of the Docs.
        spans_key: The span group with the trees.
    """

    def __init__(self, vocab: Vocab, spans_key: str = SPANS_KEY) -> None:
        self._spans_key = spans_key
        self._matcher = TreeMatcher(vocab, spans_key=spans_key)
        for structure, patterns in STRUCTURES.items():
            self._matcher.add(structure, patterns)

    def pipe(self, docs: Iterable[Doc]) -> Iterator[tuple[Doc, Counts]]:
        """The counts of each Doc.

        Raises:
            TreeError: A Doc has no trees.
        """
        for doc, matches in self._matcher.pipe(docs):
            counts: Counts = defaultdict(float)
            for match in matches:
                counts[match.key] += 1
            for tree in sentence_trees(doc, self._spans_key):
                words = None if tree is None else without_punctuation(unwrap(tree))
                if words is not None:
                    counts["W"] += len(words.leaves())
                    counts["yngve_sum"] += sum(yngve_depths(words))
                    counts["frazier_sum"] += sum(frazier_depths(words))
            distances = dependency_distances(doc)
            counts["arcs"] = len(distances)
            counts["distance_sum"] = sum(distances)
            yield doc, counts


def measures_of(counts: Counts) -> dict[str, float]:
    """The counts of words and structures, and the measures, by name.

    A Doc without dependencies has no `dependency_distance`.
    """
    found = {name: counts.get(name, 0.0) for name in COUNTS}
    for name, top, bottom in RATIOS:
        divisor = counts.get(bottom, 0.0)
        if divisor or bottom != "arcs":
            found[name] = counts.get(top, 0.0) / divisor if divisor else 0.0
    return found


def syntax_measures(doc: Doc) -> dict[str, float]:
    """The measures of a Doc; see `measures_of`.

    Raises:
        TreeError: The Doc has no trees.
    """
    [(_, counts)] = SyntaxCounter(doc.vocab).pipe([doc])
    return measures_of(counts)


def is_counted(text: str) -> bool:
    """Return whether a token is a word: it has a letter or a digit."""
    return any(map(str.isalnum, text))


def without_punctuation(tree: Tree) -> Tree | None:
    """The tree over its words alone; None if there are none."""

    def combine(node: Tree, children: Sequence[Tree | None]) -> Tree | None:
        if node.word is not None:
            return node if is_counted(node.word) else None
        kept = [child for child in children if child is not None]
        return Tree(node.label, kept) if kept else None

    found: Tree | None = tree.fold(combine)
    return found


def yngve_depths(tree: Tree) -> list[int]:
    """For each word, the right sisters of the nodes from the root down to its preterminal."""
    depths: list[int] = []
    pending = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        if node.word is not None:
            depths.append(depth)
        # The last child is put down first, and has no sister right of it.
        pending += ((child, depth + right) for right, child in enumerate(reversed(node.children)))
    return depths


def frazier_depths(tree: Tree) -> list[float]:
    """For each word, the phrases that begin with it; a clause counts as 1.5."""
    depths: list[float] = []
    pending = [(tree, 0.0)]
    while pending:
        node, depth = pending.pop()
        if node.word is not None:
            depths.append(depth)
            continue
        own = 1.5 if base_label(node.label) in CLAUSES else 1.0
        pending += ((child, 0.0) for child in reversed(node.children[1:]))
        pending.append((node.children[0], depth + own))
    return depths


def dependency_distances(doc: Doc) -> list[int]:
    """The distance of each word from its head, in words; roots have none."""
    if not doc.has_annotation("DEP"):
        return []
    words = [token for token in doc if is_counted(token.text)]
    place = {token.i: number for number, token in enumerate(words)}
    return [
        abs(place[token.i] - place[token.head.i])
        for token in words
        if token.head.i != token.i and token.head.i in place
    ]

"""The page about tree search: its speed, and its matches beside those of pytregex."""

from spacy_structparse.tools.search.measures import STRUCTURES

from ..record import Figures
from .markdown import Cell, fixed, table
from .page import ByName, Page, Section, treebank_of

RESULT = "tree_search-craft"
PEERS = ("tregex_peer-craft", "tregex_peer-gum")
L2SCA = {
    pattern: f"L2SCA, {structure}{number}"
    for structure, patterns in STRUCTURES.items()
    for number, pattern in enumerate(patterns, 1)
}
PYTREGEX = """
The matches of `TreeMatcher` beside those of pytregex, a port of Stanford's Tregex to Python, in
every sixth tree of CRAFT's dev part and every second of GUM's. The patterns are those of the tests:
84 that try every relation and operator, and the 13 of L2SCA. A match is the first node of a
pattern: pytregex does not tell which named nodes belong together.

pytregex gets the patterns in its own spelling: `||` for "or" between relations, `;` for "or"
between patterns, and `&` before a negated relation. Without the `&` it takes such a relation for
one of the node right before it, where all relations of a pattern belong to its first node by the
documentation of Tregex. Names that nothing refers to are left out: pytregex copies the nodes that a
pattern names, with their trees, for every node that it tries.
"""
OTHERS = """
Patterns with a difference, and patterns for which pytregex did not search all of these trees in 5
seconds of the processor. It follows every path of a chain `.+(C)`, and their number can double with
every word: for one pattern it got only trees of up to 10 words.

All differences come from the choice of heads (`<#`, `>#`, `<<#`, `>>#`). `TreeMatcher` has Collins'
rules, with additions for newer treebanks; `head_rule` takes other rules. pytregex has those of
Stanford's `CollinsHeadFinder`:

- punctuation can be a head, and `NML` is unknown;
- `CONJP` joins phrases as `CC` does;
- with punctuation before the conjunction, the head stays in the last conjunct: of
  `NN , NN , CC NN` it is the last noun, by Collins' rules the second;
- where no child has a label of the rule, conjunctions do not count: of `PRP CC PRP` in an NP the
  head is the last word, by Collins' rules the first.

For pytregex alone, a quotation mark before a conjunction is the head.
"""
NOT_READ = """
Patterns that pytregex does not read, as it has neither back references (`=name`) nor variables
(`#1%name`):
"""


def _by_pattern(results: ByName) -> str:
    figures = results[RESULT]
    rows: list[list[Cell]] = [
        [f"L2SCA, {name}", fixed(one["seconds"]), one["matches"]]
        for name, one in figures["one by one"].items()
    ]
    for title, key in (
        ("L2SCA's 13 patterns together", "together"),
        ("a pattern with four named nodes", "named"),
    ):
        rows.append([title, fixed(figures[key]["seconds"]), figures[key]["matches"]])
    return table(["pattern", "seconds", "matches"], rows)


def _beside_tgrep(results: ByName) -> str:
    rows: list[list[Cell]] = [
        [f"`{name}`", fixed(one["seconds"]), one["matches"]]
        for name, one in results[RESULT]["both languages"].items()
    ]
    return table(["matcher", "seconds", "matches"], rows)


def _beside_pytregex(results: ByName) -> str:
    counts: list[list[Cell]] = []
    others: list[list[Cell]] = []
    for name, figures in results.items():
        treebank = treebank_of(name)
        patterns: dict[str, Figures] = figures["patterns"]
        read = {pattern: one for pattern, one in patterns.items() if "error" not in one}
        differing = [one for one in read.values() if one["ours_alone"] or one["theirs_alone"]]
        counts.append(
            [
                treebank,
                figures["trees"],
                len(patterns),
                len(patterns) - len(read),
                len(differing),
                sum(one["equal"] for one in read.values()),
                sum(one["ours_alone"] for one in read.values()),
                sum(one["theirs_alone"] for one in read.values()),
            ]
        )
        others += [
            [
                _named(pattern),
                treebank,
                one["trees"],
                one["equal"],
                one["ours_alone"],
                one["theirs_alone"],
            ]
            for pattern, one in read.items()
            if one["trees"] < figures["trees"] or one in differing
        ]
    header = ["treebank", "trees", "patterns", "not read by pytregex", "with a difference"]
    matches = ["equal", "`TreeMatcher` alone", "pytregex alone"]
    return "\n\n".join(
        [
            table([*header, *matches], counts),
            OTHERS.strip(),
            table(["pattern", "treebank", "trees", *matches], others),
            NOT_READ.strip(),
            table(["pattern", "pytregex's message"], _not_read(results)),
        ]
    )


def _not_read(results: ByName) -> list[list[Cell]]:
    errors = {
        pattern: one["error"]
        for figures in results.values()
        for pattern, one in figures["patterns"].items()
        if "error" in one
    }
    return [[_named(pattern), error] for pattern, error in errors.items()]


def _named(pattern: str) -> str:
    """A pattern in a cell, of which a bar would be the end; one of L2SCA by its structure."""
    return L2SCA.get(pattern, f"`{pattern}`").replace("|", "\\|")


PAGE = Page(
    name="search",
    title="Results: search",
    summary=Section(
        title="At a glance",
        text="""
Seconds to search the 18,951 trees of CRAFT's training part with `TreeMatcher`, on one core and with
the Docs in memory (the median of five searches). The patterns are those of the L2 Syntactic
Complexity Analyzer (Lu 2010), named by the structure that they count.
""",
        results=(RESULT,),
        tables=_by_pattern,
    ),
    sections=(
        Section(
            title="Beside nltk.tgrep",
            text="""
One pattern that both understand, over the same trees. `tgrep` searches trees of NLTK, which were
made before the clock started. It searched once.
""",
            results=(RESULT,),
            tables=_beside_tgrep,
        ),
        Section(
            title="Beside pytregex",
            text=PYTREGEX,
            results=PEERS,
            tables=_beside_pytregex,
        ),
    ),
)

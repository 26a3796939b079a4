"""The page about the speed of tree search."""

from .markdown import Cell, fixed, table
from .page import ByName, Page, Section

RESULT = "tree_search-craft"


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


PAGE = Page(
    name="search",
    title="Results: search",
    summary=Section(
        title="At a glance",
        text="""
`TreeMatcher` over the 18,951 trees of CRAFT's training part, as Docs in memory: seconds for all of
them on one core, the median of five searches. The patterns are those of the L2 Syntactic Complexity
Analyzer (Lu 2010), by the name of the structure that they count.
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
    ),
)

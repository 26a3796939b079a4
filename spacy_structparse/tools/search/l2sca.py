"""The structures that the L2 Syntactic Complexity Analyzer counts, as Tregex patterns.

They are those of Lu (2010), "Automatic analysis of syntactic complexity in second language
writing", International Journal of Corpus Linguistics 15(4), 474-496, as his analyzer has them.
`ROOT` is the node above a sentence's tree. His patterns are for bare labels; `@` lets them
match labels with function tags too.
"""

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

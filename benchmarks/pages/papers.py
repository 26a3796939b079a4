"""The page about the claims of the papers: do they replicate?"""

from collections.abc import Sequence

from .claim import HEADER, Claim, claims_table
from .effects import VERDICTS
from .markdown import Cell, table
from .page import ByName, Page, Section
from .paper_claims import DYER, MA, PHRASAL, SPA, VINYALS

VERDICT = HEADER.index("verdict")
PAPERS = {
    "Dyer et al. (2015)": (
        """
[Transition-based dependency parsing with stack long short-term
memory](https://aclanthology.org/P15-1033/), ACL 2015. Scores are UAS, without punctuation. The
[ablations](dependencies.md#ablations-of-stack-lstms) have the runs by seed. Training ended when the
score on dev had not risen for five passes.
""",
        DYER,
    ),
    "Vinyals et al. (2015)": (
        """
[Grammar as a foreign language](https://arxiv.org/abs/1412.7449), NIPS 2015. Scores are F1.
For the runs by seed, see [constituency](constituency.md#ablations) and
[self-training](large-corpora.md#self-training). The paper's own training,
`seq2seq_constituency_lstm_a_paper.cfg`, was not run. "Guided" means that training shows the
attention where to look, which is not in the paper.
""",
        VINYALS,
    ),
    "Ma et al. (2017)": (
        """
[Deterministic attention for sequence-to-sequence constituent
parsing](https://doi.org/10.1609/aaai.v31i1.10967), AAAI 2017. Scores are F1. For the runs by seed,
see [ablations](constituency.md#ablations) and [ensembles](constituency.md#ensembles). 1,000 updates
are only 2.6 passes, and short training understates slow learners.
""",
        MA,
    ),
    "Sequence-preserved attention (2018)": (
        """
[RNN-based sequence-preserved attention for dependency
parsing](https://doi.org/10.1609/aaai.v32i1.12011), AAAI 2018. Scores are UAS, without
punctuation. The [ablations](dependencies.md#ablations-of-spa_dep) have the runs by seed.
""",
        SPA,
    ),
    "Phrasal RNN": (
        """
*Phrasal recurrent neural network*, anonymous ACL submission. Perplexities are compared by their
quotient: below 1, A is better. For the runs by seed, see [language
models](language-models.md#perplexity-on-craft) and [translation](translation.md#bleu-by-seed),
whose BLEU is with a beam of 10.
""",
        PHRASAL,
    ),
}
SUMMARY = """
A claim is "A better than B", for example "with tags better than without". We could not use the
papers' treebanks, which are not open, so these numbers show trends: effects are compared, not
scores. A claim that was measured several times counts several times. The page on [the
papers](../papers.md) says where each equation is in the code.
"""
DEFINITIONS = """
- **replicated**: the interval excludes 0, A is better, the settings are the paper's or close, and A
  and B have three seeds each or more.
- **same direction**: A is better, but the settings are others, or there are fewer seeds. With one
  seed there is no interval: then every run of A is better than every run of B.
- **inconclusive**: the interval includes 0, or B is better with fewer than three seeds.
- **opposite**: the interval excludes 0, B is better, and both have three seeds or more.
- **not run**: nothing was measured.

How to read the tables below: "here" is what A gains, with a 95 % interval over seeds by Welch's t
(for two beams of the same models, by Student's t of pairs), and in brackets the numbers of seeds of
A and of B. "CRAFT 5000" are 5,000 sentences of CRAFT's training part. Scores are on the dev part
unless the row says otherwise. "Settings" are the paper's, close to them, or other, with what
differs. If there is no B to compare with, there is no verdict.
"""


def _section(title: str, text: str, claims: Sequence[Claim]) -> Section:
    results = tuple(dict.fromkeys(name for claim in claims for name in claim.results()))
    return Section(title, text, results, lambda figures: claims_table(claims, figures))


def _counts(figures: ByName) -> str:
    """How many comparisons of each paper have which verdict."""
    rows: list[list[Cell]] = []
    for paper, (_, claims) in PAPERS.items():
        found = [row[VERDICT] for claim in claims for row in claim.rows(figures)]
        rows.append([paper, len(claims), *(found.count(verdict) for verdict in VERDICTS)])
    return table(["paper", "claims", *VERDICTS], rows)


SECTIONS = tuple(_section(title, *paper) for title, paper in PAPERS.items())
PAGE = Page(
    name="papers",
    title="Results: the papers",
    summary=Section(
        title="Does it replicate?",
        text=SUMMARY,
        results=tuple(dict.fromkeys(name for section in SECTIONS for name in section.results)),
        tables=_counts,
    ),
    sections=(Section("Verdicts", DEFINITIONS, (), lambda figures: ""), *SECTIONS),
)

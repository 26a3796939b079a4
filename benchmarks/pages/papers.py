"""The page about the claims of the papers: do they replicate?"""

from collections.abc import Sequence

from .claim import HEADER, Claim, claims_table
from .claims_dyer import DYER
from .claims_ma import MA
from .claims_phrasal import PHRASAL
from .claims_spa import SPA
from .claims_vinyals import VINYALS
from .effects import VERDICTS
from .markdown import Cell, table
from .page import ByName, Page, Section

VERDICT = HEADER.index("verdict")
PAPERS = {
    "Dyer et al. (2015)": (
        """
[Transition-based dependency parsing with stack long short-term
memory](https://aclanthology.org/P15-1033/), ACL 2015. Scores are UAS, without punctuation. The
[ablations](dependencies.md#ablations-of-stack-lstms) have the runs by seed. With "close" settings,
training on 5,000 sentences ended when LAS on dev had not risen for five passes, or after thirty.
S-RNN is the same parser with a simple recurrent network in place of each LSTM.
""",
        DYER,
    ),
    "Vinyals et al. (2015)": (
        """
[Grammar as a foreign language](https://arxiv.org/abs/1412.7449), NIPS 2015. Scores are F1.
For the runs by seed, see [constituency](constituency.md#ablations) and
[self-training](large-corpora.md#self-training). The paper's own training,
`seq2seq_constituency_lstm_a_paper.cfg`, was not run. LSTM+A+D is the model with attention (A) and
dropout (D). Here it has Adam, PyTorch's LSTM, averaged weights, dropout on words and short
sentences first, and no vectors. "Guided" means that training shows the attention where to look,
which is not in the paper. Silver sentences have the trees of teachers: of the parser itself,
trained on the gold sentences, and if there is a second one, of the default parser or one on MiniLM.
""",
        VINYALS,
    ),
    "Ma et al. (2017)": (
        """
[Deterministic attention for sequence-to-sequence constituent
parsing](https://doi.org/10.1609/aaai.v31i1.10967), AAAI 2017. Scores are F1. For the runs by seed,
see [ablations](constituency.md#ablations) and [ensembles](constituency.md#ensembles). 1,000 updates
are only 2.6 passes, and short training understates slow learners. Differences of speed are
quotients of times: below 1, A is faster.
""",
        MA,
    ),
    "Sequence-preserved attention (2018)": (
        """
[RNN-based sequence-preserved attention for dependency
parsing](https://doi.org/10.1609/aaai.v32i1.12011), AAAI 2018. Scores are UAS, without
punctuation. The [ablations](dependencies.md#ablations-of-spa_dep) have the runs by seed. On 5,000
sentences, "other" settings are gold tags, no vectors, ten epochs and, unless the row says "last
weights", averaged ones; the transition-based parser has 200 units in place of 700.
""",
        SPA,
    ),
    "Phrasal RNN": (
        """
*Phrasal recurrent neural network*, anonymous ACL submission. Perplexities and memory are compared
by quotients: below 1, A is better. For the runs by seed, see [language
models](language-models.md#perplexity-on-craft) and [translation](translation.md#bleu-by-seed),
whose BLEU is with a beam of 10. "Other" settings of language models are Adam, six epochs, a dropout
of 0.2, and a summary of the phrases that the output layer reads, too (`summary_in_output`). Those
of translation are 10,000 pairs of captions, 256 units in place of 1,000, Adam, and one reference.
""",
        PHRASAL,
    ),
}
SUMMARY = """
We could not use the papers' treebanks, which are not open, and mostly trained on fewer sentences,
for fewer updates. So most rows can say "same direction" at best, and these numbers show trends:
effects are compared, not scores. A claim is usually "A better than B", for example "with tags
better than without". One that was measured several times counts several times. The page on [the
papers](../papers.md) says where each equation is in the code.
"""
DEFINITIONS = """
- **replicated**: A is clearly better, the settings are the paper's or close, and A and B have three
  seeds each or more.
- **same direction**: A is clearly better, but the settings are others, or there are fewer seeds.
- **inconclusive**: neither is clearly better.
- **other direction**: B is clearly better, but the settings are others, or there are fewer seeds.
- **opposite**: B is clearly better, with the paper's settings or close ones and three seeds each.
- **not run**: nothing was measured.
- **none**: a figure that cannot be compared, for the reason that follows.

"Clearly" means that the interval excludes 0 (of quotients, 1). If A or B has one seed, there is no
interval: then every run of one is better than every run of the other. Of two single runs one is
always better, so (1, 1) is a hint and no more.

How to read the tables: "here" is what A gains, with a 95 % interval over seeds by Welch's t, and in
brackets the numbers of seeds of A and of B. "CRAFT 5000" and "EWT 5000" are 5,000 sentences of
their training parts. Scores are on the dev part unless the row says otherwise. "Settings" are the
paper's, close to them, or other, with what differs. A row without a claim belongs to the claim
above it.
"""


def _section(title: str, text: str, claims: Sequence[Claim]) -> Section:
    results = tuple(dict.fromkeys(name for claim in claims for name in claim.results()))
    return Section(title, text, results, lambda figures: claims_table(claims, figures))


def _counts(figures: ByName) -> str:
    """How many comparisons of each paper have which verdict."""
    rows: list[list[Cell]] = []
    for paper, (_, claims) in PAPERS.items():
        found = [row[VERDICT] for claim in claims for row in claim.rows(figures)]
        counts = [found.count(verdict) for verdict in VERDICTS]
        rows.append([paper, len(claims), *counts, len(found) - sum(counts)])
    return table(["paper", "claims", *VERDICTS, "none"], rows)


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

"""Scores that `spacy evaluate` has written, as rows of a table."""

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

from .conll18.scores import METRICS

UNSCORED = "Trees not scored"
"""The number of sentences whose predicted trees could not be compared with the gold ones."""

SCORES = {
    "conll18_uas": "UAS, CoNLL 2018",
    "conll18_las": "LAS, CoNLL 2018",
    "dep_uas_nopunct": "UAS, no PUNCT",
    "dep_las_nopunct": "LAS, no PUNCT",
    "dep_uas": "UAS, spaCy",
    "dep_las": "LAS, spaCy",
    "const_f": "Brackets F1",
    "const_errors": UNSCORED,
    "const_p": "Brackets precision",
    "const_r": "Brackets recall",
    "const_exact": "Exact trees",
    "tag_acc": "TAG",
    "pos_acc": "UPOS",
    "morph_acc": "FEATS",
    "lemma_acc": "Lemmas",
    "ents_f": "Entities F1",
    "sents_f": "Sentences F",
    "token_f": "Tokens F",
    "words_f": "Words, CoNLL 2018",
    "mwt_f": "Multiword tokens F1",
    **{
        f"conll18_{name.lower()}": f"{name}, CoNLL 2018"
        for name in METRICS
        if name not in ("UAS", "LAS")
    },
    "translation_bleu": "BLEU",
    "head_ece": "Calibration error, heads",
    "dep_ece": "Calibration error, heads and labels",
    "const_ece": "Calibration error, brackets",
    "head_auroc": "AUROC of confidence, heads",
    "const_auroc": "AUROC of confidence, brackets",
    "lm_perplexity": "Perplexity",
    "lm_known_perplexity": "Perplexity, known words",
    "lm_spelled_perplexity": "Perplexity, unknown words spelled",
    "speed": "Words/s",
}
FORMATS = {
    "const_errors": "{:,}",
    "lm_perplexity": "{:,.2f}",
    "lm_known_perplexity": "{:,.2f}",
    "lm_spelled_perplexity": "{:,.2f}",
    "speed": "{:,.0f}",
}
"""The formats of figures that are no shares."""

ATTACHMENT_NOTE = (
    "Attachment, CoNLL 2018: punctuation counts, subtypes of labels are dropped. No PUNCT: "
    "tokens with gold UPOS PUNCT are left out, subtypes count. spaCy: tokens with gold label punct "
    "are left out, subtypes count."
)
"""The definitions of UAS and LAS, to be printed under a table with them."""


def attachment_note(rows: Iterable[tuple[str, ...]]) -> str | None:
    """The note that a table with these rows needs: what its UAS and LAS count."""
    return ATTACHMENT_NOTE if any(row[0].startswith(("UAS", "LAS")) for row in rows) else None


def flatten_scores(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Scores by name, whether or not `spacy evaluate --per-component` has sorted them by component.

    Where several components have a score of one name, the last component's is taken.
    """
    scores: dict[str, Any] = {}
    for name, value in metrics.items():
        nested = isinstance(value, Mapping) and not name.endswith(("_per_type", "_per_feat"))
        scores.update(value if nested else {name: value})
    return scores


def check_scores(scores: Mapping[str, Any]) -> None:
    """Raise ValueError for flat scores that a table shows and that are no numbers."""
    for name in SCORES:
        value = scores.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, Real)):
            raise ValueError(f"{name} is {value!r}, not a number")


def score_rows(runs: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """A row per score that any run has: its name, and each run's value ("-": none), in per cent
    unless it is a count, a perplexity or a speed.

    runs: flat scores by the name of the run.
    """
    rows = []
    for name, title in SCORES.items():
        values = [scores.get(name) for scores in runs.values()]
        if any(value is not None for value in values):
            rows.append((title, *(_cell(name, value) for value in values)))
    return rows


def _cell(name: str, value: float | None) -> str:
    if value is None:
        return "-"
    return FORMATS[name].format(value) if name in FORMATS else f"{100 * value:.2f}"

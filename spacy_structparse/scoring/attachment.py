"""Attachment scores, by three definitions.

- ``dep_uas`` and ``dep_las`` are spaCy's. They skip tokens whose gold *label* is ``punct`` or
  ``p``. Subtypes of labels count.
- ``dep_uas_nopunct`` and ``dep_las_nopunct`` skip tokens whose gold UPOS is ``PUNCT``. Subtypes
  of labels count.
- ``conll18_uas`` and ``conll18_las`` are those of the CoNLL 2018 shared task, and so of the
  published figures for Universal Dependencies. Punctuation counts, subtypes of labels do not.
"""

from collections.abc import Callable, Iterable
from typing import Any

from spacy.pipeline.dep_parser import parser_score
from spacy.scorer import PRFScore
from spacy.training import Example

from .calibration import score_arc_confidence
from .conll18.scorer import score_conll18

CONLL18_SCORES = ("conll18_uas", "conll18_las")
DEFAULT_SCORE_WEIGHTS: dict[str, float | None] = {
    "dep_uas": 0.5,
    "dep_las": 0.5,
    "dep_las_per_type": None,
    "dep_uas_nopunct": 0.0,
    "dep_las_nopunct": 0.0,
    "sents_p": None,
    "sents_r": None,
    "sents_f": 0.0,
}


def score_dependencies(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """``dep_uas``, ``dep_las``, ``dep_las_per_type`` (spaCy's Scorer.score_deps), ``sents_*``;
    ``dep_uas_nopunct``, ``dep_las_nopunct``: tokens whose gold UPOS is PUNCT left out; and
    ``conll18_uas``, ``conll18_las`` of :func:`.conll18.scorer.score_conll18`. Where arcs have
    confidence, the scores of :func:`.calibration.score_arc_confidence` too.

    Without gold UPOS nothing is left out; where no token has a gold head the scores are None.
    """
    examples = list(examples)
    # spaCy's scorer takes tokens without a gold label in one Doc for such tokens in the next ones.
    with_labels = [eg for eg in examples if eg.reference.has_annotation("DEP")]
    scores: dict[str, Any] = parser_score(with_labels or examples, **kwargs)
    uas, las = score_without_punctuation(examples)
    scores["dep_uas_nopunct"] = uas.fscore if len(uas) else None
    scores["dep_las_nopunct"] = las.fscore if len(las) else None
    conll18 = score_conll18(examples)
    scores |= {name: conll18[name] for name in CONLL18_SCORES}
    return scores | score_arc_confidence(examples)


def score_without_punctuation(examples: Iterable[Example]) -> tuple[PRFScore, PRFScore]:
    """Unlabelled and labelled attachment over tokens whose gold UPOS is not PUNCT.

    As in spaCy's scorer a predicted arc counts only if both its tokens align with one gold token,
    and an arc that does not counts as wrong.
    """
    unlabelled, labelled = PRFScore(), PRFScore()
    for example in examples:
        gold, arcs, n_unaligned = aligned_arcs(example)
        unlabelled.fp += n_unaligned
        labelled.fp += n_unaligned
        gold_arcs = {(i, *arc) for i, arc in gold.items()}
        unlabelled.score_set({arc[:2] for arc in arcs}, {arc[:2] for arc in gold_arcs})
        labelled.score_set(arcs, gold_arcs)
    return unlabelled, labelled


def aligned_arcs(
    example: Example,
) -> tuple[dict[int, tuple[int, str]], set[tuple[int, int, str]], int]:
    """Gold and predicted arcs between gold tokens; those of gold punctuation are left out.

    Returns the head and label of each gold token, the predicted arcs as token, head and label, and
    how many predicted arcs have an end that is not one gold token. All is empty without gold."""
    gold_doc, align = example.reference, example.alignment
    gold: dict[int, tuple[int, str]] = {}
    arcs: set[tuple[int, int, str]] = set()
    n_unaligned = 0
    if not gold_doc.has_annotation("DEP"):
        return gold, arcs, n_unaligned
    for token in gold_doc:
        if token.pos_ != "PUNCT" and not token.is_space and token.has_head():
            gold[token.i] = token.head.i, token.dep_
    for token in example.predicted:
        if token.is_space:
            continue
        if align.x2y.lengths[token.i] != 1:
            n_unaligned += 1
            continue
        gold_i = int(align.x2y[token.i][0])
        if gold_i not in gold:
            continue
        if align.x2y.lengths[token.head.i] != 1 or not token.has_head():
            n_unaligned += 1
            continue
        arcs.add((gold_i, int(align.x2y[token.head.i][0]), token.dep_))
    return gold, arcs, n_unaligned


def make_dependency_scorer() -> Callable[..., dict[str, Any]]:
    """Attachment scores, by spaCy's rules, without punctuation, and by those of CoNLL 2018."""
    return score_dependencies

"""The CoNLL 2018 scores of spaCy's Examples, and scores of multiword tokens."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spacy.scorer import PRFScore
from spacy.tokens import Doc
from spacy.training import Example

from ...extensions.multiword import multiword_tokens, surface_text, surface_units
from .alignment import align_words
from .annotation import Annotation
from .docs import annotation_of, example_annotations
from .scores import METRICS, Score, Scores, score_annotations

# What gold and predicted Docs must have for a metric.
LAYERS = {
    "Sentences": ("SENT_START",),
    "UPOS": ("POS",),
    "XPOS": ("TAG",),
    "UFeats": ("MORPH",),
    "AllTags": ("POS", "TAG", "MORPH"),
    "Lemmas": ("LEMMA",),
    "UAS": ("DEP",),
    "LAS": ("DEP",),
    "CLAS": ("DEP",),
    "MLAS": ("DEP", "POS", "MORPH"),
    "BLEX": ("DEP", "LEMMA"),
}


def evaluate_examples(examples: Iterable[Example]) -> Scores:
    """The counts of the CoNLL 2018 metrics over Examples.

    :mod:`spacy_structparse.scoring.conll18.docs` says how a Doc becomes words and tokens. An
    Example counts for a metric if its gold Doc has the annotation. A metric is left out where no
    gold Doc, or no predicted Doc, has it.

    Args:
        examples: Examples with their predictions.

    Raises:
        ValueError: A predicted text is not the gold text.
    """
    return _summed(
        (example.reference, example.predicted, example_annotations(example)) for example in examples
    )


def evaluate_texts(golds: Sequence[Doc], parse: Callable[[Iterable[str]], Iterable[Doc]]) -> Scores:
    """Parse the surface texts of gold Docs, and count as :func:`evaluate_examples` does.

    Args:
        golds: Docs with gold annotation. Each is a text of its own.
        parse: Parses texts, as `nlp.pipe` does.
    """
    return _summed(
        (
            gold,
            predicted,
            tuple(annotation_of(doc, surface_units(doc)) for doc in (gold, predicted)),
        )
        for gold, predicted in zip(golds, parse(map(surface_text, golds)), strict=True)
    )


def _summed(pairs: Iterable[tuple[Doc, Doc, tuple[Annotation, ...]]]) -> Scores:
    """Sum the scores of gold and predicted Docs with their annotations."""
    totals: dict[str, Score] = {}
    predicted: set[str] = set()
    for gold_doc, predicted_doc, (gold, system) in pairs:
        of_gold = _layers(gold_doc)
        predicted |= _layers(predicted_doc)
        for name, score in score_annotations(gold, system).items():
            if of_gold.issuperset(LAYERS.get(name, ())):
                totals[name] = totals.get(name, Score()) + score
    return {
        name: score for name, score in totals.items() if predicted.issuperset(LAYERS.get(name, ()))
    }


def _layers(doc: Doc) -> set[str]:
    if not len(doc):  # spaCy calls it annotated
        return set()
    layers = {layer for needed in LAYERS.values() for layer in needed}
    return {layer for layer in layers if doc.has_annotation(layer)}


def score_conll18(examples: Iterable[Example], **_: Any) -> dict[str, Any]:
    """F1 of the CoNLL 2018 metrics, from 0 to 1: ``conll18_las``, ``conll18_mlas`` and so on.

    See :func:`evaluate_examples`, which has precision, recall and aligned accuracy too. A metric
    is None where it is left out.
    """
    scores = evaluate_examples(examples)
    return {
        f"conll18_{name.lower()}": scores[name].f1 if name in scores else None for name in METRICS
    }


def make_conll18_scorer() -> Callable[..., dict[str, Any]]:
    """The F1 scores of the CoNLL 2018 shared task, as `conll18_las`, `conll18_mlas` and so on.

    Every token but whitespace is a word; the spans of `doc.spans["multiword"]` are multiword
    tokens. Words are aligned by the characters of the text, so that a tokenizer of its own is
    judged too. LAS counts punctuation and drops subtypes of relations.
    """
    return score_conll18


def score_multiword(golds: Iterable[Doc], tokenize: Callable[[str], Doc]) -> dict[str, Any]:
    """Tokenize the surface texts of gold Docs, and score words and multiword tokens.

    `words_f` is Words of CoNLL 2018 (F1). `mwt_p`, `mwt_r` and `mwt_f` are precision, recall and
    F1 of multiword tokens: right is one with the gold limits and the gold words. A score is None
    where there is nothing to score. Docs whose spaces are unknown are left out.

    Args:
        golds: Docs with gold words and multiword tokens.
        tokenize: The tokenizer.
    """
    multiword = PRFScore()
    correct = total = 0
    for gold in golds:
        if gold.has_unknown_spaces:
            continue
        predicted = tokenize(surface_text(gold))
        multiword.score_set(set(multiword_tokens(predicted)), set(multiword_tokens(gold)))
        words, others = (annotation_of(doc, surface_units(doc)).words for doc in (gold, predicted))
        correct += len(align_words(words, others))
        total += len(words) + len(others)
    scored = len(multiword) > 0
    return {
        "words_f": 2 * correct / total if total else None,
        "mwt_p": multiword.precision if scored else None,
        "mwt_r": multiword.recall if scored else None,
        "mwt_f": multiword.fscore if scored else None,
    }

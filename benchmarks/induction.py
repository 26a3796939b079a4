"""Binary trees found in the attention of language models, scored against gold trees (the open
question of Phrasal RNN, §6), beside trees that know nothing.

    python benchmarks/induction.py corpus/craft --name craft --pipeline pRNN=DIR

Unlabelled F1 as the field scores it: the mean over sentences; words whose gold tag EVALB's
COLLINS.prm leaves out (punctuation) are taken out of all trees; single words and the whole sentence
do not count. The trees of a model are found in two ways. By phrases: the tree whose phrases have
the highest weights, each compared with what all phrases that end at the same word would get if they
were heeded alike. By boundaries: split, from the whole sentence down, after the word that is most
heeded alone.
"""

import statistics
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import spacy
import torch
import typer
from record import write_results
from spacy.language import Language
from spacy.tokens import Doc

from spacy_structparse.corpora.reader import create_corpus_reader
from spacy_structparse.scoring.evalb_params import find_params
from spacy_structparse.scoring.surprisal import boundary_strengths, phrase_weights
from spacy_structparse.scoring.unlabelled import unlabelled_f1, without_words, worth_scoring
from spacy_structparse.trees.doc import get_brackets
from spacy_structparse.trees.induction import (
    Spans,
    balanced,
    best_tree,
    left_branching,
    random_tree,
    right_branching,
    split_at_boundaries,
)

TINY = 1e-12  # weights below it count as this


def gold_spans(doc: Doc) -> Spans:
    """Of a sentence's gold brackets."""
    return [(start, end) for _, start, end in get_brackets(doc) or []]


def f1_over(trees: list[Spans], golds: list[Doc]) -> float:
    """The mean over sentences, in per cent."""
    deleted = find_params("COLLINS").delete_labels
    scores = []
    for spans, gold in zip(trees, golds, strict=True):
        kept = [token.tag_ not in deleted and not token.is_space for token in gold]
        n = sum(kept)
        if n > 2:  # shorter ones have nothing to find
            pair = (worth_scoring(without_words(s, kept), n) for s in (spans, gold_spans(gold)))
            scores.append(unlabelled_f1(*pair))
    return round(100 * statistics.mean(scores), 2)


def phrase_scores(weights: list[list[float]]) -> np.ndarray:
    """How much more than by chance each phrase is heeded: (n, n), in row i and column j the
    logarithm of the weight of the phrase from word i to word j, times how many phrases end there.

    weights: of ``phrase_weights``."""
    n = len(weights)
    scores = np.full((n, n), -np.inf)
    for j, of_end in enumerate(weights):
        scores[: j + 1, j] = np.log(np.maximum(of_end, TINY) * (j + 1))
    return scores


def trees_of(nlp: Language, golds: list[Doc]) -> dict[str, list[Spans]]:
    """The trees found in a model's attention in each way."""
    docs = [Doc(nlp.vocab, words=[token.text for token in gold]) for gold in golds]
    weights = [phrase_weights(doc) for doc in nlp.pipe(docs)]
    return {
        "phrases": [best_tree(phrase_scores(one)) for one in weights],
        "boundaries": [split_at_boundaries(boundary_strengths(one)) for one in weights],
    }


def main(
    corpus: Annotated[Path, typer.Argument(help="Folder with the split's .spacy file")],
    name: Annotated[str, typer.Option(help="Name of the result")],
    pipeline: Annotated[list[str], typer.Option(help="NAME=TRAINED_PIPELINE, as often as needed")],
    split: str = "test",
) -> None:
    """Find trees and score them."""
    torch.set_num_threads(1)
    reader = create_corpus_reader(corpus / f"{split}.spacy", gold_preproc=True)
    golds = [example.reference for example in reader(spacy.blank("en"))]
    golds = [gold for gold in golds if gold_spans(gold)]
    rng = np.random.default_rng(0)
    figures: dict[str, Any] = {
        label: {"f1": f1_over([kind(len(gold)) for gold in golds], golds)}
        for label, kind in (
            ("left-branching", left_branching),
            ("right-branching", right_branching),
            ("balanced", balanced),
            ("random", lambda n: random_tree(n, rng)),
        )
    }
    for item in pipeline:
        label, _, path = item.partition("=")
        for way, trees in trees_of(spacy.load(path), golds).items():
            figures[f"{label}, by {way}"] = {"f1": f1_over(trees, golds)}
    print(figures, flush=True)
    figures = {"split": split, "sentences": len(golds), "trees": figures}
    print(write_results(f"induction-{name}", 0, figures))


if __name__ == "__main__":
    typer.run(main)

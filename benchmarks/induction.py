"""Binary trees found in the attention of language models, scored against gold trees.

    python -m benchmarks.induction corpus/craft --name craft --pipeline pRNN=DIR

Phrasal RNN (Section 6) leaves open how good they are. Beside them stand trees that know nothing of
the words. Unlabelled F1 as the field scores it: the mean over sentences; words whose gold tag
EVALB's COLLINS.prm leaves out (punctuation) are taken out of all trees; single words and the whole
sentence do not count.

The trees of a model are found in two ways. By phrases: the tree whose phrases have the highest
weights, each compared with its weight if all phrases that end at the same word were attended to
alike. By boundaries: split, from the whole sentence down, after the word that gets most attention
as a phrase of its own.
"""

import statistics
from typing import Annotated

import numpy as np
import spacy
import torch
import typer
from spacy.language import Language
from spacy.tokens import Doc

from spacy_structparse.corpora.reader import create_corpus_reader
from spacy_structparse.extensions.surprisal import boundary_strengths, phrase_weights
from spacy_structparse.scoring.evalb_params import find_params
from spacy_structparse.tools.figures.induction import Spans, split_at_boundaries
from spacy_structparse.trees.span_group import get_brackets

from .binary_trees import balanced, best_tree, left_branching, random_tree, right_branching
from .options import Corpus, Name, Pipelines, named_values
from .record import Figures, write_result
from .unlabelled import unlabelled_f1, without_words, worth_scoring

TINY = 1e-12
"""The least weight whose logarithm is taken."""


def gold_spans(doc: Doc) -> Spans:
    """The spans of a sentence's gold brackets."""
    return [(start, end) for _, start, end in get_brackets(doc) or []]


def mean_f1(trees: list[Spans], golds: list[Doc]) -> float:
    """Unlabelled F1 in per cent, the mean over sentences."""
    deleted = find_params("COLLINS").delete_labels
    scores = []
    for spans, gold in zip(trees, golds, strict=True):
        kept = [token.tag_ not in deleted and not token.is_space for token in gold]
        n = sum(kept)
        if n > 2:  # shorter ones have no span to find
            pair = (worth_scoring(without_words(s, kept), n) for s in (spans, gold_spans(gold)))
            scores.append(unlabelled_f1(*pair))
    return round(100 * statistics.mean(scores), 2)


def phrase_scores(weights: list[list[float]]) -> np.ndarray:
    """How much more attention each phrase gets than by chance.

    Args:
        weights: Those of :func:`phrase_weights`.

    Returns:
        Shape (n, n); in row i and column j the logarithm of the weight of the phrase from word i to
        word j, times the number of phrases that end there.
    """
    n = len(weights)
    scores = np.full((n, n), -np.inf)
    for j, of_end in enumerate(weights):
        scores[: j + 1, j] = np.log(np.maximum(of_end, TINY) * (j + 1))
    return scores


def trees_of(nlp: Language, golds: list[Doc]) -> dict[str, list[Spans]]:
    """The trees found in a model's attention, by the way they are found."""
    docs = [Doc(nlp.vocab, words=[token.text for token in gold]) for gold in golds]
    weights = [phrase_weights(doc) for doc in nlp.pipe(docs)]
    return {
        "phrases": [best_tree(phrase_scores(one)) for one in weights],
        "boundaries": [split_at_boundaries(boundary_strengths(one)) for one in weights],
    }


def main(
    corpus: Corpus,
    name: Name,
    pipelines: Pipelines,
    split: Annotated[str, typer.Option(help="dev or test")] = "test",
) -> None:
    """Find trees and score them."""
    torch.set_num_threads(1)
    reader = create_corpus_reader(corpus / f"{split}.spacy", gold_preproc=True)
    golds = [example.reference for example in reader(spacy.blank("en"))]
    golds = [gold for gold in golds if gold_spans(gold)]
    rng = np.random.default_rng(0)
    trees: Figures = {
        label: {"f1": mean_f1([make(len(gold)) for gold in golds], golds)}
        for label, make in (
            ("left-branching", left_branching),
            ("right-branching", right_branching),
            ("balanced", balanced),
            ("random", lambda n: random_tree(n, rng)),
        )
    }
    for label, path in named_values("--pipeline", pipelines).items():
        for way, found in trees_of(spacy.load(path), golds).items():
            trees[f"{label}, by {way}"] = {"f1": mean_f1(found, golds)}
    print(trees, flush=True)
    write_result(f"induction-{name}", 0, {"split": split, "sentences": len(golds), "trees": trees})


if __name__ == "__main__":
    typer.run(main)

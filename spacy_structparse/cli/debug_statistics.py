"""Counts of the annotation of corpora, as parsers learn from it."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import spacy
from spacy.pipeline._parser_internals import nonproj
from spacy.tokens import Doc
from spacy.training import Example

from ..corpora.docbins import read_docs
from ..corpora.statistics import CorpusStatistics, TreeStatistics, place, unknown_words
from ..errors import ActionError
from ..pipeline.gold_dependencies import GoldSentence, gold_sentences, tree_problem
from ..transitions.dependency.partial_oracle import check_known_arcs

# The places of labels, and their names in messages.
LABELS = {
    ("dependencies", "labels"): "dependency labels",
    ("trees", "labels"): "bracket labels",
    ("corpus", "tags"): "tags",
}


def corpus_statistics(train: Path, dev: Path | None, spans_key: str) -> dict[str, Any]:
    """Count the annotation of a training and perhaps a development corpus.

    Args:
        train: A `.spacy` file or a folder of them.
        dev: The same.
        spans_key: The span group with the trees.

    Returns:
        The counts and places, fit for JSON: `train`, and `dev` with what it has beside.
    """
    statistics, words = _count(train, spans_key)
    if dev is None:
        return {"train": statistics}
    of_dev, words_of_dev = _count(dev, spans_key)
    new_labels: dict[str, dict[str, int]] = {}
    for (layer, key), name in LABELS.items():
        known = statistics[layer][key]
        if known:
            labels = of_dev[layer][key].items()
            new_labels[name] = {label: n for label, n in labels if label not in known}
    of_dev["unknown_words"] = unknown_words(words, words_of_dev)
    of_dev["labels_train_does_not_have"] = new_labels
    return {"train": statistics, "dev": of_dev}


def _count(path: Path, spans_key: str) -> tuple[dict[str, Any], Counter[str]]:
    """The statistics of a corpus by the layer, and its words."""
    corpus, dependencies = CorpusStatistics(), DependencyStatistics()
    trees = TreeStatistics(spans_key)
    for number, doc in enumerate(read_docs(path, spacy.blank("xx").vocab)):
        corpus.add(doc, number)
        dependencies.add(doc, number)
        trees.add(doc, number)
    statistics = {
        "corpus": corpus.to_dict(),
        "dependencies": dependencies.to_dict(),
        "trees": trees.to_dict(),
    }
    return statistics, corpus.word_counts


@dataclass
class DependencyStatistics:
    """Counts over Docs given one by one to :meth:`add`; places are texts that name a sentence.

    complete_sentences, unannotated_sentences: those with all and with no heads. partial_sentences:
    places of those between. labels: of arcs, without the roots'. unreachable: places by the reason
    why the parser skips the sentence.
    """

    complete_sentences: int = 0
    partial_sentences: list[str] = field(default_factory=list)
    unannotated_sentences: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    nonprojective_sentences: int = 0
    nonprojective_arcs: int = 0
    unreachable: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, doc: Doc, number: int) -> None:
        """Count a Doc; number: its index in the corpus, to name places by."""
        for gold in gold_sentences([Example(doc, doc)]):
            where = place(number, int(gold.sentence.tokens[0]), int(gold.sentence.tokens[-1]))
            if not any(head >= 0 for head in gold.heads):
                self.unannotated_sentences += 1
                continue
            if gold.is_complete:
                self.complete_sentences += 1
            else:
                self.partial_sentences.append(where)
            self.labels.update(gold.arc_labels)
            if reason := _problem(gold):
                self.unreachable[reason].append(where)
            elif gold.is_complete:
                words = range(len(gold.heads))
                crossing = sum(nonproj.is_nonproj_arc(word, gold.heads) for word in words)
                self.nonprojective_sentences += crossing > 0
                self.nonprojective_arcs += crossing

    def to_dict(self) -> dict[str, Any]:
        """All counts and places, fit for JSON, and the number of sentences to learn from."""
        with_heads = self.complete_sentences + len(self.partial_sentences)
        skipped = sum(map(len, self.unreachable.values()))
        return {
            **vars(self),
            "learnable_sentences": with_heads - skipped,
            "labels": dict(self.labels.most_common()),
        }


def _problem(gold: GoldSentence) -> str | None:
    """Why the parser cannot learn from a sentence."""
    problem = tree_problem(gold.heads)
    if problem or gold.is_complete:
        return problem
    try:
        check_known_arcs(gold.heads)
    except ActionError:
        return "known arcs that no projective tree has (incomplete trees are not lifted)"
    return None

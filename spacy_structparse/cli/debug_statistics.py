"""Counts of the annotation of a corpus, as parsers learn from it."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import spacy
from spacy.pipeline._parser_internals import nonproj
from spacy.tokens import Doc
from spacy.training import Example

from ..corpora.docbins import read_docs
from ..corpora.statistics import CorpusStatistics, TreeStatistics, place
from ..errors import ActionError
from ..pipeline.gold_dependencies import GoldSentence, gold_sentences, tree_problem
from ..transitions.dependency.partial_oracle import check_known_arcs


@dataclass
class DependencyStatistics:
    """Counts over Docs given one by one to :meth:`add`; places are texts that name a sentence.

    complete, unannotated: sentences with all and with no heads. partial: places of those between.
    labels: of arcs, without the roots'. unreachable: places by the reason why the parser skips the
    sentence.
    """

    complete: int = 0
    unannotated: int = 0
    partial: list[str] = field(default_factory=list)
    labels: Counter[str] = field(default_factory=Counter)
    nonprojective_sentences: int = 0
    nonprojective_arcs: int = 0
    unreachable: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def learnable(self) -> int:
        """Sentences with heads from which the parser can learn."""
        skipped = sum(map(len, self.unreachable.values()))
        return self.complete + len(self.partial) - skipped

    def add(self, doc: Doc, number: int) -> None:
        """Count a Doc; number: its index in the corpus, to name places by."""
        for gold in gold_sentences([Example(doc, doc)]):
            where = place(number, int(gold.sentence.tokens[0]), int(gold.sentence.tokens[-1]))
            if not any(head >= 0 for head in gold.heads):
                self.unannotated += 1
                continue
            if gold.is_complete:
                self.complete += 1
            else:
                self.partial.append(where)
            self.labels.update(gold.arc_labels)
            reason = _problem(gold)
            if reason:
                self.unreachable[reason].append(where)
            elif gold.is_complete:
                words = range(len(gold.heads))
                crossing = sum(nonproj.is_nonproj_arc(word, gold.heads) for word in words)
                self.nonprojective_sentences += crossing > 0
                self.nonprojective_arcs += crossing

    def to_dict(self) -> dict[str, Any]:
        """All counts and places, fit for JSON."""
        return {
            "complete_sentences": self.complete,
            "partial_sentences": self.partial,
            "unannotated_sentences": self.unannotated,
            "learnable_sentences": self.learnable,
            "labels": dict(self.labels.most_common()),
            "nonprojective_sentences": self.nonprojective_sentences,
            "nonprojective_arcs": self.nonprojective_arcs,
            "unreachable": dict(self.unreachable),
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


@dataclass
class Layers:
    """The statistics of one corpus."""

    corpus: CorpusStatistics
    dependencies: DependencyStatistics
    trees: TreeStatistics

    @classmethod
    def read(cls, path: Path, spans_key: str) -> "Layers":
        """Count the annotation of a `.spacy` file or of a folder of them."""
        layers = cls(CorpusStatistics(), DependencyStatistics(), TreeStatistics(spans_key))
        for number, doc in enumerate(read_docs(path, spacy.blank("xx").vocab)):
            layers.corpus.add(doc, number)
            layers.dependencies.add(doc, number)
            layers.trees.add(doc, number)
        return layers

    @property
    def has_heads(self) -> bool:
        """There are dependencies."""
        return bool(self.dependencies.complete or self.dependencies.partial)

    @property
    def labels(self) -> dict[str, Counter[str]]:
        """How often each label occurs, by the layer."""
        return {
            "dependency labels": self.dependencies.labels,
            "bracket labels": self.trees.labels,
            "tags": self.corpus.tags,
        }

    def to_dict(self) -> dict[str, Any]:
        """All counts and places, fit for JSON."""
        return {
            "corpus": self.corpus.to_dict(),
            "dependencies": self.dependencies.to_dict(),
            "trees": self.trees.to_dict(),
        }

"""Counts of dependencies, as an arc-standard parser learns from them."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from spacy.pipeline._parser_internals import nonproj
from spacy.tokens import Doc
from spacy.training import Example

from ..corpora.statistics import place
from ..pipeline.gold_dependencies import GoldSentence, gold_sentences, projectivized, tree_problem
from ..transitions.dependency.arc_standard import OracleError, oracle
from ..transitions.dependency.partial_oracle import check_known_arcs


@dataclass
class DependencyStatistics:
    """Counts over Docs given one by one to :meth:`add`; places are texts that name a sentence.

    complete, unannotated: sentences with all and with no heads. partial: places of those between.
    labels: of arcs, without the roots' (root_labels). lifted_labels: those that lifting crossing
    arcs makes. unreachable: places by the reason why the parser skips the sentence.
    """

    complete: int = 0
    unannotated: int = 0
    partial: list[str] = field(default_factory=list)
    labels: Counter[str] = field(default_factory=Counter)
    root_labels: Counter[str] = field(default_factory=Counter)
    lifted_labels: Counter[str] = field(default_factory=Counter)
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
            for word, (head, label) in enumerate(zip(gold.heads, gold.labels, strict=True)):
                if head >= 0:
                    (self.root_labels if head == word else self.labels)[label] += 1
            reason = self._problem(gold)
            if reason:
                self.unreachable[reason].append(where)

    def _problem(self, gold: GoldSentence) -> str | None:
        """Why the parser cannot learn from a sentence; counts what lifting does to it."""
        problem = tree_problem(gold.heads)
        if problem:
            return problem
        lifted = projectivized(gold)
        if lifted is not gold:
            self.nonprojective_sentences += 1
            self.nonprojective_arcs += sum(
                nonproj.is_nonproj_arc(word, gold.heads) for word in range(len(gold.heads))
            )
            self.lifted_labels.update(label for label in lifted.labels if "||" in label)
        try:
            if lifted.is_complete:
                oracle(lifted.heads)
            else:
                check_known_arcs(lifted.heads)
        except OracleError:
            return (
                "arcs that no derivation has"
                if lifted.is_complete
                else ("known arcs that no projective tree has (incomplete trees are not lifted)")
            )
        return None

    def to_dict(self) -> dict[str, Any]:
        """All counts and places, fit for JSON."""
        return {
            "complete_sentences": self.complete,
            "partial_sentences": self.partial,
            "unannotated_sentences": self.unannotated,
            "learnable_sentences": self.learnable,
            "labels": dict(self.labels.most_common()),
            "root_labels": dict(self.root_labels.most_common()),
            "lifted_labels": dict(self.lifted_labels.most_common()),
            "nonprojective_sentences": self.nonprojective_sentences,
            "nonprojective_arcs": self.nonprojective_arcs,
            "unreachable": dict(self.unreachable),
        }

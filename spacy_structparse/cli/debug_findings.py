"""Counts of the annotation of corpora, as parsers learn from it, and the faults in them.

Errors make training impossible; warnings are of doubtful annotation.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import spacy
from spacy.language import Language
from spacy.pipeline._parser_internals import nonproj
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import load_config

from ..corpora.docbins import read_docs
from ..corpora.pipeline_outputs import HEADS, TREES
from ..corpora.statistics import CorpusStatistics, TreeStatistics, place, unknown_words
from ..errors import ActionError
from ..pipeline.gold_dependencies import GoldSentence, gold_sentences, tree_problem
from ..transitions.dependency.partial_oracle import check_known_arcs
from ..trees import SPANS_KEY

# The places of labels, and their names in messages.
LABELS = {
    ("dependencies", "labels"): "dependency labels",
    ("trees", "labels"): "bracket labels",
    ("corpus", "tags"): "tags",
}
LONG = 500  # words in a sentence
N_PLACES = 3
# What spaCy's components learn from, by their factory. Where no word has it, their error at the
# initialization, E143, does not name it.
LAYERS = {
    "tagger": "tags",
    "morphologizer": "parts of speech or morphological features",
    "trainable_lemmatizer": "lemmas",
    "backoff_lemmatizer": "lemmas",
}
TREE_FAULTS = {
    "unreadable": "docs have trees that cannot be read",
    "across_sentences": "sentences begin a bracket that goes on in the next sentence",
    "words_outside": "sentences have words outside of their tree",
    "only_dependencies": "sentences have dependencies but no tree",
    "only_trees": "sentences have a tree but no dependencies",
}
Statistics = dict[str, Any]


class Learner(NamedTuple):
    """A component that a config trains.

    Attributes:
        name: Its name.
        layer: The annotation that it learns from, in words.
        uses_tags: Its model embeds tags.
        spans_key: The span group with the trees.
    """

    name: str
    layer: str
    uses_tags: bool
    spans_key: str


def read_learners(path: Path) -> list[Learner]:
    """Find the components that a config trains and that learn from syntax, tags or lemmas.

    Args:
        path: A config file, or the folder of a pipeline.

    Raises:
        OSError: It cannot be read.
        ValueError: It is malformed.
    """
    config = load_config(path / "config.cfg" if path.is_dir() else path, interpolate=True)
    spacy.blank("xx")  # spaCy finds the factories of packages when it makes a pipeline
    frozen = config.get("training", {}).get("frozen_components", [])
    learners = []
    for name in config.get("nlp", {}).get("pipeline", []):
        section = config.get("components", {}).get(name, {})
        factory = section.get("factory", "")  # a sourced component has learned already
        if name in frozen or not Language.has_factory(factory):
            continue
        assigns = Language.get_factory_meta(factory).assigns
        layers = {TREES: "trees", HEADS: "dependencies"}
        learned = next((layers[key] for key in layers if key in assigns), LAYERS.get(factory))
        if learned is not None:
            spans_key = section.get("spans_key", SPANS_KEY)
            learners.append(Learner(name, learned, _has(section, "use_pos", True), spans_key))
    return learners


def _has(section: Any, key: str, value: Any) -> bool:
    """Return True if a setting has a value anywhere in a section of a config."""
    if not isinstance(section, Mapping):
        return False
    return section.get(key) == value or any(_has(part, key, value) for part in section.values())


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
        learned = statistics[layer][key]
        if learned:
            labels = of_dev[layer][key].items()
            new_labels[name] = {label: n for label, n in labels if label not in learned}
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


def find_faults(
    statistics: Statistics, learners: list[Learner] | None
) -> tuple[list[str], list[str]]:
    """Find the errors and the warnings for what a config trains, or for any parser for None."""
    train = statistics["train"]
    errors = list(_errors(train, learners or [], any_parser=learners is None))
    warnings = [
        f"{name}: {text}" for name, corpus in statistics.items() for text in _warnings(corpus)
    ]
    if "dev" in statistics:
        warnings += _differences(train, statistics["dev"])
    warnings += [
        f"{learner.name} has use_pos = true, but train has no tags to learn a tagger from"
        for learner in learners or ()
        if learner.uses_tags and train["corpus"]["words"] and not train["corpus"]["tags"]
    ]
    return errors, warnings


def _errors(train: Statistics, learners: list[Learner], *, any_parser: bool) -> Iterator[str]:
    """any_parser: there is no config, so the corpus may be for any parser."""
    corpus, dependencies, trees = train["corpus"], train["dependencies"], train["trees"]["trees"]
    words = corpus["words"]
    if not words:
        yield "train has no words"
        return
    heads = dependencies["complete_sentences"] or dependencies["partial_sentences"]
    present = {
        "dependencies": heads,
        "trees": trees,
        LAYERS["tagger"]: words - corpus["words_without_tag"],
        LAYERS["morphologizer"]: words - corpus["words_without_morphology"],
        LAYERS["trainable_lemmatizer"]: words - corpus["words_without_lemma"],
    }
    for learner in learners:
        if not present[learner.layer]:
            yield f"train has no {learner.layer}, which {learner.name} learns from"
    if heads and not dependencies["learnable_sentences"]:
        yield "train has no sentence whose dependencies can be learned from"
    elif heads and not dependencies["labels"]:
        yield "train has no labels: every word with a head is a root"
    elif any_parser and not (heads or trees):
        yield "train has no dependencies and no trees"


def _warnings(statistics: Statistics) -> Iterator[str]:
    corpus, dependencies, trees = (
        statistics[layer] for layer in ("corpus", "dependencies", "trees")
    )
    placed = {
        **{
            f"sentences are skipped in training: {reason}": places
            for reason, places in dependencies["unreachable"].items()
        },
        "sentences have heads for some words only": dependencies["partial_sentences"],
        **{text: trees[key] for key, text in TREE_FAULTS.items()},
    }
    for text, places in placed.items():
        if places:
            more = f"; and {len(places) - N_PLACES} more" if len(places) > N_PLACES else ""
            yield f"{len(places)} {text} ({'; '.join(places[:N_PLACES])}{more})"
    has_heads = dependencies["complete_sentences"]
    counted = {
        "sentences have no heads": has_heads and dependencies["unannotated_sentences"],
        "words have no tag": corpus["tags"] and corpus["words_without_tag"],
        "docs have no sentence starts and count as one sentence each": (
            corpus["docs_without_sentence_starts"]
        ),
        "docs are empty": corpus["empty_docs"],
    }
    yield from (f"{count} {text}" for text, count in counted.items() if count)
    longest = corpus["sentence_lengths"].get("longest", 0)
    if longest >= LONG:
        where = corpus["longest_sentence"]
        yield f"the longest sentence has {longest} words ({where}): are sentences missing?"


def _differences(train: Statistics, dev: Statistics) -> Iterator[str]:
    if not dev["corpus"]["words"]:
        yield "dev has no words"
    for layer, new in dev["labels_train_does_not_have"].items():
        if new:
            listed = ", ".join(f"{label} ({n})" for label, n in new.items())
            yield f"{layer} in dev that train does not have: {listed}"
    if train["dependencies"]["labels"] and not dev["dependencies"]["labels"]:
        yield "dev has no dependencies: every score of them will be missing"
    if train["trees"]["trees"] and not dev["trees"]["trees"]:
        yield "dev has no trees, train has"

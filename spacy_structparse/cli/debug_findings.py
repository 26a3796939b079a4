"""Faults of a corpus: errors, which make training impossible, and warnings."""

from dataclasses import dataclass, field
from typing import Any

from ..corpora.statistics import unknown_words
from .debug_config import GivenConfig, Parser
from .debug_statistics import Layers

LONG = 500  # words in a sentence
N_PLACES = 3
LEMMAS = ("lemmas", "token.lemma", "words_without_lemma")
# What spaCy's components learn from, and who counts the words without it. spaCy's E143 at the
# initialization, where no word has the layer, names none of this.
LAYERS = {
    "tagger": ("tags", "token.tag", "words_without_tag"),
    "morphologizer": (
        "parts of speech and morphological features",
        "token.pos, token.morph",
        "words_without_morphology",
    ),
    "trainable_lemmatizer": LEMMAS,
    "backoff_lemmatizer": LEMMAS,
}
TREE_FAULTS = {
    "unreadable": "docs have trees that cannot be read",
    "across_sentences": "sentences begin a bracket that goes on in the next sentence",
    "words_outside": "sentences have words outside of their tree",
    "only_dependencies": "sentences have dependencies but no tree",
    "only_trees": "sentences have a tree but no dependencies",
}


@dataclass
class Findings:
    """errors: reasons why training is impossible. warnings: doubtful annotation."""

    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def judge(train: Layers, dev: Layers | None, given: GivenConfig | None) -> Findings:
    """Judge a training and a development corpus for the parsers of a config, if there is one."""
    findings = Findings()
    parsers = [] if given is None else given.parsers()
    findings.errors += _errors(train, parsers, any_parser=given is None)
    for name, layers in (("train", train), ("dev", dev)):
        if layers is not None:
            findings.warnings += _warnings(name, layers)
    if dev is not None:
        findings.warnings += _differences(train, dev)
    for parser in parsers:
        if parser.uses_tags and train.corpus.words and not train.corpus.tags:
            findings.warnings.append(
                f"{parser.name} has use_pos = true, but train has no tags to learn a tagger from"
            )
    if given is not None and given.saved is None:  # a saved pipeline has learned already
        _judge_components(given, train, findings)
    return findings


def _errors(train: Layers, parsers: list[Parser], *, any_parser: bool) -> list[str]:
    """any_parser: there is no config, so the corpus may be for any parser."""
    if not train.corpus.words:
        return ["train has no words"]
    errors = [
        f"train has no {'trees' if parser.trees else 'dependencies'}, which {parser.name} learns "
        "from"
        for parser in parsers
        if not (train.trees.trees if parser.trees else train.has_heads)
    ]
    if train.has_heads and not train.dependencies.learnable:
        errors.append("train has no sentence whose dependencies can be learned from")
    elif train.has_heads and not train.dependencies.labels:
        errors.append("train has no labels: every word with a head is a root")
    elif any_parser and not (train.has_heads or train.trees.trees):
        errors.append("train has no dependencies and no trees")
    return errors


def _warnings(name: str, layers: Layers) -> list[str]:
    corpus, dependencies, trees = layers.corpus, layers.dependencies, layers.trees.to_dict()
    partial = dependencies.partial
    placed = [
        (f"sentences are skipped in training: {reason}", places)
        for reason, places in dependencies.unreachable.items()
    ]
    placed.append(("sentences have heads for some words only", partial))
    placed += [(text, trees[key]) for key, text in TREE_FAULTS.items()]
    counted = {
        "sentences have no heads": dependencies.unannotated if dependencies.complete else 0,
        "words have no tag": corpus.words_without_tag if corpus.tags else 0,
        "docs have no sentence starts and count as one sentence each": (
            corpus.docs_without_sentence_starts
        ),
        "docs are empty": corpus.empty_docs,
    }
    found = [f"{len(places)} {text}{_at(places)}" for text, places in placed if places]
    found += [f"{count} {text}" for text, count in counted.items() if count]
    longest = max(corpus.sentence_lengths, default=0)
    if longest >= LONG:
        place = corpus.longest_sentence
        found.append(f"the longest sentence has {longest} words ({place}): are sentences missing?")
    return [f"{name}: {text}" for text in found]


def _differences(train: Layers, dev: Layers) -> list[str]:
    found = [] if dev.corpus.words else ["dev has no words"]
    for layer, new in labels_only_in_dev(train, dev).items():
        if new:
            listed = ", ".join(f"{label} ({n})" for label, n in new.items())
            found.append(f"{layer} in dev that train does not have: {listed}")
    if train.dependencies.labels and not dev.dependencies.labels:
        found.append("dev has no dependencies: every score of them will be missing")
    if train.trees.trees and not dev.trees.trees:
        found.append("dev has no trees, train has")
    return found


def labels_only_in_dev(train: Layers, dev: Layers) -> dict[str, dict[str, int]]:
    """Dependency labels, bracket labels and tags of dev that train lacks, with their counts."""
    return {
        layer: {label: n for label, n in of_dev.most_common() if label not in train.labels[layer]}
        for layer, of_dev in dev.labels.items()
        if train.labels[layer]
    }


def _judge_components(given: GivenConfig, train: Layers, findings: Findings) -> None:
    """Add the annotation that spaCy's components of a config learn from and train lacks."""
    words = train.corpus.words
    frozen = given.content.get("training", {}).get("frozen_components", [])
    for name, section in given.components.items():
        if section["factory"] not in LAYERS or name in frozen or not words:
            continue
        layer, attributes, count = LAYERS[section["factory"]]
        missing = getattr(train.corpus, count)
        if missing == words:
            findings.errors.append(
                f"train has no {layer} ({attributes}), which {name} learns from: convert a "
                f"treebank that has them, or train without {name}"
            )
        elif missing and layer != "tags":  # words without tags are warned of for every config
            findings.warnings.append(
                f"train: {missing} of {words} words have no {layer}, which {name} learns from"
            )


def report(train: Layers, dev: Layers | None, findings: Findings) -> dict[str, Any]:
    """Everything, fit for JSON."""
    result: dict[str, Any] = {"train": train.to_dict()}
    if dev is not None:
        new_words = unknown_words(train.corpus.word_counts, dev.corpus.word_counts)
        new_labels = labels_only_in_dev(train, dev)
        result["dev"] = {
            **dev.to_dict(),
            "unknown_words": new_words,
            "labels_train_does_not_have": new_labels,
        }
    return {**result, "errors": findings.errors, "warnings": findings.warnings}


def _at(places: list[str]) -> str:
    more = f"; and {len(places) - N_PLACES} more" if len(places) > N_PLACES else ""
    return f" ({'; '.join(places[:N_PLACES])}{more})"

"""Faults of corpora: errors, which make training impossible, and warnings.

They are found in the statistics of `debug_statistics.corpus_statistics`.
"""

from collections.abc import Iterator
from typing import Any

from .debug_config import GivenConfig, Parser

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
Statistics = dict[str, Any]


def find_faults(statistics: Statistics, given: GivenConfig | None) -> tuple[list[str], list[str]]:
    """Find the errors and the warnings for the parsers of a config, or for any parser."""
    train = statistics["train"]
    parsers = [] if given is None else given.parsers()
    errors = list(_errors(train, parsers, any_parser=given is None))
    warnings = [
        f"{name}: {text}" for name, corpus in statistics.items() for text in _warnings(corpus)
    ]
    if "dev" in statistics:
        warnings += _differences(train, statistics["dev"])
    warnings += [
        f"{parser.name} has use_pos = true, but train has no tags to learn a tagger from"
        for parser in parsers
        if parser.uses_tags and train["corpus"]["words"] and not train["corpus"]["tags"]
    ]
    if given is not None and given.saved is None:  # a saved pipeline has learned already
        _judge_components(given, train["corpus"], errors, warnings)
    return errors, warnings


def _errors(train: Statistics, parsers: list[Parser], *, any_parser: bool) -> Iterator[str]:
    """any_parser: there is no config, so the corpus may be for any parser."""
    if not train["corpus"]["words"]:
        yield "train has no words"
        return
    dependencies, trees = train["dependencies"], train["trees"]["trees"]
    heads = dependencies["complete_sentences"] or dependencies["partial_sentences"]
    for parser in parsers:
        if not (trees if parser.trees else heads):
            layer = "trees" if parser.trees else "dependencies"
            yield f"train has no {layer}, which {parser.name} learns from"
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
        place = corpus["longest_sentence"]
        yield f"the longest sentence has {longest} words ({place}): are sentences missing?"


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


def _judge_components(
    given: GivenConfig, corpus: Statistics, errors: list[str], warnings: list[str]
) -> None:
    """Add the annotation that spaCy's components of a config learn from and train lacks."""
    words = corpus["words"]
    frozen = given.content.get("training", {}).get("frozen_components", [])
    for name, section in given.components.items():
        if section["factory"] not in LAYERS or name in frozen or not words:
            continue
        layer, attributes, count = LAYERS[section["factory"]]
        missing = corpus[count]
        if missing == words:
            errors.append(
                f"train has no {layer} ({attributes}), which {name} learns from: convert a "
                f"treebank that has them, or train without {name}"
            )
        elif missing and layer != "tags":  # words without tags are warned of for every config
            warnings.append(
                f"train: {missing} of {words} words have no {layer}, which {name} learns from"
            )

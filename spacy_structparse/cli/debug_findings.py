"""Counts of the annotation of corpora, as parsers learn from it, and the faults in them.

Errors make training impossible; warnings are of doubtful annotation.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.pipeline._parser_internals import nonproj
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import load_config

from ..brackets import Bracket, nesting_depth
from ..corpora.docbins import read_docs
from ..corpora.pipeline_outputs import HEADS, TREES
from ..errors import ActionError, TreeError
from ..extensions.multiword import MULTIWORD
from ..pipeline.gold_dependencies import GoldSentence, gold_sentences, tree_problem
from ..transitions.dependency.partial_oracle import check_known_arcs
from ..trees import get_brackets
from ..trees.words import sentences_of, words_of

# The places of labels, and their names in messages.
LABELS = {
    ("dependencies", "labels"): "dependency labels",
    ("trees", "labels"): "bracket labels",
    ("corpus", "tags"): "tags",
}
QUANTILES = {"shortest": 0.0, "median": 0.5, "90 %": 0.9, "99 %": 0.99, "longest": 1.0}
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
# Of a corpus. Words are tokens but whitespace; morphology is a part of speech or features.
COUNTS = """
    docs empty_docs docs_without_sentence_starts words whitespace_tokens multiword_tokens
    words_without_tag words_without_pos words_without_morphology words_without_lemma
""".split()
TREE_FAULTS = {
    "unreadable": "docs have trees that cannot be read",
    "across_sentences": "sentences begin a bracket that goes on in the next sentence",
    "words_outside": "sentences have words outside of their tree",
    "only_dependencies": "sentences have dependencies but no tree",
    "only_trees": "sentences have a tree but no dependencies",
}
Learners = dict[str, tuple[str, Mapping[str, Any]]]
"""By the name of a component, the annotation that it learns from, in words, and its section."""
Statistics = dict[str, Any]


def read_learners(path: Path) -> Learners:
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
    learners = {}
    for name in config.get("nlp", {}).get("pipeline", []):
        section = config.get("components", {}).get(name, {})
        factory = section.get("factory", "")  # a sourced component has learned already
        if name in frozen or not Language.has_factory(factory):
            continue
        assigns = Language.get_factory_meta(factory).assigns
        layers = {TREES: "trees", HEADS: "dependencies"}
        learned = next((layers[key] for key in layers if key in assigns), LAYERS.get(factory))
        if learned is not None:
            learners[name] = learned, section
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
    unknown = [n for word, n in words_of_dev.items() if word not in words]
    of_dev["unknown_words"] = {
        "tokens": sum(unknown) / max(1, words_of_dev.total()),
        "types": len(unknown) / max(1, len(words_of_dev)),
    }
    of_dev["labels_train_does_not_have"] = new_labels
    return {"train": statistics, "dev": of_dev}


def _count(path: Path, spans_key: str) -> tuple[Statistics, Counter[str]]:
    """The statistics of a corpus by the layer, and its words. Places are texts that name a
    sentence."""
    words: Counter[str] = Counter()
    corpus: Statistics = dict.fromkeys(COUNTS, 0) | {"tags": Counter()}
    dependencies: Statistics = {
        "complete_sentences": 0,
        "partial_sentences": [],
        "unannotated_sentences": 0,
        "labels": Counter(),  # without the roots'
        "nonprojective_sentences": 0,
        "nonprojective_arcs": 0,
        "unreachable": {},  # places by the reason why the parser skips the sentence
    }
    trees: Statistics = {
        "trees": 0,
        "labels": Counter(),
        "unary_chains": Counter(),  # brackets over the same words, outermost first: "S > VP"
        "depths": [],  # brackets on the longest path down
        **{fault: [] for fault in TREE_FAULTS},
    }
    lengths: dict[str, int] = {}  # of sentences, by place
    for number, doc in enumerate(read_docs(path, spacy.blank("xx").vocab)):
        words.update(token.text for token in words_of(doc))
        _count_words(corpus, doc)
        _count_arcs(dependencies, doc, number)
        _count_trees(trees, doc, number, spans_key)
        for sent in sentences_of(doc):
            lengths[_place(number, sent)] = len(words_of(sent))
    corpus |= {
        "longest_sentence": max(lengths, key=lengths.__getitem__, default=""),
        "sentences": len(lengths),
        "word_types": len(words),
        "words_seen_once": sum(n == 1 for n in words.values()),
        "sentence_lengths": _quantiles([*lengths.values()]),
        "tags": _by_number(corpus.pop("tags")),
    }
    with_heads = dependencies["complete_sentences"] + len(dependencies["partial_sentences"])
    skipped = sum(map(len, dependencies["unreachable"].values()))
    dependencies["labels"] = _by_number(dependencies["labels"])
    dependencies["learnable_sentences"] = with_heads - skipped
    for key in ("labels", "unary_chains"):
        trees[key] = _by_number(trees[key])
    trees["depths"] = _quantiles(trees["depths"])
    if trees["trees"] == len(trees["only_trees"]):  # the corpus has one layer alone
        trees["only_dependencies"] = trees["only_trees"] = []
    return {"corpus": corpus, "dependencies": dependencies, "trees": trees}, words


def _count_words(corpus: Statistics, doc: Doc) -> None:
    words = words_of(doc)
    corpus["docs"] += 1
    corpus["empty_docs"] += not len(doc)
    corpus["docs_without_sentence_starts"] += len(doc) > 0 and not doc.has_annotation("SENT_START")
    corpus["words"] += len(words)
    corpus["whitespace_tokens"] += len(doc) - len(words)
    corpus["multiword_tokens"] += len(doc.spans.get(MULTIWORD, ()))
    corpus["words_without_tag"] += sum(not token.tag for token in words)
    corpus["words_without_pos"] += sum(not token.pos for token in words)
    corpus["words_without_morphology"] += sum(
        not token.pos and not token.has_morph() for token in words
    )
    corpus["words_without_lemma"] += sum(not token.lemma for token in words)
    corpus["tags"].update(token.tag_ for token in words if token.tag)


def _count_arcs(dependencies: Statistics, doc: Doc, number: int) -> None:
    for gold in gold_sentences([Example(doc, doc)]):
        first, last = gold.sentence.tokens[[0, -1]].tolist()
        where = _place(number, doc[first : last + 1])
        if not any(head >= 0 for head in gold.heads):
            dependencies["unannotated_sentences"] += 1
            continue
        if gold.is_complete:
            dependencies["complete_sentences"] += 1
        else:
            dependencies["partial_sentences"].append(where)
        dependencies["labels"].update(gold.arc_labels)
        if reason := _problem(gold):
            dependencies["unreachable"].setdefault(reason, []).append(where)
        elif gold.is_complete:
            crossing = sum(nonproj.is_nonproj_arc(i, gold.heads) for i in range(len(gold.heads)))
            dependencies["nonprojective_sentences"] += crossing > 0
            dependencies["nonprojective_arcs"] += crossing


def _count_trees(trees: Statistics, doc: Doc, number: int, spans_key: str) -> None:
    try:
        brackets = get_brackets(doc, spans_key) or []
    except TreeError as error:
        trees["unreadable"].append(f"doc {number}: {error}")
        return
    trees["labels"].update(label for label, _, _ in brackets)
    for _, same in groupby(brackets, key=lambda bracket: bracket[1:]):
        chain = [label for label, _, _ in same]
        if len(chain) > 1:
            trees["unary_chains"][" > ".join(chain)] += 1
    at = 0  # brackets are in pre-order: sentence after sentence
    for sent in sentences_of(doc):
        first = at
        while at < len(brackets) and brackets[at].start < sent.end:
            at += 1
        _count_tree(trees, sent, brackets[first:at], _place(number, sent))


def _count_tree(trees: Statistics, sent: Span, brackets: list[Bracket], where: str) -> None:
    has_dependencies = any(token.dep for token in sent)
    if not brackets:
        if has_dependencies:
            trees["only_dependencies"].append(where)
        return
    trees["trees"] += 1
    if not has_dependencies:
        trees["only_trees"].append(where)
    trees["depths"].append(nesting_depth(brackets))
    if max(end for _, _, end in brackets) > sent.end:
        trees["across_sentences"].append(where)
    covered = {place for _, start, end in brackets for place in range(start, end)}
    if not covered.issuperset(token.i for token in words_of(sent)):
        trees["words_outside"].append(where)


def _place(doc: int, sentence: Span) -> str:
    """Name a sentence: the index of its Doc and of its first and last word."""
    words = words_of(sentence)
    return f"doc {doc}, tokens {words[0].i} to {words[-1].i}"


def _by_number(counts: Counter[str]) -> dict[str, int]:
    return dict(counts.most_common())


def _quantiles(lengths: Sequence[int]) -> dict[str, int]:
    """Shortest, median, 90 %, 99 % and longest; empty for no lengths."""
    if not lengths:
        return {}
    values = np.quantile(lengths, list(QUANTILES.values()), method="inverted_cdf")
    return {name: int(value) for name, value in zip(QUANTILES, values, strict=True)}


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


def find_faults(statistics: Statistics, learners: Learners | None) -> tuple[list[str], list[str]]:
    """Find the errors and the warnings for what a config trains, or for any parser for None."""
    train = statistics["train"]
    errors = list(_errors(train, learners or {}, any_parser=learners is None))
    warnings = [
        f"{name}: {text}" for name, corpus in statistics.items() for text in _warnings(corpus)
    ]
    if "dev" in statistics:
        warnings += _differences(train, statistics["dev"])
    if train["corpus"]["words"] and not train["corpus"]["tags"]:
        warnings += [
            f"{name} has use_pos = true, but train has no tags to learn a tagger from"
            for name, (_, section) in (learners or {}).items()
            if _has(section, "use_pos", True)
        ]
    return errors, warnings


def _errors(train: Statistics, learners: Learners, *, any_parser: bool) -> Iterator[str]:
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
    for name, (layer, _) in learners.items():
        if not present[layer]:
            yield f"train has no {layer}, which {name} learns from"
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

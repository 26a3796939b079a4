"""Faults of a corpus: errors, which make training impossible, and warnings."""

from dataclasses import dataclass, field
from typing import Any

from ..corpora.statistics import CorpusStatistics, TreeStatistics, unknown_words
from .dependency_statistics import DependencyStatistics
from .parser_settings import GivenConfig, ParserSettings

RARE = 10  # labels seen less often are pointed out
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


@dataclass
class Layers:
    """The statistics of one corpus."""

    corpus: CorpusStatistics = field(default_factory=CorpusStatistics)
    dependencies: DependencyStatistics = field(default_factory=DependencyStatistics)
    trees: TreeStatistics = field(default_factory=TreeStatistics)

    def to_dict(self) -> dict[str, Any]:
        """All counts and places, fit for JSON."""
        return {
            "corpus": self.corpus.to_dict(),
            "dependencies": self.dependencies.to_dict(),
            "trees": self.trees.to_dict(),
        }


@dataclass
class Findings:
    """errors: reasons why training is impossible. warnings: doubtful annotation."""

    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def judge(train: Layers, dev: Layers | None, parsers: list[ParserSettings] | None) -> Findings:
    """Judge a training and a development corpus for the parsers of a config, if there is one."""
    findings = Findings()
    if parsers is None and not (_has_heads(train) or train.trees.trees) and train.corpus.words:
        findings.errors.append("train has no dependencies and no trees")
    parsers = parsers or []
    _judge_train(train, parsers, findings)
    for name, layers in (("train", train), ("dev", dev)):
        if layers is not None:
            _judge_layers(name, layers, findings)
    if dev is not None:
        _judge_dev(train, dev, findings)
    for parser in parsers:
        _judge_parser(parser, train, dev, findings)
    return findings


def _judge_train(train: Layers, parsers: list[ParserSettings], findings: Findings) -> None:
    dependencies, annotated = train.dependencies, _has_heads(train)
    of_dependencies = [parser for parser in parsers if parser.learns == "dependencies"]
    of_trees = [parser for parser in parsers if parser.learns == "trees"]
    if of_trees and train.corpus.words and not train.trees.trees:
        findings.errors.append(f"train has no trees, which {of_trees[0].name} learns from")
    if not train.corpus.words:
        findings.errors.append("train has no words")
    elif not annotated and of_dependencies:
        findings.errors.append(
            f"train has no dependencies, which {of_dependencies[0].name} learns from"
        )
    elif annotated and not dependencies.learnable:
        findings.errors.append("train has no sentence whose dependencies can be learned from")
    elif annotated and not dependencies.labels:
        findings.errors.append("train has no labels: every word with a head is a root")


def _has_heads(layers: Layers) -> bool:
    return bool(layers.dependencies.complete or layers.dependencies.partial)


def _judge_layers(name: str, layers: Layers, findings: Findings) -> None:
    corpus, dependencies, trees = layers.corpus, layers.dependencies, layers.trees.to_dict()
    warn = findings.warnings.append
    for reason, places in dependencies.unreachable.items():
        warn(f"{name}: {len(places)} sentences are skipped in training: {reason}{_at(places)}")
    if dependencies.partial:
        warn(
            f"{name}: {len(dependencies.partial)} sentences have heads for some words only"
            f"{_at(dependencies.partial)}"
        )
    if dependencies.unannotated and dependencies.complete:
        warn(f"{name}: {dependencies.unannotated} sentences have no heads")
    if corpus.words_without_tag and corpus.tags:
        warn(f"{name}: {corpus.words_without_tag} words have no tag")
    if corpus.docs_without_sentence_starts:
        warn(
            f"{name}: {corpus.docs_without_sentence_starts} docs have no sentence starts and count "
            "as one sentence each"
        )
    if corpus.empty_docs:
        warn(f"{name}: {corpus.empty_docs} docs are empty")
    if max(corpus.sentence_lengths, default=0) >= LONG:
        warn(
            f"{name}: the longest sentence has {max(corpus.sentence_lengths)} words "
            f"({corpus.longest_sentence}): are sentences missing?"
        )
    for key, text in (
        ("unreadable", "docs have trees that cannot be read"),
        ("across_sentences", "sentences begin a bracket that goes on in the next sentence"),
        ("words_outside", "sentences have words outside of their tree"),
        ("only_dependencies", "sentences have dependencies but no tree"),
        ("only_trees", "sentences have a tree but no dependencies"),
    ):
        if trees[key]:
            warn(f"{name}: {len(trees[key])} {text}{_at(trees[key])}")


def _judge_dev(train: Layers, dev: Layers, findings: Findings) -> None:
    if not dev.corpus.words:
        findings.warnings.append("dev has no words")
    for what, new in labels_only_in_dev(train, dev).items():
        if new:
            listed = ", ".join(f"{label} ({n})" for label, n in new.items())
            findings.warnings.append(f"{what} in dev that train does not have: {listed}")
    if train.dependencies.labels and not dev.dependencies.labels:
        findings.warnings.append("dev has no dependencies: every score of them will be missing")
    if train.trees.trees and not dev.trees.trees:
        findings.warnings.append("dev has no trees, train has")


def _judge_parser(
    parser: ParserSettings, train: Layers, dev: Layers | None, findings: Findings
) -> None:
    if parser.uses_tags and train.corpus.words and not train.corpus.tags:
        findings.warnings.append(
            f"{parser.name} has use_pos = true, but train has no tags to learn a tagger from"
        )
    if parser.learns == "trees":
        return
    if parser.labels is None:
        return
    known = {label for label in parser.labels if "||" not in label}
    for name, layers in (("train", train), ("dev", dev)):
        unknown = sorted(set(layers.dependencies.labels) - known) if layers else []
        if unknown:
            findings.warnings.append(
                f"{name} has labels that {parser.name} does not know ({parser.labels_from}): "
                f"{', '.join(unknown)}"
            )
    unused = sorted(known - set(train.dependencies.labels))
    if unused:
        findings.warnings.append(
            f"{parser.name} knows labels that train does not have ({parser.labels_from}): "
            f"{', '.join(unused)}"
        )


def labels_only_in_dev(train: Layers, dev: Layers) -> dict[str, dict[str, int]]:
    """Dependency labels, bracket labels and tags of dev that train lacks, with their counts."""
    pairs = {
        "dependency labels": (train.dependencies.labels, dev.dependencies.labels),
        "bracket labels": (train.trees.labels, dev.trees.labels),
        "tags": (train.corpus.tags, dev.corpus.tags),
    }
    return {
        what: {key: n for key, n in of_dev.most_common() if of_train and key not in of_train}
        for what, (of_train, of_dev) in pairs.items()
    }


def judge_components(given: GivenConfig, train: CorpusStatistics, findings: Findings) -> None:
    """Add the annotation that spaCy's components of a config learn from and train lacks."""
    path, config = given.path, given.content
    pipeline, components = config.get("nlp", {}).get("pipeline", []), config.get("components", {})
    if not pipeline:
        findings.errors.append(f"{path} has no components: name them in [nlp] pipeline")
    for name in pipeline:
        if name not in components:
            findings.errors.append(
                f"{path} has no section [components.{name}] for the {name} of [nlp] pipeline"
            )
    frozen = config.get("training", {}).get("frozen_components", [])
    for name in pipeline:
        factory = components.get(name, {}).get("factory", "")  # none has a source: it has learned
        if factory not in LAYERS or name in frozen or not train.words:
            continue
        layer, attributes, count = LAYERS[factory]
        missing = getattr(train, count)
        if missing == train.words:
            findings.errors.append(
                f"train has no {layer} ({attributes}), which {name} learns from: convert a "
                f"treebank that has them, or train without {name}"
            )
        elif missing and layer != "tags":  # words without tags are warned of for every config
            findings.warnings.append(
                f"train: {missing} of {train.words} words have no {layer}, which {name} learns from"
            )


def report(train: Layers, dev: Layers | None, findings: Findings) -> dict[str, Any]:
    """Everything, fit for JSON."""
    result: dict[str, Any] = {"train": train.to_dict()}
    if dev is not None:
        result["dev"] = dev.to_dict()
        result["dev"]["unknown_words"] = unknown_words(
            train.corpus.word_counts, dev.corpus.word_counts
        )
        result["dev"]["labels_train_does_not_have"] = labels_only_in_dev(train, dev)
    return {**result, "errors": findings.errors, "warnings": findings.warnings}


def _at(places: list[str]) -> str:
    more = f"; and {len(places) - N_PLACES} more" if len(places) > N_PLACES else ""
    return f" ({'; '.join(places[:N_PLACES])}{more})"

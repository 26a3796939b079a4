"""What the second reading of ``spa_dep`` costs, and whether what it parses are trees.

For each pipeline: sentences/s through ``nlp.pipe`` over test, on one thread, and the ratio of its
time to the first's, the pipelines taking turns; words/s in training; peak memory of a process that
parses one sentence of 1,000 words, and of one that learns from it too; and how many sentences of
the ``--trees`` files get no tree with one root, as trained and with new random weights.

    python benchmarks/rescan.py corpus/craft --name craft \\
        --trees corpus/craft/test.spacy --trees corpus/ewt/test.spacy \\
        --pipeline none=DIR --pipeline bot=DIR
"""

import statistics
from pathlib import Path
from typing import Annotated, Any

import spacy
import torch
import typer
from record import write_results
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import fix_random_seed
from timing import (
    first_tokens,
    only_parsers,
    peak_memory,
    prebuilt,
    print_peak_memory,
    seconds_in_turns,
    seconds_to_parse,
    training_speed,
)

from spacy_structparse.corpora.reader import create_corpus_reader

PARSER = "spa_dep"
FOR_LABELS = 500
"""Sentences from which a parser with random weights takes its vocabulary and labels."""


def long_example(nlp: Language, path: Path) -> Example:
    """The first 1,000 words of a split as one sentence, in which every word depends on the one
    before it."""
    tokens = first_tokens(nlp, path)
    words, tags = [token.text for token in tokens], [token.tag_ for token in tokens]
    heads = [max(0, i - 1) for i in range(len(tokens))]
    labels = ["ROOT", *("dep" if t.dep_ == "ROOT" else t.dep_ for t in tokens[1:])]
    reference = Doc(nlp.vocab, words=words, tags=tags, heads=heads, deps=labels)
    return Example(Doc(nlp.vocab, words=words, tags=tags), reference)


def untrained(nlp: Language, path: Path) -> Language:
    """The parser of a pipeline with new random weights."""
    fix_random_seed(0)
    config = {k: v for k, v in nlp.get_pipe_config(PARSER).items() if k != "factory"}
    new = spacy.blank(nlp.config["nlp"]["lang"])
    new.add_pipe(PARSER, config=config)
    reader = create_corpus_reader(path, gold_preproc=True, limit=FOR_LABELS, tags=path)
    new.initialize(lambda: list(reader(new)))
    return new


def no_trees(nlp: Language, paths: list[Path]) -> int:
    """How many sentences get no tree with one root over all their words."""
    bad = 0
    for path in paths:
        docs = prebuilt(nlp, path)
        with only_parsers(nlp):
            for doc in nlp.pipe(docs, batch_size=256):
                roots = [token for token in doc if token.head.i == token.i and not token.is_space]
                covered = roots[0].subtree if roots else ()
                bad += len(roots) != 1 or len(list(covered)) != len(doc)
    return bad


def main(
    corpus: Annotated[Path, typer.Argument(help="Folder of train and test .spacy files")],
    name: Annotated[str, typer.Option(help="Name of the result")],
    pipeline: Annotated[list[str], typer.Option(help="NAME=TRAINED_PIPELINE, as often as needed")],
    trees: Annotated[list[Path] | None, typer.Option(help="Files whose parses are checked")] = None,
    batch_size: int = 256,
    runs: int = 3,
    batch_words: int = 800,
    train_seconds: float = 40.0,
    memory_only: bool = False,
    update: Annotated[bool, typer.Option(help="With --memory-only: learn too")] = False,
) -> None:
    """Measure."""
    torch.set_num_threads(1)
    paths = dict(item.split("=", 1) for item in pipeline)
    test = corpus / "test.spacy"
    if memory_only:
        nlp = spacy.load(next(iter(paths.values())))
        example = long_example(nlp, test)
        with only_parsers(nlp):
            if update:
                nlp.update([example], sgd=nlp.resume_training(), drop=0.3)
            else:
                list(nlp.pipe([example.predicted]))
        print_peak_memory()
        return
    pipelines = {label: spacy.load(path) for label, path in paths.items()}
    n = sum(1 for _ in DocBin().from_disk(test).get_docs(spacy.blank("en").vocab))
    for nlp in pipelines.values():
        seconds_to_parse(nlp, test, batch_size, 512)  # the first batches compile kernels
    seconds = seconds_in_turns(pipelines, test, batch_size, runs)
    first = next(iter(pipelines))
    figures: dict[str, Any] = {}
    for label, nlp in pipelines.items():
        ratios = [b / a for a, b in zip(seconds[first], seconds[label], strict=True)]
        checked = trees or []
        figures[label] = {
            "sentences_per_second": round(n / statistics.median(seconds[label]), 1),
            f"time_over_{first}": round(statistics.median(ratios), 2),
            "batch_size": batch_size,
            "no_trees": no_trees(nlp, checked),
            "no_trees_untrained": no_trees(untrained(nlp, corpus / "train.spacy"), checked),
            "peak_memory_gb_1000_words": peak_memory(__file__, corpus, paths[label]),
            "peak_memory_gb_1000_words_update": peak_memory(
                __file__, corpus, paths[label], "--update"
            ),
            "training": training_speed(nlp, corpus / "train.spacy", batch_words, train_seconds),
        }
        print(label, figures[label], flush=True)
    checked_sentences = sum(len(DocBin().from_disk(path)) for path in trees or [])
    figures = {"checked_sentences": checked_sentences, "pipelines": figures}
    print(write_results(f"rescan-{name}", 0, figures))


if __name__ == "__main__":
    typer.run(main)

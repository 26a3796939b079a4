"""Cost of the second pass of ``spa_dep`` over the sentence, and whether its parses are trees.

    python -m benchmarks.second_pass corpus/craft --name craft \\
        --trees corpus/craft/test.spacy --trees corpus/ewt/test.spacy \\
        --pipeline none=DIR --pipeline bot=DIR

For each pipeline, on one thread: sentences/s through ``nlp.pipe`` over test, the pipelines taking
turns, and its time over that of the first one; words/s in training; peak memory of a process that
parses one sentence of 1,000 words, and of one that learns from it; and how many sentences of the
``--trees`` files get no tree with one root, as trained and with new random weights.
"""

from pathlib import Path
from typing import Annotated

import spacy
import torch
import typer
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_structparse.corpora.reader import create_corpus_reader

from .options import Corpus, Name, Pipelines, named_values
from .record import Figures, write_result
from .timing import (
    docs_of,
    first_tokens,
    only_parsers,
    parse_long_sentence,
    parsing_times,
    peak_memory,
    training_speed,
)

PARSER = "spa_dep"
FOR_LABELS = 500
"""Sentences from which a parser with random weights takes its vocabulary and labels."""


def learn_long_sentence(pipeline: str, path: Path) -> None:
    """Load a pipeline and update it on the first 1,000 words of a split as one sentence, in which
    every word depends on the one before it."""
    nlp = spacy.load(pipeline)
    tokens = first_tokens(nlp, path)
    words, tags = [token.text for token in tokens], [token.tag_ for token in tokens]
    heads = [max(0, i - 1) for i in range(len(tokens))]
    labels = ["ROOT", *("dep" if t.dep_ == "ROOT" else t.dep_ for t in tokens[1:])]
    reference = Doc(nlp.vocab, words=words, tags=tags, heads=heads, deps=labels)
    example = Example(Doc(nlp.vocab, words=words, tags=tags), reference)
    with only_parsers(nlp):
        nlp.update([example], sgd=nlp.resume_training(), drop=0.3)


def untrained(nlp: Language, path: Path) -> Language:
    """The parser of a pipeline with new random weights."""
    fix_random_seed(0)
    config = {k: v for k, v in nlp.get_pipe_config(PARSER).items() if k != "factory"}
    new = spacy.blank(nlp.config["nlp"]["lang"])
    new.add_pipe(PARSER, config=config)
    reader = create_corpus_reader(path, gold_preproc=True, limit=FOR_LABELS, tags=path)
    new.initialize(lambda: list(reader(new)))
    return new


def count_non_trees(nlp: Language, paths: list[Path]) -> int:
    """The number of sentences that get no tree with one root over all their words."""
    bad = 0
    for path in paths:
        docs = docs_of(nlp, path)
        with only_parsers(nlp):
            for doc in nlp.pipe(docs, batch_size=256):
                roots = [token for token in doc if token.head.i == token.i and not token.is_space]
                covered = roots[0].subtree if roots else ()
                bad += len(roots) != 1 or len(list(covered)) != len(doc)
    return bad


def main(
    corpus: Corpus,
    name: Name,
    pipelines: Pipelines,
    trees: Annotated[list[Path] | None, typer.Option(help="Files whose parses are checked")] = None,
    batch_size: int = 256,
    runs: int = 3,
    batch_words: int = 800,
    train_seconds: float = 40.0,
) -> None:
    """Measure; ratios are to the first pipeline."""
    torch.set_num_threads(1)
    paths = named_values("--pipeline", pipelines)
    test, train, checked = corpus / "test.spacy", corpus / "train.spacy", trees or []
    loaded = {label: spacy.load(path) for label, path in paths.items()}
    n = len(DocBin().from_disk(test))
    times = parsing_times(loaded, test, batch_size, runs)
    first = next(iter(loaded))
    figures: Figures = {}
    for label, nlp in loaded.items():
        figures[label] = {
            "sentences_per_second": round(n / times[label].median, 1),
            f"time_over_{first}": round(1 / times[label].speed_over_first, 2),
            "batch_size": batch_size,
            "no_trees": count_non_trees(nlp, checked),
            "no_trees_untrained": count_non_trees(untrained(nlp, train), checked),
            "peak_memory_gb_1000_words": peak_memory(parse_long_sentence, paths[label], test),
            "peak_memory_gb_1000_words_update": peak_memory(
                learn_long_sentence, paths[label], test
            ),
            "training": training_speed(nlp, train, batch_words, train_seconds),
        }
        print(label, figures[label], flush=True)
    checked_sentences = sum(len(DocBin().from_disk(path)) for path in checked)
    write_result(
        f"second_pass-{name}", 0, {"checked_sentences": checked_sentences, "pipelines": figures}
    )


if __name__ == "__main__":
    typer.run(main)

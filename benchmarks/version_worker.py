"""One version of the package at work for :mod:`benchmarks.version_speed`.

It runs in the environment of the version, as a script, and imports nothing but spaCy. Requests come
on standard input, a line each with tabs between the values: ``load``, pipeline, corpus and words to
parse; ``parse``; ``train`` and a number of updates. Each is answered with the seconds of processor
time that it took.
"""

import random
import sys
import time
from itertools import cycle, islice
from pathlib import Path

import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.training.batchers import minibatch_by_words
from spacy.util import fix_random_seed


class Work:
    """A pipeline, the docs that it parses and the batches that it is trained on."""

    def __init__(self, path: Path, corpus: Path, parse_words: int, batch_words: int) -> None:
        self.nlp = spacy.load(path)
        docs = list(DocBin().from_disk(corpus).get_docs(self.nlp.vocab))
        random.Random(0).shuffle(docs)
        examples = [Example(without_annotation(self.nlp, doc), doc) for doc in docs]
        self.batches = cycle(list(islice(minibatch_by_words(examples, batch_words), 40)))
        self.docs = first_words(docs, parse_words)
        self.optimizer = self.nlp.resume_training()
        self.drop = self.nlp.config["training"]["dropout"]

    def parse(self) -> float:
        """Seconds to parse the docs."""
        docs = [without_annotation(self.nlp, doc) for doc in self.docs]
        start = time.process_time()
        for _ in self.nlp.pipe(docs, batch_size=256):
            pass
        return time.process_time() - start

    def train(self, updates: int) -> float:
        """Seconds for some updates."""
        fix_random_seed(0)
        batches = list(islice(self.batches, updates))
        start = time.process_time()
        for batch in batches:
            self.nlp.update(batch, sgd=self.optimizer, drop=self.drop)
        return time.process_time() - start


def without_annotation(nlp: Language, doc: Doc) -> Doc:
    """The words and tags of a doc alone."""
    return Doc(
        nlp.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        tags=[token.tag_ for token in doc],
    )


def first_words(docs: list[Doc], n_words: int) -> list[Doc]:
    """The first docs, until they have so many words."""
    found = []
    for doc in docs:
        if n_words <= 0:
            break
        found.append(doc)
        n_words -= len(doc)
    return found


def main() -> None:
    """Answer requests until standard input ends."""
    torch.set_num_threads(1)
    answers, sys.stdout = sys.stdout, sys.stderr  # what libraries print must not mix with answers
    batch_words = int(sys.argv[1])
    work: Work | None = None
    for line in sys.stdin:
        request, *values = line.rstrip("\n").split("\t")
        seconds = 0.0
        if request == "load":
            path, corpus, parse_words = values
            work = Work(Path(path), Path(corpus), int(parse_words), batch_words)
        elif work is None:
            raise ValueError(f"'{request}' came before 'load'")
        else:
            seconds = work.parse() if request == "parse" else work.train(int(values[0]))
        print(seconds, file=answers, flush=True)


if __name__ == "__main__":
    main()

"""What parsers gain where something of the parse is known, and whether they keep it.

    python -m benchmarks.constraints corpus/ewt --name ewt \\
        --pipeline spa_dep=training/ewt/spa_dep/model-best

A tenth of what is gold is given at random: heads, labels, both, or brackets. The parse of the rest
is compared with that of the same pipeline to which nothing is given, on gold tokens and sentences.
Sentences whose constraints a parser refuses, as a projective one does with arcs that cross, count
in neither, and are listed.
"""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import spacy
import torch
import typer
from spacy.language import Language
from spacy.pipeline._parser_internals import nonproj
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_structparse.brackets import Bracket
from spacy_structparse.corpora.reader import create_corpus_reader
from spacy_structparse.errors import ConstraintError
from spacy_structparse.pipeline.dependency import DependencyPipe
from spacy_structparse.pipeline.seq2seq_constituency import Seq2SeqConstituencyParser
from spacy_structparse.trees.span_group import get_brackets

from .evaluation import gold_sentences
from .options import Corpus, Name, Pipelines, named_values
from .record import Figures, write_result

SHARE = 0.1
BATCH_SIZE = 256
CONSTRAINTS = "constituency_constraints"


@dataclass
class Parses:
    """The parses of a split.

    Attributes:
        docs: The parsed Docs by their place in the split.
        refused: The places of sentences whose constraints conflict.
        seconds: Time of the processor.
    """

    docs: dict[int, Doc] = field(default_factory=dict)
    refused: list[int] = field(default_factory=list)
    seconds: float = 0.0


def parse(nlp: Language, docs: Sequence[Doc]) -> Parses:
    """Parse Docs of a sentence each."""
    found = Parses()
    place_of = {id(doc): i for i, doc in enumerate(docs)}

    def refuse(name: str, pipe: Any, docs: list[Doc], error: Exception) -> Any:
        if not isinstance(error, ConstraintError):
            raise error
        found.refused.append(place_of[id(docs[0])])

    nlp.set_error_handler(refuse)
    start = time.process_time()
    with gold_sentences(nlp):
        for doc in nlp.pipe(docs, batch_size=BATCH_SIZE):
            found.docs[place_of[id(doc)]] = doc
    found.seconds = time.process_time() - start
    return found


def examples_of(nlp: Language, path: Path) -> list[Example]:
    """The gold docs of a split, a sentence each, beside docs that have their tokens."""
    return list(create_corpus_reader(path, gold_preproc=True)(nlp))


def words_to_give(gold: Doc, rng: random.Random) -> list[int]:
    """A tenth of the words, at random."""
    return [token.i for token in gold if not token.is_space and rng.random() < SHARE]


def measure_arcs(nlp: Language, path: Path, seed: int, kind: str) -> Figures:
    """Scores of the words of which nothing is given, with and without the constraints."""
    pipe = next(pipe for _, pipe in nlp.pipeline if isinstance(pipe, DependencyPipe))
    known_labels = {nonproj.decompose(label)[0] for label in pipe.labels} | {"ROOT", "root"}
    rng = random.Random(seed)
    examples = examples_of(nlp, path)
    given: list[list[int]] = []
    for example in examples:
        gold, doc = example.reference, example.predicted
        words = [i for i in words_to_give(gold, rng) if gold[i].dep_ in known_labels]
        for i in words:
            if "heads" in kind:
                doc[i]._.known_head = doc[gold[i].head.i]
            if "labels" in kind:
                doc[i]._.known_dep = gold[i].dep_
        given.append(words)
    constrained = parse(nlp, [eg.predicted for eg in examples])
    free = parse(nlp, [eg.predicted for eg in examples_of(nlp, path)])
    kept = n_given = n_rest = 0
    scores = {"uas_without": 0, "uas_with": 0, "las_without": 0, "las_with": 0}
    for place, doc in constrained.docs.items():
        gold, before = examples[place].reference, free.docs[place]
        for i in range(len(gold)):
            right_head, right_label = (
                [one[i].head.i == gold[i].head.i for one in (before, doc)],
                [one[i].dep_ == gold[i].dep_ for one in (before, doc)],
            )
            if i in given[place]:
                n_given += 1
                kept += (right_head[1] or "heads" not in kind) and (
                    right_label[1] or "labels" not in kind
                )
                continue
            n_rest += 1
            scores["uas_without"] += right_head[0]
            scores["uas_with"] += right_head[1]
            scores["las_without"] += right_head[0] and right_label[0]
            scores["las_with"] += right_head[1] and right_label[1]
    return _figures(constrained, free, n_given, kept, n_rest) | {
        name: round(100 * score / n_rest, 2) for name, score in scores.items()
    }


def measure_brackets(nlp: Language, path: Path, seed: int) -> Figures:
    """F1 of the brackets that are not given, with and without the constraints."""
    pipe = next(pipe for _, pipe in nlp.pipeline if isinstance(pipe, Seq2SeqConstituencyParser))
    rng = random.Random(seed)
    examples = examples_of(nlp, path)
    given: list[list[Bracket]] = []
    for example in examples:
        brackets = get_brackets(example.reference) or []
        chosen = [
            b for b in brackets if b.label in pipe.linearization.labels and rng.random() < SHARE
        ]
        doc = example.predicted
        if chosen:
            doc.spans[CONSTRAINTS] = [Span(doc, b.start, b.end, label=b.label) for b in chosen]
        given.append(chosen)
    constrained = parse(nlp, [eg.predicted for eg in examples])
    free = parse(nlp, [eg.predicted for eg in examples_of(nlp, path)])
    kept = n_given = n_rest = 0
    counts = {"without": [0, 0], "with": [0, 0]}  # right, found
    for place, doc in constrained.docs.items():
        known = set(given[place])
        gold = set(get_brackets(examples[place].reference) or []) - known
        n_rest += len(gold)
        n_given += len(known)
        kept += len(known & set(get_brackets(doc) or []))
        for name, one in (("without", free.docs[place]), ("with", doc)):
            others = set(get_brackets(one) or []) - known
            counts[name][0] += len(others & gold)
            counts[name][1] += len(others)
    return _figures(constrained, free, n_given, kept, n_rest) | {
        f"f1_{name}": round(200 * right / (found + n_rest), 2)
        for name, (right, found) in counts.items()
    }


def measure(nlp: Language, path: Path, seed: int) -> Figures:
    """All figures of a pipeline, by what is given."""
    found: Figures = {}
    if any(isinstance(pipe, DependencyPipe) for _, pipe in nlp.pipeline):
        for kind in ("heads", "labels", "heads and labels"):
            found[kind] = measure_arcs(nlp, path, seed, kind)
    if any(isinstance(pipe, Seq2SeqConstituencyParser) for _, pipe in nlp.pipeline):
        found["brackets"] = measure_brackets(nlp, path, seed)
    return found


def _figures(constrained: Parses, free: Parses, n_given: int, kept: int, n_rest: int) -> Figures:
    return {
        "sentences": len(constrained.docs),
        "refused": sorted(constrained.refused),
        "given": n_given,
        "kept": kept,
        "rest": n_rest,
        "time_ratio": round(constrained.seconds / free.seconds, 3),
    }


def main(
    corpus: Corpus,
    name: Name,
    pipelines: Pipelines,
    split: str = "test",
    seed: int = 0,
    exclude: Annotated[
        list[str] | None, typer.Option("--exclude", help="A component not to load, repeatable")
    ] = None,
) -> None:
    """Give a tenth of the gold heads, labels or brackets, and measure the rest."""
    torch.set_num_threads(1)
    path = corpus / f"{split}.spacy"
    figures: Figures = {}
    for label, folder in named_values("--pipeline", pipelines).items():
        figures[label] = measure(spacy.load(folder, exclude=exclude or []), path, seed)
        print(label, figures[label], flush=True)
    write_result(f"constraints-{name}", seed, figures)


if __name__ == "__main__":
    typer.run(main)

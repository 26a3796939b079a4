"""Noun chunks of parses against those of gold heads, and those of gold heads against gold trees.

    python -m benchmarks.noun_chunks corpus/gum/dev.spacy --name gum-dev \\
        --pipeline sm=en_structparse_sm --pipeline trf=en_structparse_trf

Pipelines parse gold tokens and sentences. Their chunks are compared with those that the same
definition, `spacy_structparse.extensions.noun_chunks`, finds in the gold heads, labels and parts of
speech. spaCy's iterator for English is measured on the same Docs.

Base noun phrases of trees are NPs and WHNPs without another one inside; a possessor is no other
one: *John's friend*. Trees leave a coordination of single nouns flat (*dogs and cats*), which has
two chunks; so the comparison is also made without base noun phrases that have a coordinating
conjunction.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import spacy
import torch
import typer
from spacy.lang.en import English
from spacy.tokens import Doc

from spacy_structparse.extensions.noun_chunks import Chunk, noun_chunks
from spacy_structparse.trees import get_brackets
from spacy_structparse.trees.transform import base_label

from .evaluation import parsed_examples
from .options import Name, Pipelines, named_values
from .record import Figures, write_result

Limits = set[tuple[int, int]]
ChunkIterator = Callable[[Doc], Iterable[Chunk]]


def limits_of(doc: Doc, iterator: ChunkIterator = noun_chunks) -> Limits:
    """The limits of a Doc's chunks."""
    return {(start, end) for start, end, _ in iterator(doc)}


def base_noun_phrases(doc: Doc) -> Limits:
    """The limits of the base noun phrases of a Doc's trees."""
    phrases = {
        (start, end)
        for label, start, end in get_brackets(doc) or []
        if base_label(label) in {"NP", "WHNP"} and doc[end - 1].tag_ != "POS"
    }
    return {
        (start, end)
        for start, end in phrases
        if not any(start <= first and last <= end for first, last in phrases - {(start, end)})
    }


def without_coordination(pair: tuple[Limits, Limits, Doc]) -> tuple[Limits, Limits]:
    """Gold and found phrases, without the coordinated gold ones and what overlaps them."""
    gold, found, doc = pair
    flat = {(start, end) for start, end in gold if any(t.dep_ == "cc" for t in doc[start:end])}
    apart = {(a, b) for a, b in found if not any(a < end and start < b for start, end in flat)}
    return gold - flat, apart


def scores(pairs: Iterable[tuple[Limits, Limits]]) -> Figures:
    """Precision, recall and F1 in per cent of found phrases against gold ones."""
    n_right = n_gold = n_found = 0
    for gold, found in pairs:
        n_right += len(gold & found)
        n_gold += len(gold)
        n_found += len(found)
    precision, recall = 100 * n_right / max(n_found, 1), 100 * n_right / max(n_gold, 1)
    f1 = 200 * n_right / max(n_gold + n_found, 1)
    return {"p": round(precision, 2), "r": round(recall, 2), "f": round(f1, 2), "gold": n_gold}


def main(
    split: Annotated[Path, typer.Argument(help="A .spacy file with dependencies and trees")],
    name: Name,
    pipeline: Pipelines,
) -> None:
    """Measure."""
    torch.set_num_threads(1)
    spacys: ChunkIterator = English.Defaults.syntax_iterators["noun_chunks"]
    figures: Figures = {}
    for key, path in named_values("--pipeline", pipeline).items():
        examples = parsed_examples(spacy.load(path), split)
        golds = [example.reference for example in examples]
        gold = [limits_of(doc) for doc in golds]
        for label, iterator in (("ours", noun_chunks), ("spacy", spacys)):
            found = [limits_of(example.predicted, iterator) for example in examples]
            figures.setdefault(key, {})[label] = scores(zip(gold, found, strict=True))
        print(key, figures[key], flush=True)
        phrases = [(base_noun_phrases(doc), limits_of(doc), doc) for doc in golds]
        figures["trees"] = scores((base, found) for base, found, _ in phrases)
        figures["trees_without_coordination"] = scores(map(without_coordination, phrases))
    print(figures, flush=True)
    write_result(f"noun_chunks-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)

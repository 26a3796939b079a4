"""Time to search a treebank for the structures of L2SCA, beside `nltk.tgrep` where it can.

    python -m benchmarks.tree_search corpus/craft --name craft

Docs are loaded before the clock starts; a search reads their span groups anew each time. The time
of a pattern is the median of the runs. `nltk.tgrep`, which lacks heads, searches `nltk` trees that
are made before the clock starts too.
"""

import gc
import statistics
import time
from collections.abc import Callable
from typing import Annotated

import spacy
import typer
from nltk import ParentedTree
from nltk.tgrep import tgrep_positions
from spacy.tokens import Doc

from spacy_structparse.corpora.docbins import read_docs
from spacy_structparse.tools.search import TreeMatcher
from spacy_structparse.tools.search.measures import STRUCTURES
from spacy_structparse.trees import sentence_trees, wrap

from .options import Corpus, Name
from .record import Figures, write_result

NAMED = "NP=whole < (NP=part $+ (PP=phrase < (NP <<# /^NN/=noun)))"
"""A pattern whose matches name four nodes."""
TGREP = "NP !> NP [<< JJ | << (NP $.. NP)]"
"""A pattern that both languages have."""


def seconds(work: Callable[[], int], runs: int) -> tuple[float, int]:
    """Median seconds of some work, and the number that it gives."""
    times, number = [], 0
    for _ in range(runs):
        start = time.perf_counter()
        number = work()
        times.append(time.perf_counter() - start)
    return round(statistics.median(times), 3), number


def search_time(patterns: list[str], docs: list[Doc], runs: int) -> Figures:
    """Seconds to search Docs for patterns, and the number of matches."""
    matcher = TreeMatcher(docs[0].vocab)
    matcher.add("pattern", patterns)
    median, n = seconds(lambda: sum(len(found) for _, found in matcher.pipe(docs)), runs)
    return {"patterns": patterns, "seconds": median, "matches": n}


def tgrep_time(docs: list[Doc], runs: int) -> Figures:
    """Seconds that `nltk.tgrep` takes, and the number of its matches."""
    trees = [
        ParentedTree.convert(wrap(tree).to_nltk())
        for doc in docs
        for tree in sentence_trees(doc)
        if tree is not None
    ]
    median, n = seconds(lambda: sum(map(len, tgrep_positions(TGREP, trees))), runs)
    return {"patterns": [TGREP], "seconds": median, "matches": n}


def main(
    corpus: Corpus,
    name: Name,
    split: Annotated[str, typer.Option(help="train, dev or test")] = "train",
    runs: Annotated[int, typer.Option(help="Searches for each pattern")] = 5,
) -> None:
    """Time the patterns one by one, all together, and beside tgrep."""
    docs = list(read_docs(corpus / f"{split}.spacy", spacy.blank("en").vocab))
    gc.freeze()  # the collector of garbage need not look at the Docs again and again
    found: Figures = {
        f"{structure}{number}": search_time([pattern], docs, runs)
        for structure, patterns in STRUCTURES.items()
        for number, pattern in enumerate(patterns, 1)
    }
    together = [pattern for patterns in STRUCTURES.values() for pattern in patterns]
    figures: Figures = {
        "split": split,
        "trees": sum(len(sentence_trees(doc)) for doc in docs),
        "one by one": found,
        "together": search_time(together, docs, runs),
        "named": search_time([NAMED], docs, runs),
        "both languages": {
            "TreeMatcher": search_time([TGREP], docs, runs),
            "tgrep": tgrep_time(docs, 1),
        },
    }
    print(figures, flush=True)
    write_result(f"tree_search-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)

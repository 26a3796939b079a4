"""Perplexity of n-grams with modified Kneser-Ney smoothing (Phrasal RNN, Table 2).

    python -m benchmarks.kneser_ney corpus/craft --name craft

The text is that of the neural models: gold tokens and sentences, the 10,000 most frequent words of
the training part, the rest one unknown word; the ends of sentences count.
"""

import math
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.tokens import Doc

from spacy_structparse.corpora.reader import create_corpus_reader
from spacy_structparse.models.vocabulary import count_vocabulary, most_frequent
from spacy_structparse.trees.words import words_of

from .n_grams import KneserNey
from .options import Corpus, Name
from .record import Figures, write_result

UNKNOWN = "<unk>"


def sentences(path: Path) -> list[Doc]:
    """The sentences of a split; whitespace tokens are kept."""
    examples = create_corpus_reader(path, gold_preproc=True)(spacy.blank("en"))
    return [example.reference for example in examples]


def main(
    corpus: Corpus,
    name: Name,
    order: Annotated[int, typer.Option(help="Length of the longest n-grams")] = 5,
    max_vocabulary: int = 10_000,
) -> None:
    """Count n-grams of the training part and measure perplexity on dev and test."""
    train = sentences(corpus / "train.spacy")
    known = most_frequent(count_vocabulary(train, "TAG")["words"], 1, max_vocabulary)

    def words(doc: Doc) -> list[str]:
        texts = (token.text for token in words_of(doc))
        return [text if text in known else UNKNOWN for text in texts]

    model = KneserNey(map(words, train), {*known, UNKNOWN}, order)
    figures: Figures = {"order": order, "max_vocabulary": max_vocabulary}
    for split in ("dev", "test"):
        found = [
            p for doc in sentences(corpus / f"{split}.spacy") for p in model.sentence(words(doc))
        ]
        figures[split] = round(math.exp(-math.fsum(map(math.log, found)) / len(found)), 2)
    print(figures)
    write_result(f"kneser_ney-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)

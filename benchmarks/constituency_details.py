"""Figures of the papers on constituency parsers beside F1.

    python -m benchmarks.constituency_details corpus/craft --other corpus/gum --name craft \\
        --pipeline lstm-a=DIR --pipeline datt-bound=DIR
    python -m benchmarks.constituency_details corpus/craft --name craft-heads

F1 by sentence length on dev (Vinyals et al. 2015, Figure 3); F1 on another treebank's test part;
how many outputs are no trees, with constraints and without; how often probabilistic attention is on
one word (Ma et al. 2017, Section 1); and how often the head by the rules is that of the right-most
child (Ma et al., Section 4.2), which needs no pipeline.
"""

from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import spacy
import torch
import typer
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.training import Example

from spacy_structparse.pipeline.gold_trees import gold_trees
from spacy_structparse.transitions.constituency.interface import check_brackets

from .evaluation import CONSTITUENCY_PARSER, evaluate, f_by_length, parsed_examples
from .head_words import head_agreement
from .options import Corpus, Name, ScoreTest, named_values
from .record import Figures, write_result

# Ma et al.: more than 90 % of the attention on one word, in more than 80 % of the steps.
MUCH, MOST = 0.9, 0.8


def count_non_trees(nlp: Language, paths: list[Path]) -> Figures:
    """How many sentences of splits get no tree over exactly their words."""
    bad = n = 0
    for path in paths:
        for example in parsed_examples(nlp, path, gold_tags=True):
            n += 1
            predicted = Example(example.predicted, example.predicted)
            (found,) = gold_trees([predicted])
            words = len(found.sentence.tokens)
            try:
                check_brackets(found.brackets, words)
            except ValueError:
                bad += 1
    return {"sentences": n, "not_trees": bad}


def unconstrained(nlp: Language, path: Path) -> Figures:
    """Scores without constraints, malformed outputs being counted and repaired."""
    parser: Any = nlp.get_pipe(CONSTITUENCY_PARSER)
    parser.malformed.clear()
    parser.constrained = False
    scores = evaluate(nlp, path, gold_tags=True)
    parser.constrained = True
    return {**scores, **parser.malformed}


def focused(nlp: Language, path: Path, limit: int) -> Figures:
    """In how many of the first sentences of a split attention is nearly always on one word."""
    parser: Any = nlp.get_pipe(CONSTITUENCY_PARSER)
    docs = [doc.copy() for doc in islice(DocBin().from_disk(path).get_docs(nlp.vocab), limit)]
    shares = [
        trace.focused(MUCH)
        for start in range(0, len(docs), 100)
        for of_doc in parser.trace(docs[start : start + 100])
        for trace in of_doc
    ]
    return {
        "sentences": len(shares),
        "percent_focused": round(100 * float(np.mean(np.array(shares) > MOST)), 2),
        "percent_of_steps_on_one_word": round(100 * float(np.mean(shares)), 2),
    }


def main(
    corpus: Corpus,
    name: Name,
    pipelines: Annotated[
        list[str] | None,
        typer.Option(
            "--pipeline", help="NAME=TRAINED_PIPELINE, repeatable; none: head words alone"
        ),
    ] = None,
    other: Annotated[Path | None, typer.Option(help="Another treebank's folder")] = None,
    test: ScoreTest = False,
    traced: Annotated[int, typer.Option(help="Sentences whose attention is measured")] = 1000,
) -> None:
    """Count head words, and measure each pipeline."""
    torch.set_num_threads(1)
    dev = corpus / "dev.spacy"
    splits = [dev, corpus / "test.spacy"] if test else [dev]
    figures: Figures = {"heads": head_agreement(corpus / "train.spacy")}
    print(figures, flush=True)
    for label, path in named_values("--pipeline", pipelines).items():
        nlp = spacy.load(path)
        parser: Any = nlp.get_pipe(CONSTITUENCY_PARSER)
        one: Figures = {
            **f_by_length(parsed_examples(nlp, dev, gold_tags=True)),
            "constrained": count_non_trees(nlp, splits),
        }
        if other is not None:
            one["other"] = {"treebank": other.name, **evaluate(nlp, other / "test.spacy", True)}
        if parser.attention == "probabilistic":
            one["attention"] = focused(nlp, dev, traced)
            if parser.linearization.name == "top_down":
                one["unconstrained"] = unconstrained(nlp, dev)
        figures[label] = one
        print(label, one, flush=True)
    write_result(f"constituency_details-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)

"""What the papers report beside F1, for trained parsers of trees.

F1 by sentence length on dev (Vinyals et al. 2015, Figure 3), F1 on another treebank's test part,
how many outputs are no trees without constraints and with them, how often probabilistic attention
is on one word (Ma et al. 2017, §1), and how often the heads of rules are those of right-most
children (Ma et al., §4.2).

    python benchmarks/tree_details.py corpus/craft --other corpus/gum --name craft \\
        --pipeline lstm-a=DIR --pipeline datt-bound=DIR
"""

from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import spacy
import torch
import typer
from evaluation import TREES, evaluate, f_by_length, parsed_examples
from record import write_results
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.training import Example

from spacy_structparse.corpora.reader import create_corpus_reader
from spacy_structparse.pipeline.gold_trees import gold_trees
from spacy_structparse.transitions.constituency.bottom_up import BottomUp
from spacy_structparse.transitions.constituency.bottom_up_heads import head_choices, rule_heads
from spacy_structparse.transitions.constituency.interface import check_brackets
from spacy_structparse.transitions.constituency.registry import build_linearization

# Ma et al.: more than 90 % of the attention on one word, in more than 80 % of the steps.
MUCH, MOST = 0.9, 0.8


def not_trees(nlp: Language, paths: list[Path]) -> dict[str, int]:
    """How many sentences of splits get no tree over exactly their words; an error is raised where
    the actions found build none."""
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


def unconstrained(nlp: Language, path: Path) -> dict[str, Any]:
    """Scores and malformed outputs without constraints, repaired."""
    parser: Any = nlp.get_pipe(TREES)
    parser.malformed.clear()
    parser.constrained = False
    scores = evaluate(nlp, path, gold_tags=True)
    parser.constrained = True
    return {**scores, **parser.malformed}


def focused(nlp: Language, path: Path, limit: int) -> dict[str, Any]:
    """In how many sentences attention is nearly always on one word."""
    parser: Any = nlp.get_pipe(TREES)
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


def head_agreement(path: Path) -> dict[str, Any]:
    """In how many combined elements the head of the rules is that of the right child."""
    nlp = spacy.blank("en")
    gold = [
        tree
        for example in create_corpus_reader(path, gold_preproc=True)(nlp)
        for tree in gold_trees([example], heads=True)
        if tree.problem is None
    ]
    system = build_linearization("bottom_up", [tree.brackets for tree in gold])
    if not isinstance(system, BottomUp):
        raise TypeError("bottom_up is not the bottom-up linearization")
    agree = n = 0
    for tree in gold:
        words = len(tree.sentence.tokens)
        actions = system.oracle(tree.brackets, words)
        heads = rule_heads(system, actions, tree.brackets, tree.heads or [], words)
        chosen, other = head_choices(heads, actions).T
        agree += int((chosen > other).sum())
        n += len(chosen)
    return {"combined_elements": n, "percent_right_child": round(100 * agree / n, 2)}


def main(
    corpus: Annotated[Path, typer.Argument(help="Folder of train, dev and test .spacy files")],
    name: Annotated[str, typer.Option(help="Name of the result")],
    pipeline: Annotated[list[str], typer.Option(help="NAME=TRAINED_PIPELINE, as often as needed")],
    other: Annotated[Path | None, typer.Option(help="Another treebank's folder")] = None,
    test: Annotated[bool, typer.Option(help="Check the outputs for test too")] = False,
    traced: Annotated[int, typer.Option(help="Sentences whose attention is looked at")] = 1000,
) -> None:
    """Measure."""
    torch.set_num_threads(1)
    dev = corpus / "dev.spacy"
    splits = [dev, corpus / "test.spacy"] if test else [dev]
    figures: dict[str, Any] = {"heads": head_agreement(corpus / "train.spacy")}
    print(figures, flush=True)
    for item in pipeline:
        label, _, path = item.partition("=")
        nlp = spacy.load(path)
        parser: Any = nlp.get_pipe(TREES)
        one: dict[str, Any] = {
            "by_length": f_by_length(parsed_examples(nlp, dev, gold_tags=True)),
            "constrained": not_trees(nlp, splits),
        }
        if other is not None:
            one["other"] = {"treebank": other.name, **evaluate(nlp, other / "test.spacy", True)}
        if parser.attention == "probabilistic":
            one["attention"] = focused(nlp, dev, traced)
            if parser.linearization.name == "top_down":
                one["unconstrained"] = unconstrained(nlp, dev)
        figures[label] = one
        print(label, one, flush=True)
    print(write_results(f"tree_details-{name}", 0, figures))


if __name__ == "__main__":
    typer.run(main)

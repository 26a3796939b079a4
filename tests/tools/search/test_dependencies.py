"""Patterns of dependencies find what spaCy's matcher finds, in fewer steps."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
import srsly
from spacy.matcher import DependencyMatcher
from spacy.tokens import Doc
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_structparse.cli import app
from spacy_structparse.tools.search.dependencies import StepwiseDependencyMatcher


def random_doc(vocab: Vocab, n: int, seed: int) -> Doc:
    """A sentence with random heads, each word on one before it, and labels of two kinds."""
    random = Random(seed)
    heads = [0, *[random.randrange(i) for i in range(1, n)]]
    labels = [random.choice(["a", "b"]) for _ in range(n)]
    return Doc(vocab, words=[f"w{i}" for i in range(n)], heads=heads, deps=labels)


@pytest.mark.parametrize("seed", range(5))
def test_nodes_in_every_relation_are_those_of_spacy(seed: int) -> None:
    vocab = Vocab()
    docs = [random_doc(vocab, n, 10 * seed + n) for n in range(1, 9)]
    random = Random(seed)
    operators = list(DependencyMatcher(vocab)._ops)
    for operator in operators:
        pattern: list[dict[str, Any]] = [{"RIGHT_ID": "n0", "RIGHT_ATTRS": {"DEP": "a"}}]
        for node in range(1, 4):
            pattern.append(
                {
                    "LEFT_ID": f"n{random.randrange(node)}",
                    "REL_OP": operator if node == 1 else random.choice(operators),
                    "RIGHT_ID": f"n{node}",
                    "RIGHT_ATTRS": random.choice([{}, {"DEP": "b"}]),
                }
            )
        matchers = [DependencyMatcher(vocab), StepwiseDependencyMatcher(vocab)]
        for matcher in matchers:
            matcher.add("first", [pattern[:1]])
            matcher.add("second", [pattern])
        expected, found = ([matcher(doc) for doc in docs] for matcher in matchers)
        assert found == expected


def test_a_sentence_of_too_many_combinations(tmp_path: Path) -> None:
    path, patterns = tmp_path / "flat.conllu", tmp_path / "patterns.json"
    lines = [f"{i}\tw{i}\t_\t_\t_\t_\t{min(i - 1, 1)}\tdep\t_\t_\n" for i in range(1, 61)]
    path.write_text("".join([*lines, "\n"]))
    nodes: list[dict[str, Any]] = [{"RIGHT_ID": "n0", "RIGHT_ATTRS": {}}]
    nodes += [
        {"LEFT_ID": "n0", "REL_OP": ">", "RIGHT_ID": f"n{i}", "RIGHT_ATTRS": {}}
        for i in range(1, 9)
    ]
    # A last node that nothing matches: there is no match, and without a limit no end.
    nodes.append({"LEFT_ID": "n0", "REL_OP": "<", "RIGHT_ID": "last", "RIGHT_ATTRS": {}})
    srsly.write_json(patterns, [[{"RIGHT_ID": "one", "RIGHT_ATTRS": {}}], nodes])
    result = CliRunner().invoke(app, ["search", str(patterns), str(path), "--dep"])
    assert result.exit_code == 1
    assert "pattern 2" in result.stderr and "200,000" in result.stderr

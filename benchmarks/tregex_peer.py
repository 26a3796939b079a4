"""Matches of tree search beside those of pytregex, another implementation of Tregex.

    python -m benchmarks.tregex_peer corpus/craft PEER_PYTHON --name craft

``PEER_PYTHON`` is the interpreter of an environment in which pytregex is installed
(``pip install pytregex``). It is no part of this project and gets patterns and trees from another
process. A match is the first node of a pattern: pytregex does not tell which named nodes belong
together. It is slow where a pattern names nodes, so names are left out that nothing refers to.
"""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import spacy
import typer

from spacy_structparse.corpora.docbins import read_docs
from spacy_structparse.tools.search.compiled import CompiledPattern
from spacy_structparse.tools.search.forest import Forest
from spacy_structparse.tools.search.tregex import Token, parse_tregex, tokenize
from spacy_structparse.trees import Tree, base_label, sentence_trees, wrap

from .options import Corpus, Name
from .record import Figures, write_result
from .tree_patterns import L2SCA, OWN

WORKER = Path(__file__).parent / "pytregex_worker.py"
SHORT = 10
"""Words of the longest trees for a pattern that takes pytregex much too long."""
_BEFORE_RELATION = ("(", "[", "&", "|", "?")
Matches = set[tuple[int, int]]
"""Trees and the places of nodes in pre-order."""


class PeerEndedError(RuntimeError):
    """pytregex took much too long, or ended the process."""


class Peer:
    """The process of pytregex.

    Args:
        python: The interpreter of its environment.
        trees: The trees.
        limit: Seconds of the processor after which a pattern searches no further tree.

    Attributes:
        version: The version of pytregex.
        sizes: The number of nodes of each tree.
    """

    def __init__(self, python: str, trees: list[Tree], limit: float) -> None:
        self._command = [python, str(WORKER), str(limit)]
        self._trees = [str(tree) for tree in trees]
        self._start()

    def find(self, pattern: str, most_words: int) -> dict[str, Any]:
        """The matches of a pattern in pytregex's spelling; the worker's docstring has the form.

        Raises:
            PeerEndedError: There is no answer. Another pattern can be tried.
        """
        try:
            return self._ask([pattern, most_words])
        except PeerEndedError:
            self._start()
            raise

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf8",
        )
        ready = self._ask(self._trees)
        self.version: str = ready["version"]
        self.sizes: list[int] = ready["sizes"]

    def _ask(self, request: object) -> dict[str, Any]:
        answer = ""
        if self._process.stdin is not None and self._process.stdout is not None:
            print(json.dumps(request), file=self._process.stdin, flush=True)
            answer = self._process.stdout.readline()
        if not answer:
            raise PeerEndedError(f"the process ended with {self._process.wait()}")
        found: dict[str, Any] = json.loads(answer)
        return found


def pytregex_spelling(pattern: str) -> str:
    """A pattern as pytregex reads it.

    It writes ``||`` for an "or" between relations and ``;`` for one between patterns, and has only
    square brackets around relations. A negated relation after a node belongs to that node, unless
    an ``&`` stands between. Names that nothing refers to are left out.
    """
    tokens = tokenize(pattern)
    referred = {after.text for i, after in enumerate(tokens) if _refers(tokens, i - 1)}
    texts = [pattern[one.column - 1 : two.column - 1] for one, two in pairwise(tokens)]
    closing: list[str] = []
    for i, token in enumerate(tokens):
        if token.text == "|":
            texts[i] = texts[i].replace("|", "||" if _starts_formula(tokens, i + 1) else ";")
        elif token.text == "!" and _starts_formula(tokens, i + 1):
            if tokens[i - 1].text not in _BEFORE_RELATION:
                texts[i] = f"& {texts[i]}"
        elif token.text == "=" and not _refers(tokens, i) and tokens[i + 1].text not in referred:
            texts[i] = ""
            texts[i + 1] = texts[i + 1].removeprefix(tokens[i + 1].text)
        elif token.text == "(":
            groups_relations = _starts_formula(tokens, i + 1)
            closing.append("]" if groups_relations else ")")
            texts[i] = texts[i].replace("(", "[" if groups_relations else "(")
        elif token.text == ")":
            texts[i] = texts[i].replace(")", closing.pop())
    return "".join(texts)


def _refers(tokens: list[Token], i: int) -> bool:
    """Whether a token is the sign of a back reference or a link, not that of a new name."""
    if tokens[i].text == "=":
        return tokens[i - 1].kind not in ("label", "regex", "any", "root")
    return tokens[i].text == "~"


def _starts_formula(tokens: list[Token], i: int) -> bool:
    """Whether relations begin at a token, and no other pattern."""
    while tokens[i].text in ("(", "[", "!", "?"):
        i += 1
    return tokens[i].kind == "relation"


def own_matches(pattern: str, forest: Forest) -> Matches:
    """The matches of tree search."""
    compiled = CompiledPattern(parse_tregex(pattern), forest.docs[0].vocab.strings, base_label, 1.0)
    return {
        (int(forest.tree[node]), node - int(forest.tree_limits[forest.tree[node]]))
        for node, _ in compiled.matches(forest)
    }


def compare(pattern: str, forest: Forest, peer: Peer) -> tuple[Figures, Matches, Matches]:
    """Compare the matches of a pattern in the trees that pytregex searched in time.

    Where it takes much too long, the trees are those of up to `SHORT` words.

    Returns:
        The figures, the matches of tree search alone, and those of pytregex alone.
    """
    spelling = pytregex_spelling(pattern)
    figures: Figures = {"pytregex": spelling}
    try:
        answer = peer.find(spelling, sys.maxsize)
    except PeerEndedError:
        answer = peer.find(spelling, SHORT)
        figures["most_words"] = SHORT
    if "error" in answer:
        return {**figures, "error": answer["error"]}, set(), set()
    searched = set(answer["searched"])
    theirs = {(tree, place) for tree, place in answer["matches"]}
    ours = {match for match in own_matches(pattern, forest) if match[0] in searched}
    figures |= {
        "trees": len(searched),
        "equal": len(ours & theirs),
        "ours_alone": len(ours - theirs),
        "theirs_alone": len(theirs - ours),
    }
    return figures, ours - theirs, theirs - ours


def main(
    corpus: Corpus,
    peer_python: Annotated[str, typer.Argument(help="Interpreter with pytregex")],
    name: Name,
    split: Annotated[str, typer.Option(help="train, dev or test")] = "dev",
    every: Annotated[int, typer.Option(help="Search the first Doc of so many", min=1)] = 1,
    limit: Annotated[float, typer.Option(help="Seconds of pytregex for each pattern")] = 10,
    show: Annotated[int, typer.Option(help="Trees to print for each difference")] = 0,
) -> None:
    """Compare the matches of every pattern."""
    docs = list(read_docs(corpus / f"{split}.spacy", spacy.blank("en").vocab))[::every]
    trees = [wrap(tree, "ROOT") for doc in docs for tree in sentence_trees(doc) if tree is not None]
    forest = Forest(docs)
    peer = Peer(peer_python, trees, limit)
    if peer.sizes != np.diff(forest.tree_limits).tolist():
        raise RuntimeError("pytregex reads other trees than tree search")
    patterns: Figures = {}
    for pattern in [*OWN, *L2SCA]:
        patterns[pattern], *alone = compare(pattern, forest, peer)
        print(pattern, patterns[pattern], flush=True)
        for whose, matches in zip(("ours", "theirs"), alone, strict=True):
            for number, place in sorted(matches)[:show]:
                print(f"  {whose} alone: node {place} of {trees[number]}")
    figures = {
        "split": split,
        "trees": len(trees),
        "limit": limit,
        "pytregex": peer.version,
        "patterns": patterns,
    }
    write_result(f"tregex_peer-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)

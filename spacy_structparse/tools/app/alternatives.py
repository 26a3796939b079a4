"""The k best parses of a sentence, drawn."""

import math
from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

from ...extensions.multiword import surface_offsets
from ...pipeline.k_best import KBest, ScoredDependencies, ScoredTree
from ...viz.arcs import draw_arcs
from ...viz.sentences import ParsedSentence
from .differences import Facts, differing_nodes, nodes_of
from .drawings import DEPENDENCIES, MARKED, TREE, tree_svg
from .parsing import Parse, Parser

N_BEST = 5


class Alternative(NamedTuple):
    """One of the k best parses.

    Attributes:
        kind: `DEPENDENCIES` or `TREE`.
        probability: Of the whole parse; with a beam, a lower bound.
        svg: The drawing. What the best parse does not have stands out.
    """

    kind: str
    probability: float
    svg: str

    @property
    def shown_probability(self) -> str:
        """Its probability in words."""
        return "below 0.1%" if self.probability < 0.001 else f"{self.probability:.1%}"


def k_best_parsers(parser: Parser) -> dict[str, KBest[Any]]:
    """The components that give several parses, by name."""
    return {name: pipe for name, pipe in parser.nlp.pipeline if isinstance(pipe, KBest)}


def find_alternatives(parser: Parser, parse: Parse, name: str) -> list[list[Any]]:
    """The best parses of every sentence, best first.

    Args:
        parser: The pipeline.
        parse: Its parse of the text.
        name: The component.

    Raises:
        ParsingError: The component ended in an error.
    """
    pipe = k_best_parsers(parser)[name]
    found: list[list[Any]] = parser.alone(lambda: pipe.k_best(parse.doc, N_BEST))
    return found


def draw_alternative(
    sentence: ParsedSentence,
    one: ScoredDependencies | ScoredTree,
    best: ScoredDependencies | ScoredTree,
) -> Alternative:
    """Draw a parse of a sentence, beside the best one.

    Args:
        sentence: The sentence.
        one: The parse.
        best: The best parse.
    """
    probability = math.exp(one.log_probability)
    if isinstance(one, ScoredTree):
        assert isinstance(best, ScoredTree)  # one component gives one kind
        shown = replace(sentence, tree=one.tree)
        of_best = replace(sentence, tree=best.tree)
        nodes = nodes_of(of_best, surface_offsets(sentence.span.doc))
        marked = differing_nodes(shown, Facts(Counter(), Counter(nodes)))
        svg = tree_svg(shown, marked)
        assert svg is not None  # it has a tree
        return Alternative(TREE, probability, svg)
    assert isinstance(best, ScoredDependencies)
    doc, place = sentence.span.doc, {token: i for i, token in enumerate(one.tokens)}
    arcs, of_best_arcs = (list(zip(it.heads, it.labels, strict=True)) for it in (one, best))
    tokens = [doc[i] for i in one.tokens]
    svg = draw_arcs(
        [token.text for token in tokens],
        [place[head] for head in one.heads],
        one.labels,
        [token.tag_ or token.pos_ for token in tokens],
        {i: MARKED for i, arc in enumerate(arcs) if arc != of_best_arcs[i]},
    )
    return Alternative(DEPENDENCIES, probability, svg)

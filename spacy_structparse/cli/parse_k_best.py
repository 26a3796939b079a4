"""The k best parses of `spacy structparse parse --k-best`, found by a component after a parser."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from spacy.language import Language
from spacy.tokens import Doc

from ..brackets import Bracket
from ..corpora.pipeline_outputs import HEADS, TREES, PipelineOutputs
from ..corpora.writers import Format
from ..pipeline.k_best import KBest, ScoredDependencies, ScoredTree
from ..trees.doc import build_trees
from ..trees.words import sentences_of, words_of
from ..viz.page import PAGE_SUFFIXES
from ..viz.sentences import ParsedSentence
from .last_component import last_component

FACTORY = "structparse_k_best"
"""The factory of the component that finds the parses."""
FOUND = "spacy_structparse.search_results"
"""The beginning of the keys of `doc.user_data`, between parsing and writing, for the parses."""
Kind = Literal["dependencies", "trees"]
Shown = TypeVar("Shown")
Scored = ScoredDependencies | ScoredTree
FORMATS = (Format.conllu, Format.ptb, Format.json, Format.terminal, Format.svg)
"""The formats that hold several parses; SVG on a page."""


class KBestError(ValueError):
    """Several parses that a pipeline, or a format, cannot give."""


@dataclass(frozen=True)
class SentenceParses:
    """A sentence with the best parses of each parser, best first; none of a parser not wanted."""

    sentence: ParsedSentence
    dependencies: list[ScoredDependencies]
    trees: list[ScoredTree]


@dataclass(frozen=True)
class KBestParsers:
    """The parsers whose k best parses are written; None where they are not wanted."""

    dependencies: KBest | None = None
    trees: KBest | None = None

    def take(self, doc: Doc, sentences: list[ParsedSentence]) -> list[SentenceParses]:
        """Remove the parses from a Doc and return them.

        Raises KBestError if a component has changed tokens or sentences since they were found.
        """
        dependencies = _taken(doc, sentences, self.dependencies, "dependencies")
        trees = _taken(doc, sentences, self.trees, "trees")
        return [
            SentenceParses(
                sentence,
                [ScoredDependencies(**parse) for parse in of_heads],
                [_tree(doc, **parse) for parse in of_trees],
            )
            for sentence, of_heads, of_trees in zip(sentences, dependencies, trees, strict=True)
        ]

    def at_each_rank(
        self,
        doc: Doc,
        parses: list[SentenceParses],
        show: Callable[[int], Iterable[Shown]],
    ) -> list[list[Shown]]:
        """Show each sentence with each of its dependency trees in the Doc, best first.

        Args:
            doc: The Doc. It has the best parses afterwards.
            parses: The parses of its sentences.
            show: Called with the rank, from 0; gives a value for each sentence.
        """
        shown: list[list[Shown]] = [[] for _ in parses]
        if self.dependencies is None:
            return shown
        for rank in reversed(range(max((len(one.dependencies) for one in parses), default=0))):
            at_rank = [one.dependencies[min(rank, len(one.dependencies) - 1)] for one in parses]
            self.dependencies.set_k_best(doc, at_rank)
            for of_one, one, now in zip(shown, parses, show(rank), strict=True):
                if rank < len(one.dependencies):
                    of_one.insert(0, now)
        return shown


def add_k_best(
    nlp: Language, k: int, style: Format, gives: PipelineOutputs, output: Path
) -> KBestParsers:
    """Let a pipeline find the k best parses that a format shows.

    Args:
        nlp: The pipeline. Each parser gets a component after it.
        k: The number of parses.
        style: The format.
        gives: The outputs of the pipeline.
        output: The file to write.

    Raises KBestError if the format holds one parse, or if no parser gives several.
    """
    if gives.gold:
        raise KBestError("--k-best finds parses, and --gold predicts nothing: leave out one")
    if style is Format.svg and output.suffix not in PAGE_SUFFIXES:
        raise KBestError("--k-best: --format svg draws them on a page: name --output PAGE.html")
    if style not in FORMATS:
        raise KBestError(
            f"--k-best: --format {style.value} holds one parse of a sentence. Name another "
            "format, or use nlp.get_pipe(NAME).k_best and set_k_best"
        )
    heads = None if style in (Format.ptb, Format.svg) else last_component(nlp, HEADS)
    trees = None if style is Format.conllu else last_component(nlp, TREES)
    parsers = KBestParsers(_added(nlp, heads, k, "dependencies"), _added(nlp, trees, k, "trees"))
    if not (parsers.dependencies or parsers.trees):
        raise KBestError(
            f"--k-best needs a parser of this package (spa_dep, stack_lstm_dep or "
            f"seq2seq_constituency) for --format {style.value}. In this pipeline "
            f"{' and '.join(name for name in (heads, trees) if name)} gives one parse"
        )
    return parsers


def _added(nlp: Language, name: str | None, k: int, kind: Kind) -> Any:
    """A parser, with the component after it; None if it gives no k best parses."""
    if name is None or not isinstance(nlp.get_pipe(name), KBest):
        return None
    config = {"parser": name, "k": k, "kind": kind}
    nlp.add_pipe(FACTORY, f"{name}_k_best", config=config, after=name)
    return nlp.get_pipe(name)


@Language.factory(FACTORY)
def make_k_best_finder(
    nlp: Language, name: str, parser: str, k: int, kind: Kind
) -> Callable[[Doc], Doc]:
    """Build a component that finds the k best parses of a parser before it.

    The best ones become those of the Doc.

    Args:
        nlp: The pipeline.
        name: The component's name.
        parser: The name of the parser.
        k: The number of parses.
        kind: What they are.
    """
    pipe: Any = nlp.get_pipe(parser)
    return partial(_find_k_best, parser=pipe, k=k, kind=kind)


def _find_k_best(doc: Doc, *, parser: KBest, k: int, kind: Kind) -> Doc:
    found = parser.k_best(doc, k)
    if found:
        parser.set_k_best(doc, [parses[0] for parses in found])
    # Plain data: a worker process sends the Doc back as bytes.
    doc.user_data[f"{FOUND}.{kind}"] = {
        "words": _words(sentences_of(doc)),
        "parses": [[_record(parse) for parse in parses] for parses in found],
    }
    return doc


def _words(spans: Sequence[Any]) -> list[list[int]]:
    """The indices of the words of each sentence."""
    return [[token.i for token in words_of(span)] for span in spans]


def _record(parse: Scored) -> dict[str, Any]:
    record = dict(vars(parse))
    record.pop("tree", None)  # it is made of its brackets again
    return record


def _tree(doc: Doc, brackets: Sequence[Sequence[Any]], log_probability: float) -> ScoredTree:
    own = tuple(Bracket(*bracket) for bracket in brackets)
    (tree,) = build_trees(doc, own)
    return ScoredTree(tree, own, log_probability)


def _taken(
    doc: Doc, sentences: list[ParsedSentence], parser: KBest | None, kind: Kind
) -> list[list[dict[str, Any]]]:
    """The records of the parses of each sentence; none without a parser."""
    if parser is None:
        return [[] for _ in sentences]
    found: Any = doc.user_data.pop(f"{FOUND}.{kind}")
    if found["words"] != _words([sentence.span for sentence in sentences]):
        raise KBestError(
            f"--k-best: a component after '{parser.name}' changes tokens or sentences, so that its "
            "parses no longer fit. Save the pipeline without that component"
        )
    records: list[list[dict[str, Any]]] = found["parses"]
    return records

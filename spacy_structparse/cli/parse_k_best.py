"""The k best parses of `spacy structparse parse --k-best`, found by a component after a parser."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from spacy.language import Language
from spacy.tokens import Doc

from ..brackets import Bracket
from ..corpora.pipeline_outputs import HEADS, TREES, PipelineOutputs
from ..pipeline.k_best import KBest, ScoredDependencies, ScoredTree
from ..trees.doc import build_trees
from ..trees.words import sentences_of, words_of
from ..viz.sentences import ParsedSentence
from .last_component import last_component
from .parse_formats import Format

FACTORY = "structparse_k_best"
"""The factory of the component that finds the parses."""
FOUND = "spacy_structparse.search_results"
"""The beginning of the keys of `doc.user_data`, between parsing and writing, for the parses."""
Kind = Literal["dependencies", "trees"]


class KBestError(ValueError):
    """Several parses that a pipeline, or a format, cannot give."""


@dataclass(frozen=True)
class SentenceParses:
    """The best parses of a sentence, best first.

    Attributes:
        sentence: The sentence.
        dependencies: Those of the dependency parser. Empty where they are not wanted.
        trees: Those of the constituency parser. Empty where they are not wanted.
    """

    sentence: ParsedSentence
    dependencies: list[ScoredDependencies]
    trees: list[ScoredTree]


@dataclass(frozen=True)
class KBestParsers:
    """The parsers whose k best parses are written.

    Attributes:
        dependencies: The dependency parser; None where it is not wanted.
        trees: The constituency parser; None where it is not wanted.
    """

    dependencies: KBest[ScoredDependencies] | None = None
    trees: KBest[ScoredTree] | None = None

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


def add_k_best(nlp: Language, k: int, style: Format, gives: PipelineOutputs) -> KBestParsers:
    """Let a pipeline find the k best parses that a format shows.

    Args:
        nlp: The pipeline. Each parser gets a component after it.
        k: The number of parses.
        style: The format.
        gives: The outputs of the pipeline.

    Raises KBestError if the format holds one parse, or if no parser gives several.
    """
    if gives.gold:
        raise KBestError("--k-best finds parses, and --gold predicts nothing: leave out one")
    if style in (Format.spacy, Format.latex):
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


class _KBestFinder:
    """Finds the k best parses of the parser before it. The best ones become those of the Doc."""

    def __init__(self, parser: KBest[Any], k: int, kind: Kind) -> None:
        self.parser = parser
        self.k = k
        self.kind = kind

    def __call__(self, doc: Doc) -> Doc:
        found = self.parser.k_best(doc, self.k)
        if found:
            self.parser.set_k_best(doc, [parses[0] for parses in found])
        # Plain data: a worker process sends the Doc back as bytes.
        doc.user_data[_key(self.kind)] = {
            "words": _words(sentences_of(doc)),
            "parses": [[_record(parse) for parse in parses] for parses in found],
        }
        return doc


@Language.factory(FACTORY)
def make_k_best_finder(nlp: Language, name: str, parser: str, k: int, kind: Kind) -> _KBestFinder:
    """Build the component.

    Args:
        nlp: The pipeline.
        name: The component's name.
        parser: The name of the parser.
        k: The number of parses.
        kind: What they are.
    """
    pipe: Any = nlp.get_pipe(parser)
    return _KBestFinder(pipe, k, kind)


def _key(kind: Kind) -> str:
    return f"{FOUND}.{kind}"


def _words(spans: Sequence[Any]) -> list[list[int]]:
    """The indices of the words of each sentence."""
    return [[token.i for token in words_of(span)] for span in spans]


def _record(parse: ScoredDependencies | ScoredTree) -> dict[str, Any]:
    record = dict(vars(parse))
    record.pop("tree", None)  # it is made of its brackets again
    return record


def _tree(doc: Doc, brackets: Sequence[Sequence[Any]], log_probability: float) -> ScoredTree:
    own = tuple(Bracket(*bracket) for bracket in brackets)
    (tree,) = build_trees(doc, own)
    return ScoredTree(tree, own, log_probability)


def _taken(
    doc: Doc, sentences: list[ParsedSentence], parser: KBest[Any] | None, kind: Kind
) -> list[list[dict[str, Any]]]:
    """The records of the parses of each sentence; none without a parser."""
    if parser is None:
        return [[] for _ in sentences]
    found: Any = doc.user_data.pop(_key(kind))
    if found["words"] != _words([sentence.span for sentence in sentences]):
        raise KBestError(
            f"--k-best: a component after '{parser.name}' changes tokens or sentences, so that its "
            "parses no longer fit. Save the pipeline without that component"
        )
    records: list[list[dict[str, Any]]] = found["parses"]
    return records

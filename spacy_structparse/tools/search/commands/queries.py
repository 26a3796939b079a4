"""What `spacy structparse search` looks for: patterns of trees, or of dependencies."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import srsly
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ....printable import described
from .. import PatternError, TreeMatcher
from ..bounded_dependencies import BoundedDependencyMatcher


@dataclass(frozen=True)
class Hit:
    """A match in a document.

    Attributes:
        source: The file of the document.
        number: The document's number among all that were read, from 1.
        span: The matched node; of dependencies, the token that the pattern begins with.
        nodes: The named nodes.
        has_tree: Whether the span is a node of a tree.
    """

    source: str
    number: int
    span: Span
    nodes: dict[str, Span]
    has_tree: bool

    @property
    def sentence(self) -> Span:
        """The sentence around the match; of a Doc without sentence starts, all of it."""
        doc = self.span.doc
        return self.span.sent if doc.has_annotation("SENT_START") else doc[:]


Found = list[tuple[Span, dict[str, Span]]]


class Query(Protocol):
    """Something to look for in Docs."""

    needs: str
    """What a Doc must have to be searched, for messages."""
    has_tree: bool
    names: list[str]

    def can_search(self, doc: Doc) -> bool: ...

    def find(self, docs: Iterable[Doc]) -> Iterator[tuple[Doc, Found]]:
        """The matches of each of a batch of Docs."""
        ...


class TreeQuery:
    """A Tregex pattern."""

    needs = "trees"
    has_tree = True

    def __init__(self, pattern: str, vocab: Vocab, spans_key: str, root: str | None) -> None:
        self.spans_key = spans_key
        self._matcher = TreeMatcher(vocab, spans_key=spans_key, root=root)
        self._matcher.add("pattern", [pattern])
        self.names = self._matcher.names

    def can_search(self, doc: Doc) -> bool:
        return self.spans_key in doc.spans

    def find(self, docs: Iterable[Doc]) -> Iterator[tuple[Doc, Found]]:
        for doc, matches in self._matcher.pipe(docs):
            yield doc, [(match.span, match.nodes) for match in matches]


class DependencyQuery:
    """Patterns of spaCy's `DependencyMatcher`, from a JSON file."""

    needs = "dependencies"
    has_tree = False

    def __init__(self, path: Path, vocab: Vocab) -> None:
        self._patterns = _read_patterns(path)
        try:
            self._matcher = BoundedDependencyMatcher(vocab, self._patterns)
        except (ValueError, KeyError, TypeError) as error:
            raise PatternError(f"{path}: {described(error)}") from error
        names = (str(entry["RIGHT_ID"]) for pattern in self._patterns for entry in pattern)
        self.names = list(dict.fromkeys(names))

    def can_search(self, doc: Doc) -> bool:
        return doc.has_annotation("DEP")

    def find(self, docs: Iterable[Doc]) -> Iterator[tuple[Doc, Found]]:
        batch = list(docs)
        for doc, matches in zip(batch, self._matcher.pipe(batch), strict=True):
            found: Found = []
            for number, tokens in matches:
                names = [entry["RIGHT_ID"] for entry in self._patterns[number]]
                nodes = {name: doc[i : i + 1] for name, i in zip(names, tokens, strict=True)}
                found.append((nodes[names[0]], nodes))
            yield doc, sorted(found, key=lambda one: one[0].start)


def _read_patterns(path: Path) -> list[list[dict[str, Any]]]:
    """The patterns of a JSON file: one, a list of dicts, or a list of several."""
    if not path.is_file():
        raise PatternError(
            f"there is no file {path}: with --dep the pattern is a JSON file of patterns for "
            "spaCy's DependencyMatcher"
        )
    try:
        content = srsly.read_json(path)
    except ValueError as error:
        raise PatternError(f"{path} is no JSON file ({error})") from error
    patterns = [content] if isinstance(content, list) and _is_pattern(content) else content
    if not isinstance(patterns, list) or not patterns or not all(map(_is_pattern, patterns)):
        raise PatternError(
            f"{path} holds no pattern of the DependencyMatcher: a list of objects with RIGHT_ID "
            "and RIGHT_ATTRS, or a list of such lists"
        )
    return patterns


def _is_pattern(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(entry, dict) and "RIGHT_ID" in entry for entry in value)
    )

"""The matcher of patterns over trees."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from spacy.tokens import Doc, Span
from spacy.util import minibatch
from spacy.vocab import Vocab

from ...errors import TreeError
from ...trees.heads import head_child
from ...trees.span_group import SPANS_KEY, get_brackets
from ...trees.transform import base_label
from .compiled import CompiledPattern
from .forest import Forest, HeadRule
from .tregex import parse_tregex


class TreeMatch(NamedTuple):
    """A match.

    Attributes:
        key: The key that its pattern was added under.
        span: The node that the pattern begins with, labelled.
        nodes: The named nodes. An optional one that is not there is missing.
    """

    key: str
    span: Span
    nodes: dict[str, Span]


OnMatch = Callable[["TreeMatcher", Doc, int, list[TreeMatch]], Any]
"""Called as by spaCy's matchers: with the matcher, the Doc, a match's place, and all matches."""


class TreeMatcher:
    """Finds constituents by patterns, as spaCy's `DependencyMatcher` finds tokens.

    Args:
        vocab: The vocabulary of the Docs.
        spans_key: The span group with the trees.
        root: The label of the node above every tree, as `ROOT` in the trees of Stanford's parsers
            and `TOP` in those of others. None: there is none.
        head_rule: From the label of a bracket and the labels of its children to the place of the
            head child.
        basic_category: From a label to its basic category, for `@`.
        regex_timeout: How long a regular expression may take over a label or word, in seconds.
    """

    def __init__(
        self,
        vocab: Vocab,
        *,
        spans_key: str = SPANS_KEY,
        root: str | None = "ROOT",
        head_rule: HeadRule = head_child,
        basic_category: Callable[[str], str] = base_label,
        regex_timeout: float = 1.0,
    ) -> None:
        self.vocab = vocab
        self.spans_key = spans_key
        self.root = root
        self.head_rule = head_rule
        self.basic_category = basic_category
        self.regex_timeout = regex_timeout
        self._heads: dict[int, int] = {}
        self._patterns: dict[str, list[CompiledPattern]] = {}
        self._callbacks: dict[str, OnMatch | None] = {}

    def __len__(self) -> int:
        """The number of keys."""
        return len(self._patterns)

    def __contains__(self, key: str) -> bool:
        """Return whether there are patterns under a key."""
        return key in self._patterns

    @property
    def names(self) -> list[str]:
        """The names of nodes in all patterns."""
        patterns = (one.pattern for under in self._patterns.values() for one in under)
        return list(dict.fromkeys(name for pattern in patterns for name in pattern.names))

    def add(self, key: str, patterns: Sequence[str], *, on_match: OnMatch | None = None) -> None:
        """Add patterns under a key, to those that it has.

        Args:
            key: The key.
            patterns: Tregex strings.
            on_match: Called for every match; it takes the place of that of an earlier `add`.

        Raises:
            PatternError: A pattern cannot be read. The matcher is unchanged.
            TypeError: `patterns` is no list of patterns, or `on_match` cannot be called.
        """
        if isinstance(patterns, str | Mapping) or not isinstance(patterns, Sequence):
            raise TypeError(
                f"add takes a list of patterns: matcher.add({key!r}, [pattern]), not "
                f"{type(patterns).__name__}"
            )
        if on_match is not None and not callable(on_match):
            raise TypeError(
                f"on_match is a function of (matcher, doc, i, matches), not {on_match!r}"
            )
        compiled = [
            CompiledPattern(
                parse_tregex(pattern),
                self.vocab.strings,
                self.basic_category,
                self.regex_timeout,
            )
            for pattern in patterns
        ]
        self._patterns.setdefault(key, []).extend(compiled)
        self._callbacks[key] = on_match

    def get(self, key: str, default: Any = None) -> tuple[OnMatch | None, list[str]] | Any:
        """The callback and the patterns under a key, as they were added; else the default."""
        if key not in self._patterns:
            return default
        return self._callbacks[key], [one.pattern.source for one in self._patterns[key]]

    def remove(self, key: str) -> None:
        """Remove the patterns under a key.

        Raises:
            KeyError: There are none.
        """
        if key not in self._patterns:
            raise KeyError(f"there are no patterns under {key!r}")
        del self._patterns[key], self._callbacks[key]

    def __call__(self, doclike: Doc | Span) -> list[TreeMatch]:
        """Find all matches, key by key, in pre-order of the matched nodes.

        No two matches of a pattern have the same node and the same named nodes. Of a Span, those
        are found whose nodes all lie in it. A call reads all brackets of the Doc: call the matcher
        once for a Doc rather than for each of its sentences.

        Raises:
            TreeError: The Doc has no trees.
            TreeError: Its trees do not fit its tokens.
            SearchLimitError: A regular expression took too long.
            TypeError: It is no Doc and no Span.
            ValueError: The Doc has another vocabulary.
        """
        if not isinstance(doclike, Doc | Span):
            raise TypeError(f"a TreeMatcher takes a Doc or a Span, not {type(doclike).__name__}")
        doc = doclike.doc if isinstance(doclike, Span) else doclike
        [matches] = self._search([doc])
        if isinstance(doclike, Span):
            matches = [
                match
                for match in matches
                if all(
                    doclike.start <= span.start and span.end <= doclike.end
                    for span in (match.span, *match.nodes.values())
                )
            ]
        self._call_back(doc, matches)
        return matches

    def pipe(
        self, docs: Iterable[Doc], *, batch_size: int = 1000
    ) -> Iterator[tuple[Doc, list[TreeMatch]]]:
        """Search Docs in batches, the trees of a batch at once.

        Args:
            docs: The Docs.
            batch_size: Docs a batch.

        Yields:
            Each Doc with its matches.
        """
        for batch in minibatch(docs, batch_size):
            for doc, matches in zip(batch, self._search(batch), strict=True):
                self._call_back(doc, matches)
                yield doc, matches

    def _search(self, docs: list[Doc]) -> list[list[TreeMatch]]:
        for doc in docs:
            if doc.vocab is not self.vocab:
                raise ValueError(
                    "the Doc has another vocabulary than the matcher: make the matcher with "
                    "TreeMatcher(doc.vocab)"
                )
        forest = Forest(docs, self.spans_key, self.root, self.head_rule, self._heads)
        found: list[list[TreeMatch]] = [[] for _ in docs]
        for key, patterns in self._patterns.items():
            for pattern in patterns:
                for index, named in pattern.matches(forest):
                    nodes = {
                        name: forest.span(named[name])
                        for name in pattern.pattern.names
                        if name in named
                    }
                    found[forest.doc_of(index)].append(TreeMatch(key, forest.span(index), nodes))
        return found

    def _call_back(self, doc: Doc, matches: list[TreeMatch]) -> None:
        for place, match in enumerate(matches):
            on_match = self._callbacks[match.key]
            if on_match is not None:
                on_match(self, doc, place, matches)


CHUNKS = {
    "NP": "@NP !<< @NP",
    "VP": "@VP !> @VP",
    "clause": "@S|SINV|SQ|SBARQ < @VP",
}
"""The kinds of chunks: noun phrases without another one inside; verb phrases with their
auxiliaries, one for each clause; clauses with a verb phrase of their own."""


def phrases(doc: Doc, label: str) -> list[Span]:
    """The phrases with a label, function tags aside.

    Raises:
        TreeError: The Doc has no trees.
    """
    brackets = get_brackets(doc)
    if brackets is None:
        raise TreeError(f"the Doc has no trees to find phrases in: {doc.text[:60]!r}")
    return [
        Span(doc, start, end, label=its_label)
        for its_label, start, end in brackets
        if base_label(its_label) == label
    ]


def chunks(doc: Doc, kind: str) -> list[Span]:
    """The chunks of a kind of `CHUNKS`, in pre-order.

    Raises:
        TreeError: The Doc has no trees.
        ValueError: There is no such kind.
    """
    if kind not in CHUNKS:
        raise ValueError(f"{kind!r} is no kind of chunks; these are: {', '.join(CHUNKS)}")
    matcher = TreeMatcher(doc.vocab)
    matcher.add(kind, [CHUNKS[kind]])
    return [match.span for match in matcher(doc)]

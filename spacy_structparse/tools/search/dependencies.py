"""Patterns of spaCy's `DependencyMatcher`, from a JSON file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import srsly
from spacy.matcher import DependencyMatcher
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ...errors import PatternError, SearchLimitError
from ...escaping import error_text
from .pattern import MOST_STEPS

Pattern = Sequence[Mapping[str, Any]]
"""A list of dicts, as the `DependencyMatcher` takes them."""


class StepwiseDependencyMatcher(DependencyMatcher):
    """Finds the matches of spaCy's matcher, in its order, in a limited number of steps.

    spaCy tries every combination of the tokens that fit the nodes. Here a combination ends at the
    first token that is not in its relation.
    """

    def _get_matches(
        self,
        cache: dict[tuple[int, str], list[int]],
        doc: Doc,
        tree: Mapping[int, Sequence[tuple[str, int]]],
        tokens_to_key: Sequence[int],
        keys_to_position: Mapping[int, Sequence[int]],
    ) -> Iterator[list[int]]:
        """Find the matches in one dependency tree; spaCy calls it.

        Args:
            cache: The tokens in a relation to a token.
            doc: The Doc.
            tree: The nodes that are in a relation to each node of the pattern, which come later.
            tokens_to_key: The key of each node.
            keys_to_position: The tokens of the dependency tree that fit the node of a key.
        """
        above = {node: (left, name) for left, nodes in tree.items() for name, node in nodes}
        match: list[int] = []
        trying = [iter(keys_to_position[tokens_to_key[0]])]
        steps = 0
        while trying:
            del match[len(trying) - 1 :]
            token = next(trying[-1], None)
            if token is None:
                trying.pop()
                continue
            steps += 1
            if steps > MOST_STEPS:
                keys = self._tokens_to_key.items()
                key = next(key for key, patterns in keys if tokens_to_key in patterns)
                raise SearchLimitError(
                    f"pattern {int(self.vocab.strings[key]) + 1}, of {len(tokens_to_key)} nodes, "
                    f"has over {MOST_STEPS:,} combinations in a sentence: leave out nodes, or give "
                    "them more attributes"
                )
            match.append(token)
            if len(match) == len(tokens_to_key):
                yield list(match)
                continue
            left, operator = above[len(match)]
            related = set(
                self._resolve_node_operator(  # type: ignore[attr-defined]
                    cache, doc, match[left], operator
                )
            )
            candidates = keys_to_position[tokens_to_key[len(match)]]
            trying.append(iter([token for token in candidates if token in related]))


class DependencyQuery:
    """The patterns of a file.

    Args:
        path: The file.
        vocab: The vocabulary of the Docs.

    Attributes:
        needs: The annotation that is searched, for messages.
        names: The names of nodes in all patterns.

    Raises:
        PatternError: There is no such file, or a pattern in it cannot be read.
    """

    needs = "dependencies"

    def __init__(self, path: Path, vocab: Vocab) -> None:
        self._patterns = _read_patterns(path)
        self._strings = vocab.strings
        self._matcher = StepwiseDependencyMatcher(vocab)
        try:
            for number, pattern in enumerate(self._patterns):
                self._matcher.add(str(number), [pattern])
        except (ValueError, KeyError, TypeError) as error:
            raise PatternError(f"{path}: {error_text(error)}") from error
        names = (str(entry["RIGHT_ID"]) for pattern in self._patterns for entry in pattern)
        self.names = list(dict.fromkeys(names))

    def can_search(self, doc: Doc) -> bool:
        """Return True if a Doc has dependencies."""
        return doc.has_annotation("DEP")

    def find(self, docs: Iterable[Doc]) -> Iterator[list[tuple[Span, dict[str, Span]]]]:
        """Find the matches in each Doc: the token that a pattern begins with, and all by name."""
        for doc in docs:
            found = []
            for key, tokens in self._matcher(doc):
                pattern = self._patterns[int(self._strings[key])]
                names = [str(entry["RIGHT_ID"]) for entry in pattern]
                nodes = {name: doc[i : i + 1] for name, i in zip(names, tokens, strict=True)}
                found.append((nodes[names[0]], nodes))
            yield sorted(found, key=lambda one: one[0].start)


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

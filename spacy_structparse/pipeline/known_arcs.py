"""Known arcs of sentences: reading them, with errors that name conflicts, and keeping them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from spacy.tokens import Doc

from ..errors import ActionError, ConstraintError
from ..extensions.known_arcs import known_heads_and_labels, named
from ..search_results import Arcs
from ..transitions.dependency.arc_standard import ROOT_LABEL
from ..transitions.dependency.known_arcs import KnownArcs, configurations
from ..transitions.dependency.partial_oracle import UNKNOWN, check_heads
from ..trees.span_group import excerpt
from .gold_dependencies import is_root_label
from .sentences import Sentence


def with_known_arcs(
    parser: Any, docs: Sequence[Doc], sentences: Sequence[Sentence]
) -> list[Sentence]:
    """Add to sentences the arcs that are known of them.

    Args:
        parser: The parser that is to keep them.
        docs: The Docs of a call.
        sentences: Their sentences.

    Raises:
        ConstraintError: Something is known of white space, a known head is not in its Doc, or what
            is known conflicts with each other or with its sentence.
    """
    try:
        known = [known_heads_and_labels(doc) for doc in docs]
    except ValueError as error:
        raise ConstraintError(f"[{parser.name}] {error}") from error
    if not any(map(any, known)):
        return list(sentences)
    for doc, (known_heads, known_labels) in zip(docs, known, strict=True):
        for token in [*known_heads, *known_labels]:
            if doc[token].is_space:
                problem = f"{named(doc[token])} is white space, without an arc"
                raise conflict(parser, doc, problem)
    return [
        replace(sentence, known=_known_arcs(parser, docs, sentence, *known[sentence.doc]))
        for sentence in sentences
    ]


def _known_arcs(
    parser: Any,
    docs: Sequence[Doc],
    sentence: Sentence,
    known_heads: dict[int, int],
    known_labels: dict[int, str],
) -> KnownArcs | None:
    """Read the known arcs of a sentence from those of its Doc; None if there are none."""
    tokens = sentence.tokens.tolist()
    place = {token: i for i, token in enumerate(tokens)}
    own = sorted({*known_heads, *known_labels} & place.keys())
    if not own:
        return None
    doc, n = docs[sentence.doc], len(tokens)
    # Labels without the heads that lifted arcs name.
    labels = np.array(parser.bare_labels, dtype=object)
    is_lifted = labels != np.array(parser.labels, dtype=object)
    heads = np.full(n, UNKNOWN, dtype=np.int64)
    allowed = np.ones((n, len(labels)), dtype=bool)
    may_be_root = np.ones(n, dtype=bool)
    for token in own:
        word, head, label = place[token], known_heads.get(token), known_labels.get(token)
        if head is not None:
            if head not in place:
                problem = f"{named(doc[head])}, which is no word of its sentence"
                raise conflict(parser, doc, f"the head of {named(doc[token])} is {problem}")
            heads[word] = place[head]
            allowed[word] &= ~is_lifted
        if label is None:
            continue
        is_root = is_root_label(label)
        if is_root and head is None:
            heads[word] = word
        elif head is not None and is_root != (head == token):
            problem = f"{label!r} and the head {named(doc[head])}: a root is its own head"
            problem = f"{named(doc[token])} has the label {problem}, labelled {ROOT_LABEL!r}"
            raise conflict(parser, doc, problem)
        if not is_root:
            if label not in labels.tolist():
                others = ", ".join(sorted(set(map(str, labels))))
                problem = f"{label!r}, which is no label of the parser: {others}"
                raise conflict(parser, doc, f"known_dep of {named(doc[token])} is {problem}")
            allowed[word] &= labels == label
            may_be_root[word] = False
    known = KnownArcs(heads, allowed, may_be_root)
    try:
        if parser.is_projective:
            configurations(known)
        else:
            check_heads(heads.tolist(), parser._shim.settings["single_root"])
            if not (heads == np.arange(n)).any() and not may_be_root[heads < 0].any():
                raise ActionError("no word can be the root, by its known head or label")
    except ActionError as error:
        raise conflict(parser, doc, str(error), sentence) from error
    return known


def given_arcs(
    parser: Any, docs: Sequence[Doc], sentences: Sequence[Sentence], arcs: Arcs
) -> np.ndarray:
    """Find which parts of the arcs of sentences were known.

    Args:
        parser: The parser.
        docs: The Docs of the call.
        sentences: The sentences.
        arcs: Their arcs.

    Returns:
        (N, 2) bool: the head of each word was known, and its label.

    Raises:
        ConstraintError: A parse does not keep what is known.
    """
    given = np.zeros((len(arcs.heads), 2), dtype=bool)
    start = 0
    for sentence in sentences:
        part = slice(start, start + len(sentence.tokens))
        start = part.stop
        known = sentence.known
        if known is None:
            continue
        if not known.is_kept(arcs.heads[part], arcs.labels[part]):
            raise not_kept(parser, docs[sentence.doc], sentence)
        is_root = known.heads == np.arange(len(known.heads))
        given[part, 0] = known.heads != UNKNOWN
        given[part, 1] = is_root | ~known.may_be_root
    return given


def not_kept(parser: Any, doc: Doc, sentence: Sentence) -> ConstraintError:
    """The error that no parse of a sentence was found that keeps what is known."""
    return conflict(parser, doc, "no parse was found that keeps it", sentence)


def conflict(
    parser: Any, doc: Doc, problem: str, sentence: Sentence | None = None
) -> ConstraintError:
    """The error of known arcs in a Doc, or in a sentence whose words the problem counts."""
    where, counted = excerpt(doc.text), ""
    if sentence is not None:
        first, last = sentence.tokens[[0, -1]].tolist()
        where = f"the sentence {excerpt(doc[first : last + 1].text)}"
        counted = " (words are counted from 0)"
    return ConstraintError(
        f"[{parser.name}] what is known of {where} conflicts{counted}: {problem}"
    )

"""Sentences of Docs: where they start, which tokens are parsed, and how they are packed.

Whitespace tokens are not parsed. They hang on the token before them or, at the start of a sentence,
on the next one. An all-space sentence is its own root.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.strings import get_string_id
from spacy.tokens import Doc
from spacy.training import Example

Output = TypeVar("Output")
Symbols = Literal["", "tag", "text"]


@dataclass(frozen=True)
class Sentence:
    """The tokens of a sentence.

    Attributes:
        tokens: (n,) indices in the Doc of the tokens to parse, in order.
        offset: The index of the Doc's first token among those of all Docs of the call.
        doc: The index of the Doc in the call.
        part_of: The first token of the sentence that this is a part of; None: it is whole.
        known: The known part of its parse, which a parser keeps; None: nothing is known.
    """

    tokens: np.ndarray
    offset: int
    doc: int
    part_of: int | None = None
    known: Any = None

    @property
    def where(self) -> str:
        """The place of the sentence, as warnings name it."""
        first, last = self.tokens[[0, -1]]
        return f"doc {self.doc} of its batch, tokens {first} to {last}"

    @property
    def order(self) -> tuple[int, int]:
        """The place of the first token, by which sentences are sorted."""
        return self.doc, int(self.tokens[0])

    @property
    def place(self) -> tuple[int, int]:
        """The Doc and the token in it where the sentence begins, or the one it is a part of."""
        return self.doc, int(self.tokens[0]) if self.part_of is None else self.part_of


class SentenceGold(NamedTuple):
    """A sentence, and what a model learns of it."""

    sentence: Sentence
    target: Any


def word_counts(sentences: Sequence[Sentence]) -> np.ndarray:
    """(B,) words of each sentence."""
    return np.array([len(s.tokens) for s in sentences], dtype=np.int64)


def token_rows(sentences: Sequence[Sentence]) -> np.ndarray:
    """(N,) the tokens of sentences, counted through all Docs of the call."""
    return np.concatenate([s.tokens + s.offset for s in sentences])


def symbols_of(doc: Doc, reads: Symbols, tokens: Sequence[int]) -> list[str]:
    """The tags or the texts of some tokens of a doc."""
    return [doc[i].tag_ if reads == "tag" else doc[i].text for i in tokens]


def cut_sentences(
    docs: Sequence[Doc], starts: Sequence[np.ndarray] | None = None
) -> list[Sentence]:
    """Cut Docs into sentences, without whitespace tokens and without sentences of them alone.

    Args:
        docs: The Docs.
        starts: For each Doc (len(doc),) True where a sentence begins; by default the Doc's own.
    """
    lengths = np.array([len(doc) for doc in docs], dtype=np.int64)
    if not lengths.any():
        return []
    offsets = np.cumsum(lengths) - lengths
    attrs = np.concatenate([doc.to_array(["SENT_START", "IS_SPACE"]) for doc in docs])
    begins = attrs[:, 0] == 1 if starts is None else np.concatenate(starts)
    begins[offsets[lengths > 0]] = True
    words = np.flatnonzero(attrs[:, 1] == 0)
    # The words of a sentence follow one another: it ends where its number changes.
    ends = np.flatnonzero(np.diff(np.cumsum(begins)[words], append=-1)) + 1
    doc_of = np.repeat(np.arange(len(docs)), lengths)[words]
    own = words - offsets[doc_of]
    return [
        Sentence(own[first:end], int(offsets[doc_of[first]]), int(doc_of[first]))
        for first, end in pairwise([0, *ends.tolist()])
    ]


def pack(
    sentences: Sequence[Sentence], max_words: int, max_pairs: int | None = None
) -> list[list[int]]:
    """Pack sentences into batches, longest sentences first.

    Args:
        sentences: The sentences.
        max_words: Maximum number of words in a batch; one longer sentence is a batch of its own.
        max_pairs: Maximum number of pairs of words, each sentence counted as the longest.

    Returns:
        Batches of indices into ``sentences``.
    """
    order = sorted(range(len(sentences)), key=lambda i: -len(sentences[i].tokens))
    batches: list[list[int]] = []
    room = rows = 0
    for i in order:
        n = len(sentences[i].tokens)
        if not batches or n > room or not rows:
            batches.append([])
            room = max_words
            rows = len(order) if max_pairs is None else max(max_pairs // n**2, 1)
        batches[-1].append(i)
        room -= n
        rows -= 1
    return batches


def by_doc(outputs: Iterable[tuple[Sentence, Output]], n_docs: int) -> list[list[Output]]:
    """Sort the outputs for sentences, or parts of them, by Docs and tokens."""
    of_docs: list[list[Output]] = [[] for _ in range(n_docs)]
    for sentence, output in sorted(outputs, key=lambda pair: pair[0].order):
        of_docs[sentence.doc].append(output)
    return of_docs


def attach_spaces(heads: np.ndarray, parsed: np.ndarray) -> None:
    """Give every unparsed token a head, in place.

    It is the word before, of the same sentence or not: a `senter` begins sentences at whitespace.
    At the beginning of a Doc it is the first word, and the first token of a Doc without words.

    Args:
        heads: (n,) heads by index in the Doc.
        parsed: (n,) bool.
    """
    words = np.flatnonzero(parsed)
    first = words[0] if len(words) else 0
    before = np.maximum.accumulate(np.where(parsed, np.arange(len(parsed)), first))
    heads[~parsed] = before[~parsed]


ENDS = frozenset(map(get_string_id, Sentencizer.default_punct_chars))
MIN_WORDS = 2


class SeveralSentencesWarning(UserWarning):
    """A Doc without sentence starts has several sentences, and is parsed as one."""


def is_plainly_several(doc: Doc) -> bool:
    """Return True if a Doc has several sentences by the looks of it, whatever its sentence starts.

    After the mark that ends a sentence, and closing quotes and brackets, a word follows that is not
    in lower case, and each part is of several words.
    """
    inner = doc.to_array("ORTH")[MIN_WORDS:-MIN_WORDS].tolist()
    if ENDS.isdisjoint(inner):
        return False
    for after, orth in enumerate(inner, MIN_WORDS + 1):
        if orth not in ENDS:
            continue
        while after < len(doc) and (doc[after].is_punct or doc[after].is_space):
            after += 1
        if len(doc) - after >= MIN_WORDS:
            first = doc[after].text[0]
            if first.isalpha() and not first.islower():
                return True
    return False


def mark_as_one_sentence(doc: Doc) -> None:
    """Set the sentence starts of a Doc that has none and does not look like several sentences.

    Without them spaCy's `doc.sents` is an error (E030).
    """
    has_starts = doc.has_annotation("SENT_START") or doc.has_annotation("DEP")
    if not has_starts and not is_plainly_several(doc):
        for token in doc:
            token.is_sent_start = token.i == 0


def same_tokens(example: Example) -> bool:
    """Return True if both docs of an Example have the same tokens."""
    x, y = example.predicted, example.reference
    return len(x) == len(y) and np.array_equal(x.to_array("ORTH"), y.to_array("ORTH"))


def gold_starts(example: Example) -> np.ndarray:
    """(len(predicted),) True where a gold sentence begins; all False if the gold has no starts."""
    gold = example.reference
    if not gold.has_annotation("SENT_START"):
        return np.zeros(len(example.predicted), dtype=bool)
    if same_tokens(example):
        return gold.to_array("SENT_START") == 1
    return np.array([start == 1 for start in example.get_aligned_sent_starts()], dtype=bool)


SENTENCE_SPLITTERS = ("sentencizer", "senter", "parser")
_NEVER = "no token"
"""A sentence mark that no text has: a token of a text has no space within."""


def set_sentence_splitter(nlp: Language, wanted: bool | None) -> None:
    """Cut texts into sentences by punctuation, or not; None: where no component of it does it.

    Sentence starts that a Doc comes with are kept.
    """
    if wanted is False:
        # The components behind it keep the sentence starts that it sets, and it sets the first.
        nlp.add_pipe("sentencizer", "one_sentence", first=True, config={"punct_chars": [_NEVER]})
        return
    factories = {nlp.get_pipe_meta(name).factory for name in nlp.pipe_names}
    if wanted is None:
        wanted = factories.isdisjoint(SENTENCE_SPLITTERS)
    if wanted and "sentencizer" not in factories:
        nlp.add_pipe("sentencizer", first=True)

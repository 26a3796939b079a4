"""Silver data: sentences of a corpus on whose parses parsers agree (Vinyals et al. 2015, 3.1)."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from spacy.tokens import Doc, DocBin
from spacy.util import minibatch

from ...corpora.convert import DOCBIN_ATTRS
from ...corpora.docbins import subset_of
from ...corpora.docs import sentences_as_docs
from ...corpora.memory_zone import memory_zone
from ...corpora.pipeline_outputs import copy_words
from ...escaping import error_text
from ...extensions.confidence import parse_confidence
from ...trees.retokenizing import realign_trees
from ...trees.words import sentences_of, words_of
from .agreement import Parser, Rule
from .duplicates import Fingerprint, fingerprint, sentence_keys
from .lengths import bucket_of, sample, sample_sizes

CHUNK = 200
"""Documents that are parsed by all parsers before the next are read."""
SPLITTERS = ("senter", "sentencizer")
OUTCOMES = (
    "read", "excluded", "duplicates", "unsure", "disagreed", "failed", "agreed", "unsampled",
    "written",
)  # fmt: skip
"""The fates of sentences, see `Silver`."""


@dataclass
class Silver:
    """Silver data, and what became of the sentences that were read.

    Attributes:
        docs: The sentences, a Doc each, with the parses of the first parser.
        sentences: Counts, which add up: what is read is excluded, a duplicate, unsure (the
            confidence is too low), failed (a later parser failed), disagreed or agreed, and what is
            agreed is unsampled or written.
        failures: Descriptions of the documents and sentences on which a parser failed. None of the
            sentences of these documents count.
    """

    docs: DocBin = field(default_factory=lambda: DocBin(attrs=DOCBIN_ATTRS))
    sentences: Counter[str] = field(default_factory=lambda: Counter(dict.fromkeys(OUTCOMES, 0)))
    failures: list[str] = field(default_factory=list)


def make_silver(
    documents: Iterable[str | Doc],
    parsers: Sequence[Parser],
    rule: Rule,
    *,
    keys: Fingerprint = fingerprint,
    held_out: Collection[int] = (),
    like: Mapping[int, int] | None = None,
    seed: int = 0,
) -> Silver:
    """Parse a corpus, and keep the sentences on whose parses the parsers agree.

    The first parser makes tokens and sentences. The others parse the same tokens and sentences.
    Documents are read in a stream; what agrees is held in memory.

    Args:
        documents: Texts, and Docs with tokens, which are kept, and maybe with sentence starts.
        parsers: One or more. Each sees the sentences on which those before it agree.
        rule: When sentences are taken.
        keys: The keys of a sentence. One with a key that was seen is a duplicate.
        held_out: The keys of sentences that are excluded.
        like: The number of sentences in each bucket of length of a treebank, for a sample with its
            distribution (see :func:`~.lengths.sample_sizes`). None: all sentences are taken.
        seed: That of the sample.

    Raises:
        ValueError: No sentence is left, or no sample has the lengths of `like`.
    """
    made = Silver()
    held_out, seen, buckets = frozenset(held_out), set[int](), list[int]()
    for chunk in minibatch(documents, CHUNK):
        with ExitStack() as zones:
            for parser in parsers:
                zones.enter_context(memory_zone(parser.nlp))
                zones.enter_context(_failures_described(parser, made))
            parses = _new_parses(chunk, parsers[0], rule, keys, held_out, seen, made)
            for other in parsers[1:]:
                parses = _agreed(parses, parsers[0], other, rule, made)
            for doc in parses:
                made.docs.add(doc)
                buckets.append(bucket_of(len(words_of(doc))))
    counts = made.sentences
    counts["agreed"] = len(buckets)
    counts["failed"] = counts["read"] - sum(counts[name] for name in OUTCOMES[1:7])
    if not buckets:
        raise ValueError(_nothing_left(made))
    if like is not None:
        sizes = sample_sizes(Counter(buckets), like)
        if not sizes.total():
            raise ValueError(
                "no sample has the lengths of the treebank: of some lengths that it has, parsers "
                "agree on no sentence. Parse more text, or leave out --like"
            )
        made.docs = subset_of(made.docs, sample(buckets, sizes, seed))
    counts["written"] = len(made.docs)
    counts["unsampled"] = counts["agreed"] - counts["written"]
    return made


def _new_parses(
    documents: Sequence[str | Doc],
    parser: Parser,
    rule: Rule,
    keys: Fingerprint,
    held_out: frozenset[int],
    seen: set[int],
    made: Silver,
) -> Iterator[Doc]:
    """Parse documents, and yield the sentences that are new and sure enough."""
    for doc in parser.nlp.pipe(documents):
        try:
            realign_trees(doc, parser.outputs.spans_key)
            sentences = sentences_of(doc)
            parses = list(sentences_as_docs(sentences))
            asked = rule.confidence is not None
            sure = list(map(parse_confidence, sentences)) if asked else [None] * len(parses)
        except (ValueError, IndexError) as error:  # spaCy's, of spans that do not fit
            made.failures.append(f"{_shown(doc)}: {parser.name}: {error_text(error)}")
            continue
        for parse, confidence in zip(parses, sure, strict=True):
            # Those of the sentence would look at all multiword tokens of its Doc.
            own = frozenset(sentence_keys(parse[:], keys))
            made.sentences["read"] += 1
            if own & held_out:
                made.sentences["excluded"] += 1
            elif own & seen:
                made.sentences["duplicates"] += 1
            elif rule.confidence is not None and (confidence or 0.0) < rule.confidence:
                seen |= own
                made.sentences["unsure"] += 1
            else:
                seen |= own
                yield parse


def _agreed(
    parses: Iterable[Doc], first: Parser, other: Parser, rule: Rule, made: Silver
) -> Iterator[Doc]:
    """Yield the sentences whose parse by another parser agrees with that of the first one."""
    keys = first.outputs.spans_key, other.outputs.spans_key
    metas = {name: other.nlp.get_pipe_meta(name) for name in other.nlp.pipe_names}
    splitters = [name for name, meta in metas.items() if meta.factory in SPLITTERS]
    bare = ((copy_words(parse, True, other.nlp.vocab), parse) for parse in parses)
    with other.nlp.select_pipes(disable=splitters):
        for found, parse in other.nlp.pipe(bare, as_tuples=True):
            try:
                agree = rule.holds(parse, found, keys)
            except ValueError as error:
                made.failures.append(f"{_shown(parse)}: {other.name}: {error_text(error)}")
                continue
            if agree:
                yield parse
            else:
                made.sentences["disagreed"] += 1


@contextmanager
def _failures_described(parser: Parser, made: Silver) -> Iterator[None]:
    """Within it, documents on which a component fails are described and left out."""

    def handle(name: str, _: Any, docs: Sequence[Doc], error: Exception) -> None:
        reason = f"{parser.name}, {name}: {error_text(error)}"
        made.failures += [f"{_shown(doc)}: {reason}" for doc in docs]

    before = parser.nlp.default_error_handler
    parser.nlp.set_error_handler(handle)  # type: ignore[arg-type]
    try:
        yield
    finally:
        parser.nlp.set_error_handler(before)


def _shown(doc: Doc) -> str:
    """The beginning of a text, by which it is found again."""
    return repr(doc[:12].text)


def _nothing_left(made: Silver) -> str:
    reasons = ", ".join(f"{n} {name}" for name, n in made.sentences.items() if n)
    first = f". The first of {len(made.failures)} failures: " if made.failures else ""
    return f"no sentence is left ({reasons or '0 read'}){first}{''.join(made.failures[:1])}"

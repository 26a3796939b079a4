"""What is known of trees is kept by every parser of trees, however it is asked."""

from collections.abc import Sequence

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span

from spacy_structparse.brackets import Bracket, first_crossing
from spacy_structparse.errors import ConstraintError
from spacy_structparse.pipeline.seq2seq_constituency import Seq2SeqConstituencyParser
from spacy_structparse.pipeline.tree_constraints import CONSTRAINTS_KEY
from tests.helpers.paths import SAVED
from tests.helpers.small_trees import brackets_of

BOTTOM_UP, IN_ORDER, TOP_DOWN = (
    "trees_bottom_up_datt", "trees_in_order_datt", "trees_top_down_probabilistic",
)  # fmt: skip
PARSERS = [BOTTOM_UP, IN_ORDER, TOP_DOWN, "trees_ensemble"]
WORDS = "the cook stirs a thick soup with a spoon".split()
Pair = tuple[Language, Seq2SeqConstituencyParser]


def load(name: str) -> Pair:
    """A saved pipeline with its parser."""
    nlp = spacy.load(SAVED / name)
    return nlp, nlp.get_pipe(nlp.pipe_names[-1])


@pytest.fixture
def bottom_up() -> Pair:
    return load(BOTTOM_UP)


def doc_of(
    nlp: Language, known: Sequence[tuple[str, int, int]] = (), words: Sequence[str] = WORDS
) -> Doc:
    doc = Doc(nlp.vocab, words=words, tags=["NN"] * len(words))
    if known:
        doc.spans[CONSTRAINTS_KEY] = [Span(doc, i, j, label=label) for label, i, j in known]
    return doc


def random_known(labels: Sequence[str], seed: int) -> list[Bracket]:
    """Up to six brackets that do not cross, of which some have no label."""
    rng = np.random.default_rng(seed)
    known: list[Bracket] = []
    for _ in range(30):
        start, end = sorted(rng.choice(len(WORDS) + 1, 2, replace=False).tolist())
        one = Bracket(str(rng.choice(["", *labels])), start, end)
        # A second label over a span may be in no chain of the bottom-up parser.
        if first_crossing([*known, one]) is None and one[1:] not in {k[1:] for k in known}:
            known.append(one)
    return known[: rng.integers(1, 7)]


def missing(doc: Doc, brackets: Sequence[Bracket] | None = None) -> list[Span]:
    """The known spans that are in no tree of a Doc, or not among given brackets."""
    found = set(brackets_of(doc) if brackets is None else brackets)
    limits = {bracket[1:] for bracket in found}
    return [
        span
        for span in doc.spans[CONSTRAINTS_KEY]
        if (span.start, span.end) not in limits
        or (span.label_ and Bracket(span.label_, span.start, span.end) not in found)
    ]


def parsed(pair: Pair, docs: list[Doc]) -> list[Doc]:
    """The Docs through the whole pipeline, in one batch."""
    return list(pair[0].pipe(docs, batch_size=len(docs)))


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize(("beam_width", "confidence"), [(1, False), (3, True)])
def test_all_that_is_known_is_kept(name: str, beam_width: int, confidence: bool) -> None:
    """In one batch with Docs of which nothing is known, which parse as they do without."""
    nlp, parser = pair = load(name)
    parser.beam_width, parser.confidence = beam_width, confidence
    known = [random_known(parser.labels, seed) if seed % 3 else [] for seed in range(12)]
    docs = parsed(pair, [doc_of(nlp, of_doc) for of_doc in known])
    (alone,) = parsed(pair, [doc_of(nlp)])
    lost = [missing(doc) for doc in docs if CONSTRAINTS_KEY in doc.spans]
    assert not any(lost)
    assert any(brackets_of(doc) != brackets_of(alone) for doc in docs)
    for doc in docs[::3]:
        assert brackets_of(doc) == brackets_of(alone)


@pytest.mark.parametrize("name", PARSERS)
def test_what_a_parser_would_find_changes_nothing(name: str) -> None:
    """Its own brackets, all or some: the best action of each step is still allowed."""
    nlp, _ = pair = load(name)
    (alone,) = parsed(pair, [doc_of(nlp)])
    own = brackets_of(alone)
    docs = [doc_of(nlp, own), doc_of(nlp, own[1::2] or own)]
    for doc in parsed(pair, docs):
        assert brackets_of(doc) == own


@pytest.mark.parametrize("name", PARSERS)
def test_each_of_the_k_best_keeps_what_is_known(name: str) -> None:
    nlp, parser = load(name)
    for seed in range(3):
        doc = doc_of(nlp, random_known(parser.labels, seed))
        for _, pipe in nlp.pipeline[:-1]:
            doc = pipe(doc)
        (found,) = parser.k_best(doc, 3)
        assert len(found) == 3
        assert not any(missing(doc, parse.brackets) for parse in found)
        assert CONSTRAINTS_KEY in doc.spans


def test_confidence_of_what_is_known_is_one(bottom_up: Pair) -> None:
    nlp, parser = bottom_up
    parser.confidence = True
    parser.calibration = {"brackets": (0.5, 0.5, -1.0)}
    doc = nlp(doc_of(nlp, [(parser.labels[0], 3, 6)]))
    sure = {Bracket(s.label_, s.start, s.end): s._.confidence for s in doc.spans["constituency"]}
    assert sure.pop(Bracket(parser.labels[0], 3, 6)) == 1
    assert all(0 < confidence < 1 for confidence in sure.values())


def test_whitespace_at_the_edges_is_no_part_of_a_span(bottom_up: Pair) -> None:
    nlp, parser = bottom_up
    label = parser.labels[0]
    words = ["the", " ", "cook", "\n", "stirs", "soup"]
    doc = nlp(doc_of(nlp, [(label, 1, 4), ("", 2, 6)], words))
    assert Bracket(label, 2, 3) in brackets_of(doc)
    assert (2, 6) in {bracket[1:] for bracket in brackets_of(doc)}


# --- errors ---------------------------------------------------------------------------------------

ERRORS: dict[str, tuple[list[tuple[str, int, int]], str]] = {
    "cross": (
        [("", 0, 2), ("NP", 1, 4)],
        r"the span over 'the cook' \(tokens 0 to 2\) and 'NP' over 'cook stirs a' \(tokens 1 to "
        r"4\) cross",
    ),
    "label": (
        [("NO", 3, 6)],
        r"'NO' over 'a thick soup' \(tokens 3 to 6\) is unknown. Choose .*NP",
    ),
    "sentence": (
        [("NP", 3, 8)],
        r"'NP' over 'a thick soup with a' \(tokens 3 to 8\) goes over the end of a sentence, "
        r"after token 5",
    ),
    "chain": (
        [("NP", 3, 6), ("PP", 3, 6), ("VP", 3, 6)],
        r"no tree was found that keeps the span over 'a thick soup' \(tokens 3 to 6\)",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors_name_the_spans(case: str, bottom_up: Pair) -> None:
    nlp, parser = bottom_up
    known, message = ERRORS[case]
    assert {"NP", "PP", "VP"} <= set(parser.labels)
    doc = doc_of(nlp, known)
    doc[6].is_sent_start = case == "sentence"
    pattern = rf"\[{parser.name}\] doc.spans\[\"{CONSTRAINTS_KEY}\"\]: .*{message}"
    with pytest.raises(ConstraintError, match=pattern):
        nlp(doc)
    assert "constituency" not in doc.spans


@pytest.mark.parametrize("words", [["the", " ", "\n", "cook"], [" ", " ", "\n"]])
def test_a_span_of_whitespace_is_an_error(words: list[str], bottom_up: Pair) -> None:
    nlp, _ = bottom_up
    with pytest.raises(ConstraintError, match=r"characters \d to \d\) has no word of its own"):
        nlp(doc_of(nlp, [("", 1, 3)], words))


def test_decoding_without_constraints_is_an_error() -> None:
    nlp, parser = load("trees_top_down_none")
    parser.constrained = False
    with pytest.raises(ConstraintError, match="it has 1 spans to keep, and decoding is unconst"):
        nlp(doc_of(nlp, [("", 0, 2)]))
    parser.constrained = True
    assert not missing(nlp(doc_of(nlp, [("", 0, 2)])))


def test_bounds_that_leave_no_way_are_an_error() -> None:
    nlp, parser = load(IN_ORDER)
    parser.linearization.max_run = 2
    known = [(label, 3, 6) for label in parser.labels[:3]]
    with pytest.raises(ConstraintError, match=r"no tree was found that keeps .*\(tokens 3 to 6\)"):
        nlp(doc_of(nlp, known))

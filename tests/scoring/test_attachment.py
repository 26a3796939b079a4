"""Attachment scores: spaCy's own where they are meant to be, and direct counts elsewhere."""

import random

import pytest
import spacy
from spacy.scorer import Scorer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_structparse.scoring.attachment import score_dependencies, score_without_punctuation

LABELS = ["nsubj", "det", "punct", "obj"]
VOCAB = spacy.blank("en").vocab


def random_heads(rng: random.Random, n: int) -> list[int]:
    """A random tree: every word hangs on one placed before it."""
    order = list(range(n))
    rng.shuffle(order)
    heads = [0] * n
    for place, word in enumerate(order):
        heads[word] = order[rng.randrange(place)] if place else word
    return heads


def random_doc(rng: random.Random, words: list[str], pos: list[str], known: float = 1.0) -> Doc:
    heads = random_heads(rng, len(words))
    deps = [
        "" if rng.random() > known else "ROOT" if h == i else rng.choice(LABELS)
        for i, h in enumerate(heads)
    ]
    return Doc(VOCAB, words=words, pos=pos, heads=heads, deps=deps)


def random_examples(seed: int, known: float = 1.0) -> list[Example]:
    rng = random.Random(seed)
    examples = []
    for _ in range(6):
        n = rng.randint(1, 9)
        words = [rng.choice(["a", "bb", "ccc", ".", ","]) for _ in range(n)]
        pos = ["PUNCT" if word in ".," and rng.random() < 0.8 else "NOUN" for word in words]
        predicted = random_doc(rng, words, [""] * n)
        examples.append(Example(predicted, random_doc(rng, words, pos, known)))
    return examples


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("known", [1.0, 0.6])
def test_spacys_scores_and_a_direct_count(seed: int, known: float) -> None:
    examples = random_examples(seed, known)
    scores = score_dependencies(examples)

    def label(token: object, attr: str) -> str:
        return getattr(token, attr + "_").lower()

    expected = Scorer.score_deps(
        examples, "dep", getter=label, ignore_labels=("p", "punct"), head_attr="head"
    )
    for name in ("dep_uas", "dep_las"):
        assert scores[name] == pytest.approx(expected[name])
    heads = labelled = total = 0
    for example in examples:
        for token, gold in zip(example.predicted, example.reference, strict=True):
            if not gold.dep or gold.pos_ == "PUNCT":
                continue
            total += 1
            heads += token.head.i == gold.head.i
            labelled += token.head.i == gold.head.i and token.dep_ == gold.dep_
    assert scores["dep_uas_nopunct"] == pytest.approx(heads / total)
    assert scores["dep_las_nopunct"] == pytest.approx(labelled / total)


def test_misaligned_tokens_count_as_wrong() -> None:
    vocab = Vocab()
    gold = Doc(
        vocab,
        words=["New York", "is", "big"],
        heads=[1, 1, 1],
        deps=["nsubj", "ROOT", "acomp"],
        pos=["PROPN", "AUX", "ADJ"],
    )
    predicted = Doc(
        vocab,
        words=["New", "York", "is", "big"],
        heads=[1, 2, 2, 2],
        deps=["compound", "nsubj", "ROOT", "acomp"],
    )
    scores = score_dependencies([Example(predicted, gold)])
    assert scores["dep_uas_nopunct"] == scores["dep_uas"]
    assert scores["dep_las_nopunct"] == scores["dep_las"] < 1.0


def test_a_doc_without_gold_arcs_changes_no_score_of_the_others() -> None:
    vocab = Vocab()
    arcs = {"heads": [1, 1, 1], "deps": ["nsubj", "ROOT", "obj"]}
    gold = Doc(vocab, words=["she", "reads", "books"], **arcs)
    predicted = Doc(vocab, words=["she", "reads", "books"], **arcs)
    annotated = Example(predicted, gold)
    bare = Example(predicted.copy(), Doc(vocab, words=["she", "reads", "books"]))
    alone = score_dependencies([annotated])
    assert (alone["dep_uas"], alone["dep_las"]) == (1.0, 1.0)
    assert score_dependencies([bare, annotated]) == alone
    assert score_dependencies([annotated, bare]) == alone
    assert score_dependencies([bare])["dep_las"] is None


def test_spaces_and_words_that_are_cut_otherwise() -> None:
    gold = Doc(VOCAB, words=["can", "not", "go"], spaces=[False, True, False], heads=[2, 2, 2],
               deps=["aux", "advmod", "ROOT"], pos=["AUX", "PART", "VERB"])  # fmt: skip
    predicted = Doc(VOCAB, words=["cannot", "\n", "go"], spaces=[True, False, False],
                    heads=[2, 0, 2], deps=["aux", "dep", "ROOT"])  # fmt: skip
    unlabelled, labelled = score_without_punctuation([Example(predicted, gold)])
    # "cannot" is wrong, the line break does not count, and the root is right.
    for score in (unlabelled, labelled):
        assert (score.tp, score.fp, score.fn) == (1, 1, 2)

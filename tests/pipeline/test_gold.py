"""What is learned from gold: partial, misaligned, non-projective, and with labels nobody knows."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
import spacy
import torch
from spacy.language import Language
from spacy.pipeline._parser_internals import nonproj
from spacy.tokens import Doc
from spacy.training import Example

from spacy_structparse.errors import ActionError
from spacy_structparse.models.parser_model import SentenceBatch
from spacy_structparse.pipeline.gold_dependencies import gold_sentences, projectivized, tree_problem
from spacy_structparse.transitions.dependency.arc_standard import LEFT, RIGHT, SHIFT, derive
from spacy_structparse.transitions.dependency.partial_oracle import check_known_arcs
from tests.helpers.parser_cases import heads_from
from tests.helpers.small_parser import NAME, arcs, bare, examples_of, small, small_pipeline, train

NO_UNK = {"tok2vec": {"unk_prob": 0.0}}


def annotated(nlp: Language, heads: list[int | None], labels: list[str]) -> Example:
    """An example over letters; None is a token without head."""
    words = [f"w{i}" for i in range(len(heads))]
    root = next((i for i, head in enumerate(heads) if head == i), None)
    stored = [(i if root is None else root) if h is None else h for i, h in enumerate(heads)]
    deps = ["" if head is None else label for head, label in zip(heads, labels, strict=True)]
    starts = [i == 0 for i in range(len(words))]
    reference = Doc(nlp.vocab, words=words, heads=stored, deps=deps, sent_starts=starts)
    return Example(Doc(nlp.vocab, words=words), reference)


def gradients(nlp: Language) -> list[np.ndarray]:
    """All gradients of the parser and of its embedding."""
    found = []
    for node in nlp.get_pipe(NAME).model.walk():
        for shim in node.shims:
            found += [p.grad.numpy() for p in shim.module.parameters() if p.grad is not None]
    return found


PARSERS = pytest.mark.parametrize(
    "parser",
    [
        {"parser": "stack_lstm_dep"},
        {"parser": "spa_dep"},
        {"parser": "spa_dep", "head_loss": "max_margin"},
    ],
    ids=["stack LSTM", "cross entropy", "max margin"],
)


@PARSERS
def test_a_sentence_without_annotation_teaches_nothing(
    twenty: list[Doc], parser: dict[str, Any]
) -> None:
    nlp = small_pipeline(lambda nlp: examples_of(nlp, twenty), **parser, **NO_UNK)
    nothing = annotated(nlp, [None] * 5, [""] * 5)
    losses = nlp.update([nothing], sgd=False)
    assert losses[NAME] == pytest.approx(0.0, abs=1e-5)
    assert all(np.abs(gradient).max(initial=0) < 1e-6 for gradient in gradients(nlp))


def completions(moves: list[int], n: int, known: list[int | None]) -> bool:
    """Whether some way to go on from these moves builds all known arcs: by trying all of them."""
    n_shifts = moves.count(SHIFT)
    height = 2 * n_shifts - len(moves)
    if len(moves) == 2 * n - 1:
        heads = heads_from(derive(moves))
        return all(h is None or heads[i] == h for i, h in enumerate(known))
    options = ([SHIFT] if n_shifts < n else []) + ([LEFT, RIGHT] if height >= 2 else [])
    return any(completions([*moves, move], n, known) for move in options)


@pytest.mark.parametrize(
    "known",
    [
        [1, None, None, 2],
        [None, 1, None, None],
        [None, None, 1, None],
        [1, 3, None, None],
        [None, None, None, 3],
    ],
)
def test_the_loss_sums_over_every_action_that_loses_no_arc(
    twenty: list[Doc], known: list[int | None]
) -> None:
    """Against every continuation, tried out."""
    nlp = small_pipeline(lambda nlp: examples_of(nlp, twenty), **NO_UNK)
    component = nlp.get_pipe(NAME)
    example = annotated(nlp, known, ["det"] * 4)
    [gold] = gold_sentences([example])
    assert gold.heads == [-1 if head is None else head for head in known]
    _, batch = component.training_batch([gold])
    actions = batch.actions.tolist()
    moves = component.action_set.move_of[actions].tolist()
    n_labels = len(component.labels)
    det = component.labels.index("det")
    tokens = component.model.get_ref("tok2vec").predict([example.predicted])[0]
    module = component.model.get_ref("parser").shims[0].module.eval()
    scores = module.forced_scores(torch.from_numpy(tokens), batch).detach().double().numpy()
    loss = 0.0
    for step in range(len(moves)):
        allowed = []
        stack: list[int] = []
        words = iter(range(4))
        for move in moves[:step]:
            if move == SHIFT:
                stack.append(next(words))
            else:
                del stack[-2 if move == LEFT else -1]
        n_shifts, height = moves[:step].count(SHIFT), len(stack)
        if n_shifts < 4 and completions([*moves[:step], SHIFT], 4, known):
            allowed.append(0)
        for move, start in ((LEFT, 1), (RIGHT, 1 + n_labels)):
            if height < 2 or not completions([*moves[:step], move], 4, known):
                continue
            dependent = stack[-2] if move == LEFT else stack[-1]
            labels = range(n_labels) if known[dependent] is None else [det]
            allowed += [start + label for label in labels]
        legal = scores[step] > -1e8
        normalizer = np.logaddexp.reduce(scores[step][legal])
        loss -= np.logaddexp.reduce(scores[step][allowed]) - normalizer
    assert nlp.update([example], sgd=False)[NAME] == pytest.approx(loss, rel=1e-4)


def test_unknown_labels_teach_the_arc_alone(untrained: Language) -> None:
    heads = [1, 1, 1]
    known = annotated(untrained, heads, ["det", "ROOT", "punct"])
    unknown = annotated(untrained, heads, ["nobody:knows", "ROOT", "punct"])
    one = untrained.update([known], sgd=False)[NAME]
    other = untrained.update([unknown], sgd=False)[NAME]
    assert 0 < other < one
    assert "nobody:knows" not in untrained.get_pipe(NAME).labels


def test_nonprojective_gold_is_learned_and_comes_back() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("stack_lstm_dep", name=NAME, config=small())
    words = ["A", "hearing", "is", "scheduled", "on", "the", "issue", "today", "."]
    heads = [1, 2, 2, 2, 1, 6, 4, 3, 2]
    deps = ["det", "nsubj", "ROOT", "acomp", "prep", "det", "pobj", "npadvmod", "punct"]
    gold = Doc(nlp.vocab, words=words, heads=heads, deps=deps)
    assert nonproj.is_nonproj_tree(heads)
    nlp.initialize(lambda: examples_of(nlp, [gold]))
    assert any("||" in label for label in nlp.get_pipe(NAME).labels)
    train(nlp, examples_of(nlp, [gold]), 40)
    doc = nlp(bare(nlp.vocab, gold))
    assert arcs(doc) == arcs(gold)
    assert [len(sent) for sent in doc.sents] == [len(gold)]
    assert [t.i for t in doc[1].rights] == [4]
    scores = nlp.evaluate(examples_of(nlp, [gold]))
    assert scores["dep_las"] == 1.0
    best, *others = nlp.get_pipe(NAME).k_best(bare(nlp.vocab, gold), 5)[0]
    assert best.heads == tuple(heads)
    assert not any("||" in label for parse in (best, *others) for label in parse.labels)


def test_misaligned_tokens_learn_the_arcs_they_share(untrained: Language) -> None:
    """As in spaCy's parser the parts of a gold token hang where it does; nothing hangs on them."""
    gold = Doc(
        untrained.vocab,
        words=["New York", "is", "big", "."],
        heads=[1, 1, 1, 1],
        deps=["nsubj", "ROOT", "acomp", "punct"],
    )
    split = Example(Doc(untrained.vocab, words=["New", "York", "is", "big", "."]), gold)
    [sentence] = gold_sentences([split])
    assert sentence.heads == [2, 2, 2, 2, 2]
    assert sentence.labels == ["nsubj", "nsubj", "ROOT", "acomp", "punct"]
    assert untrained.update([split], sgd=False)[NAME] > 0
    merged = Example(Doc(untrained.vocab, words=["New York is", "big", "."]), gold)
    [sentence] = gold_sentences([merged])
    assert sentence.heads == [-1, 0, 0]
    assert untrained.update([merged], sgd=False)[NAME] >= 0


def test_whitespace_in_gold(untrained: Language) -> None:
    """A gold whitespace token is not parsed; an arc to it is unknown."""
    words = ["\n", "Dogs", " ", "bark"]
    gold = Doc(
        untrained.vocab, words=words, heads=[1, 3, 1, 3], deps=["dep", "nsubj", "dep", "ROOT"]
    )
    [sentence] = gold_sentences([Example(Doc(untrained.vocab, words=words), gold)])
    assert sentence.sentence.tokens.tolist() == [1, 3]
    assert (sentence.heads, sentence.labels) == ([1, 1], ["nsubj", "ROOT"])
    gold[1].head = gold[2]
    gold[2].head = gold[3]
    [sentence] = gold_sentences([Example(Doc(untrained.vocab, words=words), gold)])
    assert sentence.heads == [-1, 1]


def test_every_small_partial_tree_is_learned_or_refused(twenty: list[Doc]) -> None:
    """Combinations of known heads over four words: a loss, or counted as skipped."""
    untrained = small_pipeline(lambda nlp: examples_of(nlp, twenty))
    component = untrained.get_pipe(NAME)
    vocab = untrained.vocab
    predicted = Doc(vocab, words=["a", "b", "c", "d"])
    for heads in itertools.islice(itertools.product(range(-1, 4), repeat=4), 0, None, 3):
        known: list[int | None] = [None if h < 0 else h for h in heads]
        gold = gold_sentences([annotated(untrained, [None] * 4, [""] * 4)])[0]
        gold.heads[:] = heads
        gold.labels[:] = ["" if h is None else "det" for h in known]
        component.skipped.update(["2 roots", "3 roots", "4 roots", "no root", "a cycle"])
        reachable = completions([], 4, known)
        complete_and_crossing = gold.is_complete and tree_problem(heads) is None
        try:
            check_known_arcs(heads)
        except ActionError:
            assert not reachable
            continue
        assert reachable or complete_and_crossing
        sentences, content = component.training_batch([projectivized(gold)])
        assert len(sentences) == 1
        batch = SentenceBatch(np.arange(4), content)
        losses = component.model.begin_update(([predicted], [batch]))[0]
        assert math.isfinite(losses[0].item())

"""The head words that `datt-bound-head` reads, in training and in parsing."""

import numpy as np
import torch
from spacy.language import Language
from spacy.tokens import Doc

from spacy_structparse.nn.seq2seq.decoder_state import DecoderState
from spacy_structparse.pipeline.sentences import token_rows
from tests.helpers.small_parser import examples_of
from tests.helpers.small_trees import NAME, tree_pipeline

HEADS = slice(4, 6)  # of (0, r, s, t, h_rs, h_st, T)


def pipeline(docs: list[Doc], heads: str) -> Language:
    return tree_pipeline(
        lambda nlp: examples_of(nlp, docs), attention="datt-bound-head", heads=heads
    )


def read_along_the_gold(nlp: Language, docs: list[Doc]) -> tuple[np.ndarray, np.ndarray]:
    """(S, 7) what training reads in every state of the gold derivations, and what a parser that
    takes the gold actions reads there."""
    component = nlp.get_pipe(NAME)
    examples = examples_of(nlp, docs)
    gold = component.gold_sentences(examples)
    sentences, batch = component.training_batch(
        sorted(gold, key=lambda one: -len(one.sentence.tokens))
    )
    assert len(sentences) == len(docs)
    tok2vec = component.model.get_ref("tok2vec")
    vectors = np.concatenate(tok2vec.predict([example.predicted for example in examples]))
    module = component.model.get_ref("parser").shims[0].module.eval()
    by_sentence = [batch.sentence == i for i in range(len(sentences))]
    parsing = np.full(tuple(batch.positions.shape), -9)
    with torch.no_grad():
        for one, states in zip(sentences, by_sentence, strict=True):
            n = len(one.tokens)
            tokens = torch.from_numpy(vectors[token_rows([one])])
            reader = DecoderState(module, module.encode(tokens, np.array([n])), 1)
            state = component.linearization.initial([n])
            previous = torch.tensor([len(component.linearization)])
            for row in torch.nonzero(states)[:, 0].tolist():
                reader.step(previous, state.boundaries())
                parsing[row] = reader.positions[0].numpy()
                previous = batch.targets[row : row + 1]
                state.apply(previous)
            assert state.finished.all()
    return batch.positions.numpy(), parsing


def test_rightmost_heads_are_read_in_training_as_in_parsing(twenty_trees: list[Doc]) -> None:
    docs = twenty_trees[:6]
    training, parsing = read_along_the_gold(pipeline(docs, "rightmost"), docs)
    assert training.tolist() == parsing.tolist()


def test_the_paper_trains_with_heads_that_it_does_not_parse_with(twenty_trees: list[Doc]) -> None:
    docs = twenty_trees[:6]
    training, parsing = read_along_the_gold(pipeline(docs, "paper"), docs)
    boundaries = [0, 1, 2, 3, 6]
    assert training[:, boundaries].tolist() == parsing[:, boundaries].tolist()
    agree = (training[:, HEADS] == parsing[:, HEADS]).mean()
    assert 0.3 < agree < 0.95


def test_explored_states_have_head_words_too(twenty_trees: list[Doc]) -> None:
    docs = twenty_trees[:4]
    settings = {"attention": "datt-bound-head", "tok2vec": {"unk_prob": 0.0}}
    losses = []
    for share in (1.0, 0.0, 0.0):
        nlp = tree_pipeline(lambda nlp: examples_of(nlp, docs), exploration=share, **settings)
        losses.append(nlp.update(examples_of(nlp, docs))[NAME])
    assert losses[0] > 0
    assert losses[0] != losses[1] == losses[2]

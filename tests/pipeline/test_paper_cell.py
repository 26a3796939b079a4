"""``cell = "paper"``: the LSTM of Vinyals et al. (2015, §2), whose first state is learned, and an
output layer without a bias."""

from pathlib import Path

import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc

from spacy_structparse.nn.seq2seq.model import Seq2Seq
from tests.helpers.small_parser import bare, examples_of, train
from tests.helpers.small_trees import NAME, brackets_of, tree_pipeline


def pipeline(docs: list[Doc], cell: str) -> Language:
    """The kind of parser that the paper has, but small."""
    return tree_pipeline(
        lambda nlp: examples_of(nlp, docs),
        linearization="top_down",
        encoder="lstm",
        encoder_width=32,
        attention="probabilistic",
        decoder="lstm",
        readout_width=0,
        cell=cell,
    )


def module_of(nlp: Language) -> Seq2Seq:
    return nlp.get_pipe(NAME).model.get_ref("parser").shims[0].module


def test_the_first_state_is_learned_and_stored(twenty_trees: list[Doc], tmp_path: Path) -> None:
    docs = twenty_trees[:3]
    nlp = pipeline(docs, "paper")
    assert not module_of(nlp).encoder.h_0.any()
    train(nlp, examples_of(nlp, docs), 5)
    assert module_of(nlp).encoder.h_0.all()
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert torch.equal(module_of(loaded).encoder.h_0, module_of(nlp).encoder.h_0)
    parses = [[brackets_of(one(bare(one.vocab, doc))) for doc in docs] for one in (nlp, loaded)]
    assert parses[0] == parses[1]

"""``cell = "paper"``: the LSTM of Vinyals et al. (2015, §2), whose first state is learned, and an
output layer without a bias."""

from pathlib import Path

import pytest
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc

from spacy_structparse.nn.seq2seq.model import Seq2Seq
from tests.helpers.seq2seq_cases import small_seq2seq
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


@pytest.mark.parametrize(
    ("encoder", "decoder", "h_0", "bias"),
    [
        ("lstm", "lstm", True, False),
        ("lstm", "gru", True, True),
        ("bigru", "lstm", False, False),
        ("bilstm", "lstm", False, False),
        ("bigru", "gru", False, True),
    ],
)
@pytest.mark.parametrize("readout_width", [0, 8])
def test_parameters(encoder: str, decoder: str, h_0: bool, bias: bool, readout_width: int) -> None:
    layers = {"encoder": encoder, "decoder": decoder, "readout_width": readout_width}
    paper, torchs = (small_seq2seq(cell=cell, **layers)[0] for cell in ("paper", "torch"))
    names = [{name for name, _ in parser.named_parameters()} for parser in (paper, torchs)]
    assert ("encoder.h_0" in names[0], "output.bias" in names[0]) == (h_0, bias)
    assert "encoder.h_0" not in names[1] and "output.bias" in names[1]


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


@pytest.mark.parametrize(("h_0", "bias"), [(False, True), (True, True), (False, False)])
def test_weights_of_earlier_versions_are_refused(
    twenty_trees: list[Doc], tmp_path: Path, h_0: bool, bias: bool
) -> None:
    """Such a module began at zero and had a bias."""
    nlp = pipeline(twenty_trees[:3], "paper")
    module = module_of(nlp)
    if not h_0:
        module.encoder.h_0 = None
    if bias:
        module.output.bias = torch.nn.Parameter(torch.zeros(len(module.output.weight)))
    nlp.to_disk(tmp_path)
    message = rf"\[{NAME}\] cannot be loaded.*do not fit the model"
    with pytest.raises(ValueError, match=message):
        spacy.load(tmp_path)

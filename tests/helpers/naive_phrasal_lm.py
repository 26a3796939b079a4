"""The language model of "Phrasal Recurrent Neural Network", an equation at a time."""

import torch
from torch import Tensor

from spacy_structparse.nn.phrasal_lm.model import PhrasalLM
from spacy_structparse.nn.phrasal_lm.pyramid import PhrasePyramid
from tests.helpers.plain_step import plain_step_of_all


def phrase_step(pyramid: PhrasePyramid, x: Tensor, h: Tensor) -> Tensor:
    """One state of one phrase (Eq. 5, with a gated unit)."""
    n = pyramid.hidden
    from_x = pyramid.weight_x @ x + pyramid.bias_x
    blocks = list(zip(pyramid.weight_h.split(n), pyramid.bias_h.split(n), strict=True))
    if pyramid.cell == "gru":
        (w_r, b_r), (w_z, b_z), (w_n, b_n) = blocks
        r = (from_x[:n] + w_r @ h + b_r).sigmoid()
        z = (from_x[n : 2 * n] + w_z @ h + b_z).sigmoid()
        new = (from_x[2 * n :] + r * (w_n @ h + b_n)).tanh()
    else:
        (w_z, b_z), (w_n, b_n) = blocks
        z = (from_x[:n] + w_z @ h + b_z).sigmoid()
        read = h if pyramid.cell == "update" else (1 - z) * h
        new = (from_x[n:] + w_n @ read + b_n).tanh()
    return (1 - z) * new + z * h


def surprisals(model: PhrasalLM, words: Tensor, targets: Tensor) -> tuple[Tensor, list[Tensor]]:
    """-ln p of the words of one sentence and of its end, (n + 1,), and the weights of the phrases
    for all of them but the first."""
    pyramid = model.pyramid
    state = words.new_zeros(1, model.lstm.state_size)
    phrases: list[Tensor] = []
    summary = None if pyramid is None else words.new_zeros(pyramid.hidden)
    found, weights = [], []
    for t, x in enumerate(torch.cat([model.first, words])):
        given = torch.cat([x, summary]) if model.feed else x
        h, state = plain_step_of_all(model.lstm, given[None], state)
        h = h[0]
        if pyramid is not None and t > 0:
            phrases = [*phrases, words.new_zeros(pyramid.hidden)][-model.max_phrase :]
            phrases = [
                phrase_step(pyramid, h if model.reads == "lstm" else x, phrase)
                for phrase in phrases
            ]
            attention = model.attention
            query = attention.of_query @ h + attention.bias
            scores = [
                (query + attention.of_position @ phrase).tanh() @ attention.v for phrase in phrases
            ]
            shares = torch.stack(scores).softmax(0)
            weights.append(shares)
            summary = sum(a * phrase for a, phrase in zip(shares, phrases, strict=True))
        shown = h if pyramid is None or model.of_summary is None else h + model.of_summary @ summary
        scores = model.output.weight @ shown + model.output.bias
        found.append(-scores.log_softmax(0)[targets[t]])
    return torch.stack(found), weights

"""How parsed sentences were parsed, as traces of their actions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from spacy.tokens import Doc

from ..models.torch_model import as_torch
from ..nn.attention import DeterministicAttention, ProbabilisticAttention
from ..nn.follow import follow
from ..nn.seq2seq import Seq2Seq
from ..nn.seq2seq_decode import ToParse, decode
from ..transitions.trace import AttentionKind, Trace
from .parser import token_rows
from .sentences import cut_sentences

if TYPE_CHECKING:
    from .seq2seq_constituency import Seq2SeqConstituencyParser


def trace_docs(
    parser: "Seq2SeqConstituencyParser", module: Any, docs: Sequence[Doc]
) -> list[list[Trace]]:
    """Parse docs, and tell how: for each doc the traces of its sentences, those of whitespace alone
    left out. Docs are not changed. module: the parser's Seq2Seq."""
    found: dict[tuple[int, int], Trace] = {}
    model, linearization = parser.model, parser.linearization
    packed = parser.packed(cut_sentences(docs))
    with torch.inference_mode():
        tokens = as_torch(model.ops.flatten(model.get_ref("tok2vec").predict(list(docs))))
        for sentences in packed:
            rows = torch.from_numpy(token_rows(sentences)).to(tokens.device)
            members = [(module, tokens.index_select(0, rows))]
            batch = ToParse(np.array([len(sentence.tokens) for sentence in sentences]))
            actions = decode(members, batch, parser.beam_width).actions
            followed = follow(members, batch, actions)
            for i, sentence in enumerate(sentences):
                taken = actions[i].tolist()
                found[sentence.doc, int(sentence.tokens[0])] = Trace(
                    words=[docs[sentence.doc][token].text for token in sentence.tokens.tolist()],
                    actions=taken,
                    names=[linearization.names[action] for action in taken],
                    log_probs=followed.log_probs[i],
                    attention=followed.attention[i],
                    kind=attention_kind(module),
                    brackets=linearization.brackets(taken, len(sentence.tokens)),
                )
    return [[found[place] for place in sorted(found) if place[0] == i] for i in range(len(docs))]


def attention_kind(module: Seq2Seq) -> AttentionKind:
    """Which attention a parser has."""
    if isinstance(module.attention, ProbabilisticAttention):
        return "probabilistic"
    return "deterministic" if isinstance(module.attention, DeterministicAttention) else "none"

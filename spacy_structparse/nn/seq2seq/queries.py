"""The queries that a sequence-to-sequence model answers without gold annotation."""

from collections.abc import Sequence

from ...search_results import ConfidenceQuery, ConfidentParse, Hypotheses, KBestQuery
from .beam_search import Decoded, Member, Sentences, beam_hypotheses, decode
from .bracket_confidence import decode_with_confidence
from .forced_decoding import ForcedQuery, ForcedResult, forced_decode

Query = Sentences | ForcedQuery | KBestQuery | ConfidenceQuery
Answer = Decoded | ForcedResult | Hypotheses | ConfidentParse


def decode_query(
    members: Sequence[Member],
    query: Query,
    beam_width: int = 1,
    constrained: bool = True,
    length_penalty: float = 0.0,
) -> Answer:
    """Answer a query: the best actions, alone or with the confidence of brackets, the hypotheses of
    a beam, or the probabilities of given actions.

    Args:
        members: One model, or an ensemble.
        query: The sentences, with or without actions, or with the number of parses wanted.
        beam_width, constrained, length_penalty: See
            :func:`spacy_structparse.nn.seq2seq.beam_search.decode`.
    """
    if isinstance(query, ForcedQuery):
        return forced_decode(members, query.sentences, query.actions)
    if isinstance(query, KBestQuery):
        return beam_hypotheses(members, query.sentences, query.beam_width)
    if isinstance(query, ConfidenceQuery):
        return decode_with_confidence(members, query.sentences, beam_width)
    return decode(members, query, beam_width, constrained, length_penalty=length_penalty)

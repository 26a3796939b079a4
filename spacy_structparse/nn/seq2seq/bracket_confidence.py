"""How sure the brackets of trees are, from the probabilities of the actions that were chosen."""

from collections.abc import Sequence

from ...search_results import ConfidentParse
from ...transitions.constituency.bracket_confidence import bracket_confidence, closing_actions
from .beam_search import Member, Sentences, decode_watched


def decode_with_confidence(
    members: Sequence[Member], sentences: Sentences, beam_width: int
) -> ConfidentParse:
    """Decode with constraints, and compute how sure each bracket is.

    Args:
        members: One model, or an ensemble.
        sentences: The sentences.
        beam_width: Hypotheses kept; 1 is greedy.

    Returns:
        The actions, with a dictionary of brackets over words and their confidence for each
        sentence.
    """
    linearization = members[0][0].linearization
    closing = closing_actions(linearization)
    decoded, log_probs, joint = decode_watched(members, sentences, beam_width, closing)
    found = [
        bracket_confidence(linearization, taken.tolist(), n, of_actions, of_closing)
        for taken, n, of_actions, of_closing in zip(
            decoded.actions, sentences.n_words.tolist(), log_probs, joint, strict=True
        )
    ]
    return ConfidentParse(decoded, found)

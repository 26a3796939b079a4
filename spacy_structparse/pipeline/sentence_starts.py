"""Docs without sentence starts: one sentence each, unless they plainly are several."""

from spacy.pipeline import Sentencizer
from spacy.strings import get_string_id
from spacy.tokens import Doc

ENDS = frozenset(map(get_string_id, Sentencizer.default_punct_chars))
MIN_WORDS = 2


class SeveralSentencesWarning(UserWarning):
    """A Doc without sentence starts has several sentences, and is parsed as one."""


def is_plainly_several(doc: Doc) -> bool:
    """Whether a Doc has several sentences by the looks of it, whatever its sentence starts.

    After the mark that ends a sentence, and closing quotes and brackets, a word follows that is not
    in lower case, and each part is of several words.
    """
    inner = doc.to_array("ORTH")[MIN_WORDS:-MIN_WORDS].tolist()
    if ENDS.isdisjoint(inner):
        return False
    for after, orth in enumerate(inner, MIN_WORDS + 1):
        if orth not in ENDS:
            continue
        while after < len(doc) and (doc[after].is_punct or doc[after].is_space):
            after += 1
        if len(doc) - after >= MIN_WORDS:
            first = doc[after].text[0]
            if first.isalpha() and not first.islower():
                return True
    return False


def mark_as_one_sentence(doc: Doc) -> None:
    """Set the sentence starts of a Doc that has none and does not look like several sentences.

    Without them spaCy's `doc.sents` is an error (E030).
    """
    known = doc.has_annotation("SENT_START") or doc.has_annotation("DEP")
    if not known and not is_plainly_several(doc):
        for token in doc:
            token.is_sent_start = token.i == 0

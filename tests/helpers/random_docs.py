"""Random Docs of any characters, and what every parse must keep to."""

import math
import random
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_structparse.brackets import Bracket
from spacy_structparse.transitions.constituency.interface import check_brackets
from spacy_structparse.trees.doc import sentence_trees
from spacy_structparse.trees.words import sentences_of, words_of

RANGES = [
    (0x20, 0x7E), (0x00, 0x1F), (0x7F, 0x2FF), (0x300, 0x36F), (0x370, 0x5FF), (0x600, 0x6FF),
    (0x900, 0x97F), (0xE00, 0xE7F), (0x1100, 0x11FF), (0x2000, 0x206F), (0x3000, 0x30FF),
    (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xE000, 0xF8FF), (0xFE00, 0xFE0F), (0xFFF0, 0xFFFF),
    (0x1F300, 0x1FAFF), (0xE0000, 0xE007F), (0x10FFF0, 0x10FFFF),
]  # fmt: skip
WORDS = [
    "the", "dog", "barks", ".", "sees", "(", ")", "-LRB-", "#", "_", "\t", "\n", " ", "  \n",
    "\r\n", "1.1", "2-3", "e\u0301", "\u202e", "\ufeff", "w" * 300, "\u2028", "\\/", "--",
]  # fmt: skip


def random_word(rng: random.Random) -> str:
    """A word of a small vocabulary, or of any characters."""
    if rng.random() < 0.4:
        return rng.choice(WORDS)
    ranges = rng.choices(RANGES, k=rng.randint(1, 2))
    return "".join(chr(rng.randint(*rng.choice(ranges))) for _ in range(rng.randint(1, 8)))


def random_doc(vocab: Vocab, rng: random.Random, longest: int = 30) -> Doc:
    """Up to ``longest`` words, with tags, with or without sentence starts; sometimes none at all.

    Parsers that read tags refuse a call without any.
    """
    n = rng.choice([0, 1, 2, rng.randint(1, longest), rng.randint(1, longest)])
    words = [random_word(rng) for _ in range(n)]
    tags = [rng.choice(["NN", "DT", "\u00e9", "_SP"]) for _ in words]
    extra: dict[str, Any] = {"tags": tags}
    if n and rng.random() < 0.5:
        extra["sent_starts"] = [True, *(rng.random() < 0.2 for _ in words[1:])]
    return Doc(vocab, words=words, spaces=[rng.random() < 0.7 for _ in words], **extra)


def copy_of(doc: Doc) -> Doc:
    """The same Doc without annotation of ours."""
    return Doc(doc.vocab).from_bytes(doc.to_bytes())


def check_parse(nlp: Language, before: Doc, doc: Doc) -> None:
    """The Doc is whole, and its annotation is legal, whatever the component is."""
    assert doc.text == before.text
    assert [token.text for token in doc] == [token.text for token in before]
    factory = nlp.get_pipe_meta(nlp.pipe_names[-1]).factory
    words = [token for token in doc if not token.is_space]
    if factory in ("stack_lstm_dep", "spa_dep"):
        settings = nlp.get_pipe_config(nlp.pipe_names[-1])["model"]
        _check_arcs(before, doc, settings.get("single_root", True))
    elif factory == "seq2seq_constituency":
        for sentence, tree in zip(sentences_of(doc), sentence_trees(doc), strict=True):
            of_one = words_of(sentence)
            assert tree is not None
            assert tree.words() == [token.text for token in of_one]
            check_brackets([Bracket(*span) for span in tree.spans()], len(of_one))
    elif factory == "phrasal_lm":
        assert all(token._.surprisal >= 0 for token in words)
        assert not words or math.isfinite(doc._.perplexity)
    elif factory == "seq2seq_translation":
        assert not set("\n\r") & set(doc._.translation)
    Doc(doc.vocab).from_bytes(doc.to_bytes())


def _check_arcs(before: Doc, doc: Doc, single_root: bool) -> None:
    if not len(doc):
        return
    # Whitespace belongs to the word before: sentences begin at words, the first one at the Doc.
    words = [token.i for token in before if not token.is_space]
    begun = [token.i for token in before if token.is_sent_start]
    at_words = {next((word for word in words if word >= start), 0) for start in begun}
    starts = [0, *sorted(at_words - {0, *words[:1]})]
    for start, end in zip(starts, [*starts[1:], len(doc)], strict=True):
        tokens = doc[start:end]
        roots = [token for token in tokens if token.head == token]
        assert len(roots) == 1 if single_root else roots
        for token in tokens:
            assert start <= token.head.i < end
            assert token.dep_
            for _ in range(end - start):
                token = token.head
            assert token in roots

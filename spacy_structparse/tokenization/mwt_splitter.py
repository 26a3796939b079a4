"""`spacy-structparse.mwt_splitter.v1`: a tokenizer that splits multiword tokens into words."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import srsly
from spacy.attrs import LEMMA, MORPH, NORM, POS, TAG
from spacy.language import Language, create_tokenizer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..extensions.multiword import (
    MultiwordToken,
    multiword_tokens,
    set_multiword_tokens,
    surface_text,
)
from ..scoring.conll18.scorer import score_multiword
from .split_rules import Pieces, Split, SplitRules
from .wrapped_tokenizer import Tokenizer, WrappedTokenizer

_RULES = "multiword.json"


def create_mwt_splitter(
    tokenizer: Callable[[Language], Tokenizer] | None = None,
) -> Callable[[Language], "MwtSplitter"]:
    """A tokenizer that splits multiword tokens as a treebank does: *du* into *de* and *le*.

    It learns which forms are multiword tokens, and of which words, when a pipeline is initialized,
    from Docs that `spacy structparse convert` made of CoNLL-U. Where a form has several analyses
    (*des*: *de* and *les*, or an article) a classifier chooses by the neighbouring words.

    A Doc has the words as its tokens, so `doc.text` is not the text that was tokenized where a
    multiword token was split; `doc._.surface_text` is.

    Args:
        tokenizer: The tokenizer whose tokens are split. `null`: spaCy's, `spacy.Tokenizer.v1`.
    """

    def create(nlp: Language) -> MwtSplitter:
        return MwtSplitter(nlp.vocab, (tokenizer or create_tokenizer())(nlp))

    return create


class MwtSplitter(WrappedTokenizer):
    """Tokenizer that splits multiword tokens; see `create_mwt_splitter`.

    Attributes:
        vocab: The pipeline's vocabulary.
        base: The tokenizer whose tokens are split.
        rules: The rules that it has learned.
    """

    NAME = "mwt_splitter"

    def __init__(self, vocab: Vocab, base: Any) -> None:
        super().__init__(vocab, base)
        self.rules = SplitRules()

    def __call__(self, text: str) -> Doc:
        """Tokenize a text. `doc.spans["multiword"]` are the multiword tokens that were split."""
        doc = self.base(text)
        pieces, tokens = _pieces(doc)
        splits = [
            Split(tokens[split.start], tokens[split.end - 1] + 1, split.form, split.words)
            for split in self._splits(pieces)
        ]
        return _split_doc(doc, splits) if splits else doc

    def words_of(self, text: str) -> Doc:
        return self.base(text)

    @property
    def has_learned(self) -> bool:
        """True if there are rules, or if the base tokenizer has learned: the treebank of both may
        have no multiword tokens."""
        return bool(self.rules.analyses) or getattr(self.base, "has_learned", False)

    def learn_from(self, get_examples: Callable[[], Iterable[Example]]) -> None:
        """Learn the rules from the multiword tokens of the Examples' reference Docs."""

        def texts() -> Iterator[tuple[str, Sequence[MultiwordToken]]]:
            for example in get_examples():
                yield surface_text(example.reference), multiword_tokens(example.reference)

        kept = self.rules.kept
        self.rules = SplitRules.learn(texts, lambda text: _pieces(self.base(text))[0])
        self.rules.kept = kept
        if not self.rules.analyses:
            warnings.warn(
                "[nlp.tokenizer] mwt_splitter splits nothing: no doc.spans['multiword'] in the "
                "training data. Convert CoNLL-U files that have multiword tokens.",
                stacklevel=3,
            )

    def add_special_case(self, string: str, substrings: Iterable[dict[Any, str]]) -> None:
        """Set the tokens of a string in the tokenizer that is wrapped, and split them no further.

        Args:
            string: The string.
            substrings: A dict for each of its tokens, with the key ORTH and perhaps NORM.

        Raises:
            ValueError: The tokenizer that is wrapped refuses it.
        """
        super().add_special_case(string, substrings)
        self.rules.kept.add(string)

    def explain(self, text: str) -> list[tuple[str, str]]:
        """Say what made each token of a text, but for whitespace.

        Returns:
            Pairs of a name and a token: `MULTIWORD-1`, `MULTIWORD-2`, … for the words of multiword
            tokens, and the names of the base tokenizer for others.
        """
        explained = self.base.explain(text)
        pieces, _ = _pieces(self.base(text))
        for start, end, _, words in reversed([*self._splits(pieces)]):
            explained[start:end] = [(f"MULTIWORD-{i}", word) for i, word in enumerate(words, 1)]
        return explained

    def _splits(self, pieces: Pieces) -> Iterator[Split]:
        """The multiword tokens among the pieces, but for those that a changed rule makes one."""
        changed = self.changed_rules
        return (
            split
            for split in self.rules.find(pieces)
            if changed.match(self.base, split.form) is None
        )

    def score(self, examples: Iterable[Example], **settings: Any) -> dict[str, Any]:
        """Scores of the base tokenizer and of splitting.

        :func:`~spacy_structparse.scoring.conll18.scorer.score_multiword` has the latter: `words_f`
        and `mwt_p`, `mwt_r`, `mwt_f`.
        """
        examples = list(examples)
        references = (example.reference for example in examples)
        return {**super().score(examples, **settings), **score_multiword(references, self)}

    def parts(self) -> dict[str, bytes]:
        """The rules as JSON, and those of the base."""
        rules = srsly.json_dumps(self.rules.to_dict()).encode("utf8")
        return {**super().parts(), _RULES: rules}

    def set_part(self, name: str, data: bytes) -> None:
        if name == _RULES:
            self.rules = SplitRules.from_dict(srsly.json_loads(data))
        else:
            super().set_part(name, data)


def _pieces(doc: Doc) -> tuple[Pieces, list[int]]:
    """The tokens of a Doc without whitespace tokens, and their indices in the Doc."""
    tokens = [token for token in doc if not token.is_space]
    touching = [token.idx + len(token) == after.idx for token, after in pairwise(tokens)]
    words, starts = [token.text for token in tokens], [token.idx for token in tokens]
    return Pieces(words, [*touching, False], starts), [token.i for token in tokens]


def _split_doc(doc: Doc, splits: Sequence[Split]) -> Doc:
    """A new Doc with the words of the splits; the other tokens keep what the tokenizer set."""
    words: list[str] = []
    spaces: list[bool] = []
    sources: list[int] = []  # the old index of each new token, -1 for a word of a split
    limits: list[tuple[int, int, str]] = []
    place = 0
    for split in [*splits, Split(len(doc), len(doc), "", ())]:
        for token in doc[place : split.start]:
            words.append(token.text)
            spaces.append(bool(token.whitespace_))
            sources.append(token.i)
        if split.words:
            limits.append((len(words), len(words) + len(split.words), split.form))
            same = list(split.words) == [token.text for token in doc[split.start : split.end]]
            # Words that spell the form touch; `convert` does the same.
            touching = "".join(split.words) == split.form
            words += split.words
            spaces += [not touching] * (len(split.words) - 1)
            spaces.append(bool(doc[split.end - 1].whitespace_))
            sources += range(split.start, split.end) if same else [-1] * len(split.words)
        place = split.end
    new = Doc(doc.vocab, words=words, spaces=spaces, user_data=doc.user_data)
    attributes = [NORM, *filter(doc.has_annotation, (TAG, POS, MORPH, LEMMA))]
    # The last row, -1, is of zeros: a word of a split has no annotation and its own norm.
    values: Any = np.zeros((len(doc) + 1, len(attributes)), dtype="uint64")
    values[:-1] = doc.to_array(attributes).reshape(len(doc), -1)
    new.from_array(attributes, values[sources])
    set_multiword_tokens(new, limits)
    return new

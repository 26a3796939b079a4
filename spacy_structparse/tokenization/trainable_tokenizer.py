"""`spacy-structparse.trainable_tokenizer.v1`: a tokenizer that learns a treebank's tokens."""

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from spacy.language import Language, create_tokenizer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..extensions.multiword import surface_text, surface_units
from .boundary_classifier import BoundaryClassifier, Chunk
from .user_rules import Tokens
from .wrapped_tokenizer import Tokenizer, TokenizerWithCases

CHUNK = re.compile(r"\S+")
# As spaCy does it: a token may have one space behind it, other whitespace is a token.
_PIECE = re.compile(r"(\S+)( ?)|\s+")
_CLASSIFIER = "boundaries.safetensors"
MOST_KEPT, LONGEST_KEPT = 100_000, 50
"""Chunks whose tokens are kept in memory: how many, and of how many characters."""


def create_trainable_tokenizer(
    tokenizer: Callable[[Language], Tokenizer] | None = None,
) -> Callable[[Language], "TrainableTokenizer"]:
    """A tokenizer that learns from a treebank where tokens end: *and/or* is three tokens in one
    treebank and one in another.

    It learns when a pipeline is initialized, from Docs that `spacy structparse convert` made of
    CoNLL-U, and keeps it if the pipeline is initialized again: `learn = "always"` in
    `[initialize.tokenizer]` lets it learn anew. A classifier looks at every place between two
    characters: at the characters around it, at the text up to the next spaces, and at whether
    another tokenizer ends a token there. A token never reaches over a space, and the tokens of a
    text between spaces depend on that text alone.

    Multiword tokens are cut where their words spell them (*don't*: *do*, *n't*). Others are for
    `spacy-structparse.mwt_splitter.v1`, which can wrap this tokenizer.

    Args:
        tokenizer: The other tokenizer. `null`: spaCy's, `spacy.Tokenizer.v1`, with the rules of the
            language.
    """

    def create(nlp: Language) -> TrainableTokenizer:
        return TrainableTokenizer(nlp.vocab, (tokenizer or create_tokenizer())(nlp))

    return create


class TrainableTokenizer(TokenizerWithCases):
    """Tokenizer that learns where tokens end; see `create_trainable_tokenizer`.

    Without training its tokens are those of the base tokenizer.

    Attributes:
        vocab: The pipeline's vocabulary.
        base: The tokenizer whose ends of tokens are features.
        classifier: What says where tokens end. None before training.
    """

    NAME = "trainable_tokenizer"

    def __init__(self, vocab: Vocab, base: Any) -> None:
        super().__init__(vocab, base)
        self.classifier: BoundaryClassifier | None = None
        self._known: dict[str, Tokens] = {}

    def __call__(self, text: str) -> Doc:
        """Tokenize a text."""
        if self.classifier is None:
            return self.base(text)
        tokens = self._tokens(CHUNK.findall(text), self.classifier)
        words: list[str] = []
        spaces: list[bool] = []
        norms: dict[int, str] = {}
        for piece in _PIECE.finditer(text):
            chunk, space = piece.groups()
            if chunk is None:
                words.append(piece.group())
                spaces.append(False)
                continue
            ends, norms_of_ends, _ = tokens[chunk]
            for start, end in zip((0, *ends), ends, strict=False):
                if end in norms_of_ends:
                    norms[len(words)] = norms_of_ends[end]
                words.append(chunk[start:end])
                spaces.append(bool(space) and end == len(chunk))
        doc = Doc(self.vocab, words=words, spaces=spaces)
        for place, norm in norms.items():
            doc[place].norm_ = norm
        return doc

    def add_special_case(self, string: str, substrings: Iterable[dict[Any, str]]) -> None:
        super().add_special_case(string, substrings)
        self._known.clear()

    def learn_from(self, get_examples: Callable[[], Iterable[Example]]) -> None:
        """Learn from the tokens of the Examples' reference Docs whose spaces are known."""
        examples = [
            pair
            for example in get_examples()
            if not example.reference.has_unknown_spaces
            for pair in self._examples(example.reference)
        ]
        self._known.clear()
        if examples:
            self.classifier = BoundaryClassifier.learn(examples)
            return
        self.classifier = None
        warnings.warn(
            "[nlp.tokenizer] trainable_tokenizer learned nothing: the training data does not say "
            "where spaces are. Convert CoNLL-U files with SpaceAfter=No or # text.",
            stacklevel=3,
        )

    @property
    def has_learned(self) -> bool:
        """True if there is a classifier."""
        return self.classifier is not None

    def change_rule(self, name: str, rule: Callable[[str], Any] | None) -> None:
        super().change_rule(name, rule)
        self._known.clear()

    def explain(self, text: str) -> list[tuple[str, str]]:
        """Say what made each token of a text, but for whitespace.

        Returns:
            Pairs of a name and a token: `LEARNED`, or spaCy's names for its rules that were changed
            after training and for special cases, such as `INFIX` and `SPECIAL-1`. Before training
            all names are of the base tokenizer.
        """
        if self.classifier is None:
            return self.base.explain(text)
        chunks = CHUNK.findall(text)
        tokens = self._tokens(chunks, self.classifier)
        explained = []
        for chunk in chunks:
            ends, _, labels = tokens[chunk]
            for start, end in zip((0, *ends), ends, strict=False):
                explained.append((labels.get(end, "LEARNED"), chunk[start:end]))
        return explained

    def parts(self) -> dict[str, bytes]:
        """The weights of the classifier, empty before training, and the special cases."""
        return {
            **super().parts(),
            _CLASSIFIER: self.classifier.to_bytes() if self.classifier else b"",
        }

    def set_part(self, name: str, data: bytes) -> None:
        if name == _CLASSIFIER:
            self.classifier = BoundaryClassifier.from_bytes(data) if data else None
        else:
            super().set_part(name, data)
        self._known.clear()

    def _tokens(self, chunks: Sequence[str], classifier: BoundaryClassifier) -> dict[str, Tokens]:
        """The tokens of each of the chunks of a text."""
        tokens = {chunk: self._known[chunk] for chunk in set(chunks) if chunk in self._known}
        new = [chunk for chunk in dict.fromkeys(chunks) if chunk not in tokens]
        if new:
            changed = self.changed_rules
            with_cuts = self._with_cuts(new, changed.base_before(self.base))
            for chunk, ends in zip(with_cuts, classifier.ends(with_cuts), strict=True):
                ruled = changed.overrule(chunk, ends, self.base)
                tokens[chunk.text] = self._special.apply(chunk.text, *ruled)
            if len(self._known) + len(new) > MOST_KEPT:
                self._known.clear()
            short = (chunk for chunk in new[:MOST_KEPT] if len(chunk) <= LONGEST_KEPT)
            self._known.update({chunk: tokens[chunk] for chunk in short})
        return tokens

    def _with_cuts(self, chunks: Sequence[str], base: Tokenizer) -> list[Chunk]:
        """Chunks with the offsets where a tokenizer ends tokens in them."""
        text = " ".join(chunks)
        doc = base(text)
        if doc.text != text:
            raise ValueError(
                "[nlp.tokenizer] trainable_tokenizer wraps a tokenizer that changes the text. Wrap "
                "trainable_tokenizer in mwt_splitter, not mwt_splitter in trainable_tokenizer."
            )
        cuts = {place for token in doc for place in (token.idx, token.idx + len(token))}
        starts = accumulate((len(chunk) + 1 for chunk in chunks), initial=0)
        return [
            Chunk(chunk, _inside(chunk, start, cuts))
            for chunk, start in zip(chunks, starts, strict=False)
        ]

    def _examples(self, reference: Doc) -> Iterator[tuple[Chunk, tuple[int, ...]]]:
        """The chunks of a Doc's text, with the gold ends of tokens inside them."""
        ends = set()
        place = 0
        for unit in surface_units(reference):
            words = [token.text for token in reference[unit.start : unit.end]]
            spelled = words if "".join(words) == unit.form else [unit.form]
            for word in spelled:
                place += len(word)
                ends.add(place)
            place += len(unit.space)
        matches = list(CHUNK.finditer(surface_text(reference)))
        chunks = self._with_cuts([match.group() for match in matches], self.base)
        for match, chunk in zip(matches, chunks, strict=True):
            yield chunk, _inside(chunk.text, match.start(), ends)


def _inside(chunk: str, start: int, cuts: Collection[int]) -> tuple[int, ...]:
    """The offsets inside a chunk, which begins at a place in a text, where the text is cut."""
    return tuple(offset for offset in range(1, len(chunk)) if start + offset in cuts)

"""`spacy-structparse.segmenter.v1`: a tokenizer that learns tokens, words and sentences."""

import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import srsly
import torch
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from spacy.language import Language
from spacy.tokenizer import Tokenizer as SpacyTokenizer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..extensions.multiword import set_multiword_tokens, surface_units
from ..nn.segmenter.characters import Array, Words, read_characters
from ..nn.segmenter.model import (
    INSIDE,
    MULTIWORD,
    MULTIWORD_SENTENCE,
    N_LABELS,
    SENTENCE,
    TOKEN,
    Segmenter,
)
from ..nn.segmenter.training import train
from .boundary_classifier import Chunk
from .multiword_rules import MultiwordRules
from .wrapped_tokenizer import Tokenizer, TokenizerWithCases

ROWS, SEED = 2**15, 0
_NETWORK, _KNOWN = "segmenter.safetensors", "known_words"
_SETTINGS, _RULES = "segmenter.json", "multiword.json"
_CHUNK = re.compile(r"\S+")
_LABELS = {
    (False, False): TOKEN,
    (False, True): SENTENCE,
    (True, False): MULTIWORD,
    (True, True): MULTIWORD_SENTENCE,
}
MULTIWORDS, SENTENCES = (MULTIWORD, MULTIWORD_SENTENCE), (SENTENCE, MULTIWORD_SENTENCE)


def create_segmenter(
    tokenizer: Callable[[Language], Tokenizer] | None = None, width: int = 64
) -> Callable[[Language], "SegmentingTokenizer"]:
    """A tokenizer that learns from a treebank where tokens, multiword tokens and sentences end.

    It reads characters, so that it works for scripts without spaces, for words with spaces inside
    (Vietnamese), and for languages that spaCy has no tokenizer for. It learns when a pipeline is
    initialized, from Docs that `spacy structparse convert` made of CoNLL-U, within a few minutes.
    If the pipeline is initialized again it keeps what it has learned, unless
    `[initialize.tokenizer]` has `learn = "always"`.

    A multiword token is split into the words that the treebank has for it, or by rules on its
    beginning or ending: so a Doc's tokens are words, and `doc._.surface_text` is the text that was
    tokenized. `token.is_sent_start` is set, so that a pipeline needs no `senter`.

    Args:
        tokenizer: Another tokenizer, whose ends of tokens are read too, such as
            `spacy.Tokenizer.v1`, which has rules for the language. `null`: none.
        width: Width of the network's layers.
    """

    def create(nlp: Language) -> SegmentingTokenizer:
        base = tokenizer(nlp) if tokenizer else SpacyTokenizer(nlp.vocab)
        return SegmentingTokenizer(nlp.vocab, base, width)

    return create


class Unit(NamedTuple):
    """A surface token of a text.

    Attributes:
        start: Where it begins, in characters.
        end: Where it ends.
        is_multiword: Whether it is split into words.
        ends_sentence: Whether it is the last of its sentence.
        norm: Its norm, if a special case sets one.
    """

    start: int
    end: int
    is_multiword: bool
    ends_sentence: bool
    norm: str = ""


class SegmentingTokenizer(TokenizerWithCases):
    """Tokenizer that learns tokens, words and sentences; see `create_segmenter`.

    Without training its tokens are those of the base tokenizer, by default those between spaces.

    Attributes:
        vocab: The pipeline's vocabulary.
        base: The tokenizer whose ends of tokens are read.
        network: What scores the characters. None before training.
        rules: What splits multiword tokens.
    """

    NAME = "segmenter"

    def __init__(self, vocab: Vocab, base: Any, width: int) -> None:
        super().__init__(vocab, base)
        self.network: Segmenter | None = None
        self.rules = MultiwordRules({}, {}, {})
        self._width = width
        self._labels: list[int] = []
        self._has_spaces_inside = False
        self._known = Words(np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64))

    def __call__(self, text: str) -> Doc:
        """Tokenize a text. `doc.spans["multiword"]` are the multiword tokens that were split."""
        if self.network is None:
            return self.base(text)
        return self._doc(text, self._units(text, self.network))

    @property
    def has_learned(self) -> bool:
        """True if there is a network."""
        return self.network is not None

    def learn_from(self, get_examples: Callable[[], Iterable[Example]]) -> None:
        """Learn from the tokens of the Examples' reference Docs whose spaces are known."""
        text, units, splits = _joined([example.reference for example in get_examples()])
        if not units:
            self.network = None
            warnings.warn(
                "[nlp.tokenizer] segmenter learned nothing: the training data does not say where "
                "spaces are. Convert CoNLL-U files with SpaceAfter=No or # text.",
                stacklevel=3,
            )
            return
        self.rules = MultiwordRules.learn(splits)
        limits = np.array([(unit.start, unit.end) for unit in units], dtype=np.int64)
        self._has_spaces_inside = any(re.search(r"\s", text[start:end]) for start, end in limits)
        labels = np.zeros(len(text), dtype=np.int64)
        labels[limits[:, 1] - 1] = [
            _LABELS[unit.is_multiword, unit.ends_sentence] for unit in units
        ]
        self._labels = np.unique(labels).tolist()
        counted = Words.of(text, limits)
        characters = read_characters(text, self._cuts(text), counted, limits)
        self._known = Words(counted.hashes, np.ones_like(counted.counts))
        is_read = torch.tensor([not character.isspace() for character in text])
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(SEED)
            self.network = Segmenter(ROWS, self._width)
            inputs = self.network.inputs_of(characters)
            train(self.network, inputs, torch.from_numpy(labels), is_read)

    def words_of(self, text: str) -> Doc:
        if self.network is None:
            return self.base(text)
        units = self._units(text, self.network)
        return self._doc(text, (unit._replace(is_multiword=False) for unit in units))

    def explain(self, text: str) -> list[tuple[str, str]]:
        """Say what made each token of a text, but for whitespace.

        Returns:
            Pairs of a name and a token: `LEARNED`, or `MULTIWORD-1`, `MULTIWORD-2`, … for the words
            of multiword tokens. Before training all names are of the base tokenizer.
        """
        if self.network is None:
            return self.base.explain(text)
        explained: list[tuple[str, str]] = []
        for unit in self._units(text, self.network):
            words = self._words(text, unit)
            names = [f"MULTIWORD-{i}" for i in range(1, len(words) + 1)]
            explained += zip(names if len(words) > 1 else ["LEARNED"], words, strict=True)
        return explained

    def parts(self) -> dict[str, bytes]:
        """The network, its settings and the rules, empty before training, and those of all."""
        tensors = {}
        if self.network is not None:
            tensors = {name: weight.half() for name, weight in self.network.state_dict().items()}
            tensors[_KNOWN] = torch.from_numpy(self._known.hashes.view(np.int64))
        settings = {"labels": self._labels, "has_spaces_inside": self._has_spaces_inside}
        return {
            **super().parts(),
            _SETTINGS: srsly.json_dumps(settings).encode("utf8"),
            _NETWORK: save_tensors(tensors),
            _RULES: self.rules.to_bytes(),
        }

    def set_part(self, name: str, data: bytes) -> None:
        if name == _NETWORK:
            self._set_network(load_tensors(data))
        elif name == _SETTINGS:
            settings = srsly.json_loads(data)
            self._labels = [label for label in range(N_LABELS) if label in settings["labels"]]
            self._has_spaces_inside = bool(settings["has_spaces_inside"])
        elif name == _RULES:
            self.rules = MultiwordRules.from_bytes(data)
        else:
            super().set_part(name, data)

    def _set_network(self, tensors: dict[str, torch.Tensor]) -> None:
        self.network = None
        if not tensors:
            return
        hashes = tensors.pop(_KNOWN).numpy().view(np.uint64)
        rows, width = tensors["n_grams.weight"].shape
        with torch.device("meta"):  # whatever the file says, no memory is taken for it
            network = Segmenter(rows, width)
        weights = {name: weight.float() for name, weight in tensors.items()}
        if not all(bool(weight.isfinite().all()) for weight in weights.values()):
            raise ValueError("a weight is not a finite number")
        network.load_state_dict(weights, assign=True)
        self._known = Words(hashes, np.ones(len(hashes), dtype=np.int64))
        self.network = network.eval()

    def _units(self, text: str, network: Segmenter) -> list[Unit]:
        """The surface tokens of a text."""
        if not text or text.isspace():
            return []
        cuts = self._cuts(text)
        scores = network.predict(read_characters(text, cuts, self._known))
        unseen = [label for label in range(N_LABELS) if label not in {INSIDE, *self._labels}]
        scores[:, unseen] = -torch.inf
        is_space = np.array([character.isspace() for character in text])
        labels = scores.argmax(1).numpy()
        # Nothing goes on at the end of a text, nor at a space if words have none inside.
        must_end = (
            np.append(is_space[1:], True) if not self._has_spaces_inside else _line_ends(text)
        )
        forced = must_end & (labels == INSIDE)
        labels[forced] = scores[forced][:, 1:].argmax(1).numpy() + 1
        labels[is_space] = INSIDE
        norms = self._overrule(text, cuts, labels)
        words = np.flatnonzero(~is_space)
        ends = np.flatnonzero(labels) + 1
        starts = words[np.searchsorted(words, np.append(0, ends[:-1]))]
        return [
            Unit(start, end, label in MULTIWORDS, label in SENTENCES, norms.get(end, ""))
            for start, end, label in zip(
                starts.tolist(), ends.tolist(), labels[ends - 1].tolist(), strict=True
            )
        ]

    def _overrule(self, text: str, cuts: Sequence[int], labels: Array) -> dict[int, str]:
        """Let special cases and changed rules hold: change labels, and return the norms of tokens
        by their ends."""
        norms: dict[int, str] = {}
        if not self._special and not self.changed_rules.before:
            return norms
        for match in _CHUNK.finditer(text):
            first, last = match.span()
            inside = [cut - first for cut in cuts if first < cut < last]
            chunk = Chunk(match.group(), tuple(inside))
            learned = (np.flatnonzero(labels[first:last]) + 1).tolist()
            tokens = self._special.apply(
                chunk.text, *self.changed_rules.overrule(chunk, learned, self.base)
            )
            for place in {*learned} - {*tokens.ends}:
                labels[first + place - 1] = INSIDE
            for place in {*tokens.ends} - {*learned} | {*tokens.labels}:
                labels[first + place - 1] = TOKEN
            norms |= {first + place: norm for place, norm in tokens.norms.items()}
        return norms

    def _cuts(self, text: str) -> list[int]:
        """Find where the base tokenizer ends its tokens."""
        doc = self.changed_rules.base_before(self.base)(text)
        if doc.text != text:
            raise ValueError(
                "[nlp.tokenizer] segmenter wraps a tokenizer that changes the text: wrap another"
            )
        return [token.idx + len(token) for token in doc]

    def _words(self, text: str, unit: Unit) -> tuple[str, ...]:
        """The words of a surface token."""
        form = text[unit.start : unit.end]
        return self.rules.split(form) if unit.is_multiword else (form,)

    def _doc(self, text: str, units: Iterable[Unit]) -> Doc:
        """The Doc of a text. As spaCy does it, a token may have one space behind it, and other
        whitespace is a token."""
        words: list[str] = []
        spaces: list[bool] = []
        starts: list[bool | int | None] = []
        multiword: list[tuple[int, int, str]] = []
        norms: dict[int, str] = {}
        begins, place = True, 0
        for unit in (*units, Unit(len(text), len(text), False, False)):
            gap = text[place : unit.start]
            if gap.startswith(" ") and words:
                spaces[-1], gap = True, gap[1:]
            if gap:
                words.append(gap)
                spaces.append(False)
                starts.append(False)
            if unit.start == len(text):
                break
            parts, form = self._words(text, unit), text[unit.start : unit.end]
            if unit.norm:
                norms[len(words)] = unit.norm
            if len(parts) > 1:
                multiword.append((len(words), len(words) + len(parts), form))
            # Words that spell the form touch; `convert` does the same.
            spaces += [("".join(parts) != form)] * (len(parts) - 1) + [False]
            starts += [begins] + [False] * (len(parts) - 1)
            words += parts
            begins, place = unit.ends_sentence, unit.end
        doc = Doc(self.vocab, words=words, spaces=spaces, sent_starts=starts)
        set_multiword_tokens(doc, multiword)
        for token, norm in norms.items():
            doc[token].norm_ = norm
        return doc


def _line_ends(text: str) -> Array:
    """Find the characters before a line break or the end of a text, with the spaces between."""
    is_last = np.zeros(len(text), dtype=bool)
    for line in re.finditer(r"[^\n]*\S", text):
        is_last[line.end() - 1] = True
    return is_last


def _joined(docs: Sequence[Doc]) -> tuple[str, list[Unit], list[tuple[str, tuple[str, ...]]]]:
    """The text of Docs whose spaces are known, its surface tokens, and its multiword tokens.

    Between two Docs that do not say otherwise there is a space, if sentences have any.
    """
    pieces: list[str] = []
    units: list[Unit] = []
    splits = []
    place = 0
    docs = [doc for doc in docs if not doc.has_unknown_spaces]
    has_spaces = sum(bool(token.whitespace_) for doc in docs for token in doc[:-1]) > len(docs)
    for doc in docs:
        if has_spaces and pieces and not pieces[-1].endswith((" ", "\n")):
            pieces.append(" ")
            place += 1
        for unit in surface_units(doc):
            words = tuple(token.text for token in doc[unit.start : unit.end])
            if not unit.form.isspace():
                is_last = unit.end == len(doc) or bool(doc[unit.end].is_sent_start)
                limits = place, place + len(unit.form)
                units.append(Unit(*limits, len(words) > 1, is_last))
            if len(words) > 1:
                splits.append((unit.form, words))
            pieces.append(unit.form + unit.space)
            place += len(pieces[-1])
    return "".join(pieces), units, splits

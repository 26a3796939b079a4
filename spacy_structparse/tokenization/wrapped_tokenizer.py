"""A tokenizer that works on the tokens of another one, and learns from a treebank.

The tokenizer of a trained pipeline can be given to another one: `nlp.tokenizer = other.tokenizer`.
spaCy does not record that in the config of `nlp`, and asks no tokenizer about it. So
`Language.tokenizer` becomes a property here, which stores the tokenizer where spaCy does.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from spacy.language import Language, create_tokenizer
from spacy.tokenizer import Tokenizer as SpacyTokenizer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import SimpleFrozenList, from_bytes, from_disk, registry, to_bytes, to_disk
from spacy.vocab import Vocab

from ..learn import Learn, keeps_learned
from ..printable import described
from .user_rules import ChangedRules, Rule

Tokenizer = Callable[[str], Doc]


class TokenizerFileError(ValueError):
    """A file of a saved tokenizer that holds something else."""


def spacy_or(
    tokenizer: Callable[[Language], Tokenizer] | None,
) -> Callable[[Language], Tokenizer]:
    """What makes the given tokenizer, or spaCy's where there is none."""
    return tokenizer or create_tokenizer()


class Part(NamedTuple):
    """A part of a tokenizer that is a file.

    Attributes:
        get: Gives the content of the file.
        set: Takes what `get` gave. Raises ValueError where the data is something else.
        default: The content where the file is missing, as in tokenizers that an earlier version
            saved. None: it cannot be missing.
    """

    get: Callable[[], bytes]
    set: Callable[[bytes], None]
    default: bytes | None = None


class WrappedTokenizer:
    """What tokenizers of this package have in common.

    Attributes:
        vocab: The pipeline's vocabulary.
        base: The tokenizer that is wrapped.
    """

    NAME: ClassVar[str]
    """The name of the tokenizer in errors."""

    prefix_search, suffix_search, infix_finditer = Rule(), Rule(), Rule()
    token_match, url_match = Rule(), Rule()

    def __init__(self, vocab: Vocab, base: Any) -> None:
        self.vocab = vocab
        self.base = base
        self._changed = ChangedRules()
        self._changed_of: Any = None  # what had been learned when rules were changed

    @abstractmethod
    def __call__(self, text: str) -> Doc:
        """Tokenize a text."""

    @property
    def has_learned(self) -> bool:
        """True if the tokenizer has learned from a treebank."""
        return self.learned() is not None

    @abstractmethod
    def learn_from(self, get_examples: Callable[[], Iterable[Example]]) -> None:
        """Learn from Examples, in the place of what has been learned."""

    @abstractmethod
    def parts(self) -> dict[str, Part]:
        """What is saved beside the base tokenizer, by the names of the files."""

    def add_special_case(self, string: str, substrings: Iterable[dict[Any, str]]) -> None:
        """Set the tokens of a string, as spaCy's `Tokenizer.add_special_case` does.

        Args:
            string: The string.
            substrings: A dict for each of its tokens, with the key ORTH and perhaps NORM.

        Raises:
            ValueError: The tokenizer that is wrapped takes no special cases.
        """
        if not hasattr(self.base, "add_special_case"):
            raise ValueError(
                f"[nlp.tokenizer] {self.NAME} wraps {type(self.base).__name__}, which takes no "
                "special cases"
            )
        self.base.add_special_case(string, substrings)

    @abstractmethod
    def explain(self, text: str) -> list[tuple[str, str]]:
        """Say what made each token of a text, but for whitespace, as spaCy's tokenizer does.

        Returns:
            Pairs of a name and a token. The names are spaCy's for its rules and special cases.
        """

    @abstractmethod
    def learned(self) -> Any:
        """Return what has been learned, a new object each time; None if there is nothing."""

    @property
    def changed_rules(self) -> ChangedRules:
        """The rules that were changed after the tokenizer learned. Learning again forgets them."""
        if self._changed_of is not self.learned():
            self._changed, self._changed_of = ChangedRules(), self.learned()
        return self._changed

    def change_rule(self, name: str, rule: Callable[[str], Any] | None) -> None:
        """Set a rule of spaCy's tokenizer, such as `infix_finditer`.

        Raises:
            AttributeError: The tokenizer that is wrapped has no such rule.
        """
        if not hasattr(self.base, name):
            raise AttributeError(
                f"[nlp.tokenizer] {self.NAME} wraps {type(self.base).__name__}, which has no {name}"
            )
        if self.learned() is None:
            setattr(self.base, name, rule)
        else:
            self.changed_rules.change(self.base, name, rule)

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Doc]:
        """Tokenize a stream of texts."""
        return map(self, texts)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        learn: Learn = "if_new",
    ) -> None:
        """Learn from Examples, unless the tokenizer has learned before.

        Args:
            get_examples: The training data.
            nlp: The pipeline.
            learn: `always` replaces what a trained tokenizer has learned. In a config it is set in
                `[initialize.tokenizer]`. It holds for the base tokenizer too.

        Raises:
            ValueError: `learn` has another value.
        """
        if keeps_learned(learn, self.has_learned, "initialize.tokenizer", self.NAME):
            return
        if isinstance(self.base, WrappedTokenizer):
            self.base.initialize(get_examples, nlp=nlp, learn=learn)
        elif hasattr(self.base, "initialize"):
            self.base.initialize(get_examples, nlp=nlp)
        self.learn_from(get_examples)

    def score(self, examples: Iterable[Example], **settings: Any) -> dict[str, Any]:
        """The scores of the base tokenizer."""
        return self.base.score(examples, **settings) if hasattr(self.base, "score") else {}

    def memory_zone(self, mem: Any = None) -> AbstractContextManager:
        """The memory zone of the base tokenizer, which clears its cache."""
        return self.base.memory_zone(mem) if hasattr(self.base, "memory_zone") else nullcontext(mem)

    def to_bytes(self, *, exclude: Iterable[str] = SimpleFrozenList()) -> bytes:
        """The base tokenizer and what has been learned as bytes."""
        base = {"base": lambda: self.base.to_bytes(exclude=["vocab"])}
        return to_bytes(
            {**base, **{name: part.get for name, part in self._files().items()}}, exclude
        )

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = SimpleFrozenList()) -> Self:
        """Load what `to_bytes` gave. Raises TokenizerFileError where it is something else."""
        self._set_defaults()
        from_bytes(
            data,
            {
                "base": lambda part: self.base.from_bytes(part, exclude=["vocab"]),
                **{
                    name: partial(self._load, part.set, source="bytes")
                    for name, part in self._files().items()
                },
            },
            exclude,
        )
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()) -> None:
        """Write the base tokenizer and what has been learned into a folder."""
        to_disk(
            path,
            {
                "base": lambda target: self.base.to_disk(target, exclude=["vocab"]),
                **{name: partial(_write, part.get) for name, part in self._files().items()},
            },
            exclude,
        )

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()) -> Self:
        """Load what `to_disk` wrote. Raises TokenizerFileError where it is something else."""
        self._set_defaults()
        from_disk(
            path,
            {
                "base": self._load_base,
                **{name: partial(self._read, part) for name, part in self._files().items()},
            },
            exclude,
        )
        return self

    def _set_defaults(self) -> None:
        for part in self._files().values():
            if part.default is not None:
                part.set(part.default)

    def _files(self) -> dict[str, Part]:
        changed = Part(
            lambda: self.changed_rules.to_bytes(), self._set_changed_rules, default=b"{}"
        )
        # Last: they belong to what is loaded before them.
        return {**self.parts(), "changed_rules.json": changed}

    def _set_changed_rules(self, data: bytes) -> None:
        self._changed, self._changed_of = ChangedRules.from_bytes(data), self.learned()

    def _read(self, part: Part, source: Path) -> None:
        if part.default is not None and not source.exists():
            return
        self._load(part.set, source.read_bytes(), str(source))

    def _load_base(self, source: Path) -> None:
        try:
            self.base.from_disk(source, exclude=["vocab"])
        except (OSError, TokenizerFileError):
            raise
        except Exception as error:
            raise TokenizerFileError(
                f"[nlp.tokenizer] the base of {self.NAME} cannot be loaded from {source}: "
                f"{described(error)}. Restore the file, or train the pipeline again."
            ) from error

    def _load(self, take: Callable[[bytes], None], data: bytes, source: str) -> None:
        try:
            take(data)
        except ValueError as error:
            raise TokenizerFileError(
                f"[nlp.tokenizer] {self.NAME} cannot be loaded from {source}: {error}. Restore "
                "the file, or train the pipeline again."
            ) from error


def _write(get: Callable[[], bytes], target: Path) -> None:
    target.write_bytes(get())


_OF_SPACY = {"@tokenizers": "spacy.Tokenizer.v1"}
_PREFIX = "spacy-structparse."


def tokenizer_config(tokenizer: Any) -> dict[str, Any] | None:
    """Return the section `[nlp.tokenizer]` that makes a tokenizer of the same kind.

    Returns:
        The section. None if the tokenizer, or one that it wraps, is neither of this package nor
        spaCy's own.
    """
    if type(tokenizer) is SpacyTokenizer:
        return dict(_OF_SPACY)
    if not isinstance(tokenizer, WrappedTokenizer):
        return None
    base = tokenizer_config(tokenizer.base)
    name = f"{_PREFIX}{tokenizer.NAME}.v1"
    # spaCy's own is the default, as in the config of a pipeline that was trained with it.
    return base and {"@tokenizers": name, "tokenizer": None if base == _OF_SPACY else base}


def record_assignments() -> None:
    """Let `nlp.tokenizer = …` record a tokenizer of this package in the config of `nlp`.

    One with the vocabulary of another pipeline is copied, with what it has learned.
    """
    if not isinstance(vars(Language).get("tokenizer"), property):
        Language.tokenizer = property(_get, _set)  # type: ignore[assignment,misc]


def _get(nlp: Language) -> Any:
    try:
        return vars(nlp)["tokenizer"]
    except KeyError:
        raise AttributeError("tokenizer") from None


def _set(nlp: Language, tokenizer: Any) -> None:
    config = tokenizer_config(tokenizer)
    if config is not None:
        is_ours = isinstance(tokenizer, WrappedTokenizer)
        settings = nlp.config["nlp"]
        if is_ours or str(settings["tokenizer"].get("@tokenizers")).startswith(_PREFIX):
            settings["tokenizer"] = config
        if is_ours and tokenizer.vocab is not nlp.vocab:
            create = registry.resolve({"tokenizer": config})["tokenizer"]
            tokenizer = create(nlp).from_bytes(tokenizer.to_bytes())
    vars(nlp)["tokenizer"] = tokenizer

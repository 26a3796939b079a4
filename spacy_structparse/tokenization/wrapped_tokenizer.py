"""A tokenizer that works on the tokens of another one, and learns from a treebank.

`Language.tokenizer` becomes a property here, so that a pipeline is saved with the tokenizer that
was assigned to it.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, ClassVar, Self

import srsly
from spacy.language import Language
from spacy.tokenizer import Tokenizer as SpacyTokenizer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry
from spacy.vocab import Vocab

from ..errors import WeightsError
from ..escaping import errors_as
from ..learn import Learn, keeps_learned
from .user_rules import ChangedRules, Rule, SpecialCases

Tokenizer = Callable[[str], Doc]
_BASE, _CHANGED_RULES, _SPECIAL_CASES = "base", "changed_rules.json", "special_cases.json"


class WrappedTokenizer:
    """A tokenizer of this package, around another one.

    Attributes:
        vocab: The pipeline's vocabulary.
        base: The tokenizer that is wrapped.
        changed_rules: The rules that were changed after the tokenizer learned. Learning again
            forgets them.
    """

    NAME: ClassVar[str]
    """The name of the tokenizer in errors."""
    ADDED: ClassVar[Mapping[str, bytes]] = {_CHANGED_RULES: b"{}", _SPECIAL_CASES: b"{}"}
    """The content of files that tokenizers lack which an earlier version saved."""

    prefix_search, suffix_search, infix_finditer = Rule(), Rule(), Rule()
    token_match, url_match = Rule(), Rule()

    def __init__(self, vocab: Vocab, base: Any) -> None:
        self.vocab = vocab
        self.base = base
        self.changed_rules = ChangedRules()

    @abstractmethod
    def __call__(self, text: str) -> Doc:
        """Tokenize a text."""

    def words_of(self, text: str) -> Doc:
        """Tokenize a text whose multiword tokens are split already, and split no others."""
        return self(text)

    @property
    @abstractmethod
    def has_learned(self) -> bool:
        """True if the tokenizer has learned from a treebank."""

    @abstractmethod
    def learn_from(self, get_examples: Callable[[], Iterable[Example]]) -> None:
        """Learn from Examples, in the place of what has been learned."""

    def parts(self) -> dict[str, bytes]:
        """The files that are saved beside the base tokenizer, by their names."""
        return {_CHANGED_RULES: self.changed_rules.to_bytes()}

    def set_part(self, name: str, data: bytes) -> None:
        """Take what `parts` gave. Any error is raised where the data is something else."""
        self.changed_rules = ChangedRules.from_bytes(data)

    def add_special_case(self, string: str, substrings: Iterable[dict[Any, str]]) -> None:
        """Set the tokens of a string, as spaCy's `Tokenizer.add_special_case` does.

        Args:
            string: The string.
            substrings: A dict for each of its tokens, with the key ORTH and perhaps NORM.
        """
        self.base.add_special_case(string, substrings)

    def change_rule(self, name: str, rule: Callable[[str], Any] | None) -> None:
        """Set a rule of spaCy's tokenizer, such as `infix_finditer`.

        Raises:
            AttributeError: The tokenizer that is wrapped has no such rule.
        """
        if self.has_learned:
            self.changed_rules.change(self.base, name, rule)
        else:
            getattr(self.base, name)  # an error of a base without such a rule
            setattr(self.base, name, rule)

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Doc]:
        """Tokenize a stream of texts."""
        return map(self, texts)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        learn: Learn = "if_new",
        pkuseg_model: str | None = None,
        pkuseg_user_dict: str | None = "default",
    ) -> None:
        """Learn from Examples, unless the tokenizer has learned before.

        Args:
            get_examples: The training data.
            nlp: The pipeline.
            learn: `always` replaces what a trained tokenizer has learned. In a config it is set in
                `[initialize.tokenizer]`. It holds for the base tokenizer too.
            pkuseg_model, pkuseg_user_dict: Settings of spaCy's tokenizer for Chinese, which every
                config for Chinese has, whatever its tokenizer. They are not read.

        Raises:
            ValueError: `learn` has another value.
        """
        if keeps_learned(learn, self.has_learned, "initialize.tokenizer", self.NAME):
            return
        if isinstance(self.base, WrappedTokenizer):
            self.base.initialize(get_examples, nlp=nlp, learn=learn)
        elif hasattr(self.base, "initialize"):
            self.base.initialize(get_examples, nlp=nlp)
        self.changed_rules = ChangedRules()
        self.learn_from(get_examples)

    def score(self, examples: Iterable[Example], **settings: Any) -> dict[str, Any]:
        """The scores of the base tokenizer."""
        return self.base.score(examples, **settings) if hasattr(self.base, "score") else {}

    def memory_zone(self, mem: Any = None) -> AbstractContextManager:
        """The memory zone of the base tokenizer, which clears its cache."""
        return self.base.memory_zone(mem) if hasattr(self.base, "memory_zone") else nullcontext(mem)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The base tokenizer and what has been learned as bytes; never the vocabulary."""
        base: bytes = self.base.to_bytes(exclude=["vocab"])
        return srsly.msgpack_dumps({_BASE: base, **self.parts()})

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        """Load what `to_bytes` gave. Raises WeightsError where it is something else."""
        parts: dict[str, bytes] = srsly.msgpack_loads(data)
        self.base.from_bytes(parts[_BASE], exclude=["vocab"])
        for name in self.parts():
            with self._errors_named(f"bytes, {name}"):
                self.set_part(name, {**self.ADDED, **parts}[name])
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the base tokenizer and what has been learned into a folder."""
        folder = Path(path)
        folder.mkdir(exist_ok=True)
        self.base.to_disk(folder / _BASE, exclude=["vocab"])
        for name, data in self.parts().items():
            (folder / name).write_bytes(data)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Self:
        """Load what `to_disk` wrote. Raises WeightsError where it is something else."""
        folder = Path(path)
        with self._errors_named(str(folder / _BASE)):
            self.base.from_disk(folder / _BASE, exclude=["vocab"])
        for name in self.parts():
            file = folder / name
            is_added = name in self.ADDED and not file.exists()
            with self._errors_named(str(file)):
                self.set_part(name, self.ADDED[name] if is_added else file.read_bytes())
        return self

    def _errors_named(self, source: str) -> AbstractContextManager[None]:
        place = f"[nlp.tokenizer] {self.NAME} cannot be loaded from {source}"
        return errors_as(WeightsError, place, "Restore the file, or train the pipeline again")


class TokenizerWithCases(WrappedTokenizer):
    """A tokenizer that learns tokens, with special cases that come before what it has learned."""

    def __init__(self, vocab: Vocab, base: Any) -> None:
        super().__init__(vocab, base)
        self._special = SpecialCases()

    def add_special_case(self, string: str, substrings: Iterable[dict[Any, str]]) -> None:
        """Set the tokens of a string, in the place of learned ones.

        It holds where learned tokens end at both ends of the string: in *gimme!* if the mark is a
        token of its own, and not in *gimmes*. Before training the base tokenizer gets it, too, if
        it takes any.

        Args:
            string: The string, without spaces.
            substrings: A dict for each of its tokens, with the key ORTH and perhaps NORM.

        Raises:
            ValueError: The string has spaces, or the tokens do not spell it.
        """
        substrings = list(substrings)
        self._special.add(string, substrings)
        if not self.has_learned and hasattr(self.base, "add_special_case"):
            super().add_special_case(string, substrings)

    def parts(self) -> dict[str, bytes]:
        """The files of every tokenizer, and the special cases."""
        return {**super().parts(), _SPECIAL_CASES: self._special.to_bytes()}

    def set_part(self, name: str, data: bytes) -> None:
        if name == _SPECIAL_CASES:
            self._special = SpecialCases.from_bytes(data)
        else:
            super().set_part(name, data)


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


def _get_tokenizer(nlp: Language) -> Any:
    try:
        return vars(nlp)["tokenizer"]
    except KeyError:
        raise AttributeError("tokenizer") from None


def _set_tokenizer(nlp: Language, tokenizer: Any) -> None:
    """Record the config of a tokenizer of this package, which spaCy does not: the saved pipeline
    could not be loaded. One with the vocabulary of another pipeline is copied, with what it has
    learned."""
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


# `nlp.tokenizer = other.tokenizer` is saved with the pipeline.
Language.tokenizer = property(_get_tokenizer, _set_tokenizer)  # type: ignore[assignment,misc]

"""A tokenizer that works on the tokens of another one, and learns from a treebank."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, ClassVar, Self

from spacy.language import Language, create_tokenizer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import SimpleFrozenList, from_bytes, from_disk, to_bytes, to_disk
from spacy.vocab import Vocab

from ..printable import described

Tokenizer = Callable[[str], Doc]


class TokenizerFileError(ValueError):
    """A file of a saved tokenizer that holds something else."""


def spacy_or(
    tokenizer: Callable[[Language], Tokenizer] | None,
) -> Callable[[Language], Tokenizer]:
    """What makes the given tokenizer, or spaCy's where there is none."""
    return tokenizer or create_tokenizer()


class WrappedTokenizer:
    """What tokenizers of this package have in common.

    Attributes:
        vocab: The pipeline's vocabulary.
        base: The tokenizer that is wrapped.
    """

    NAME: ClassVar[str]
    """The name of the tokenizer in errors."""
    FILE: ClassVar[str]
    """What has been learned is in the file of this name, beside the base tokenizer."""

    def __init__(self, vocab: Vocab, base: Any) -> None:
        self.vocab = vocab
        self.base = base

    @abstractmethod
    def __call__(self, text: str) -> Doc:
        """Tokenize a text."""

    @abstractmethod
    def learned(self) -> bytes:
        """What has been learned, as the content of a file."""

    @abstractmethod
    def set_learned(self, data: bytes) -> None:
        """Take what `learned` gave. Raises ValueError where the data is something else."""

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Doc]:
        """Tokenize a stream of texts."""
        return map(self, texts)

    def initialize(
        self, get_examples: Callable[[], Iterable[Example]], *, nlp: Language | None = None
    ) -> None:
        """Let the base tokenizer learn, if it does."""
        if hasattr(self.base, "initialize"):
            self.base.initialize(get_examples, nlp=nlp)

    def score(self, examples: Iterable[Example], **settings: Any) -> dict[str, Any]:
        """The scores of the base tokenizer."""
        return self.base.score(examples, **settings) if hasattr(self.base, "score") else {}

    def memory_zone(self, mem: Any = None) -> AbstractContextManager:
        """The memory zone of the base tokenizer, which clears its cache."""
        return self.base.memory_zone(mem) if hasattr(self.base, "memory_zone") else nullcontext(mem)

    def to_bytes(self, *, exclude: Iterable[str] = SimpleFrozenList()) -> bytes:
        """The base tokenizer and what has been learned as bytes."""
        return to_bytes(
            {"base": lambda: self.base.to_bytes(exclude=["vocab"]), self.FILE: self.learned},
            exclude,
        )

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = SimpleFrozenList()) -> Self:
        """Load what `to_bytes` gave. Raises TokenizerFileError where it is something else."""
        from_bytes(
            data,
            {
                "base": lambda part: self.base.from_bytes(part, exclude=["vocab"]),
                self.FILE: lambda part: self._load(part, "bytes"),
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
                self.FILE: self._write_learned,
            },
            exclude,
        )

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()) -> Self:
        """Load what `to_disk` wrote. Raises TokenizerFileError where it is something else."""
        from_disk(
            path,
            {
                "base": self._load_base,
                self.FILE: lambda source: self._load(source.read_bytes(), str(source)),
            },
            exclude,
        )
        return self

    def _write_learned(self, target: Path) -> None:
        target.write_bytes(self.learned())

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

    def _load(self, data: bytes, source: str) -> None:
        try:
            self.set_learned(data)
        except ValueError as error:
            raise TokenizerFileError(
                f"[nlp.tokenizer] {self.NAME} cannot be loaded from {source}: {error}. Restore "
                "the file, or train the pipeline again."
            ) from error

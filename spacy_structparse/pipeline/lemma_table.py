"""`lemma_table`: the lemmas of words that have only one in the training data."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Self

import srsly
from spacy.language import Language
from spacy.pipeline.pipe import Pipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples

from ..files import write_atomically
from ..input_limits import check_regular
from ..learn import Learn, keeps_learned
from ..removed_settings import removed_settings

FILE = "lemmas.json"
Table = dict[str, dict[str, str]]


@Language.factory(
    "lemma_table",
    assigns=["token.lemma"],
    requires=["token.pos"],
    default_config={"scorer": {"@scorers": "spacy.lemmatizer_scorer.v1"}},
    default_score_weights={"lemma_acc": 1.0},
)
@removed_settings("Every word with one lemma is in the table.", min_freq=1)
def make_lemma_table(
    nlp: Language, name: str, scorer: Callable[..., dict[str, Any]] | None
) -> "LemmaTable":
    """The lemmas of words that have only one in the training data. Other words keep the lemma that
    they have: a ``backoff_lemmatizer`` after it finds those of new words.

    Args:
        scorer: The scorer of ``nlp.evaluate``.
    """
    return LemmaTable(name, scorer=scorer)


class LemmaTable(Pipe):
    """Writes the lemma of each word whose training data leaves no doubt about it.

    The table has the lemma of each lower-cased word with each part of speech (``token.pos_``), if
    it was the same wherever it was annotated. Words that are not in it keep the lemma that they
    have: put a ``backoff_lemmatizer``, which finds those of new words, after the component. The
    ``morphologizer`` comes before it. It is filled when training begins, and does not change after:
    a table that is filled stays as it is if the pipeline is initialized again.

    Args:
        name: The component's name.
        scorer: Scores lemmas.
    """

    def __init__(
        self,
        name: str = "lemma_table",
        *,
        scorer: Callable[..., dict[str, Any]] | None = None,
    ) -> None:
        self.name = name
        self.scorer = scorer
        self.table: Table = {}

    def __call__(self, doc: Doc) -> Doc:
        """Set the lemmas of a Doc that has parts of speech."""
        for token in doc:
            lemma = self.table.get(token.pos_, {}).get(token.lower_)
            if lemma is not None:
                token.lemma_ = lemma
        return doc

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        learn: Learn = "if_new",
    ) -> None:
        """Fill the table, unless it has been filled before.

        Args:
            get_examples: Gives the training examples. Of their references the words with a part of
                speech and a lemma count.
            nlp: The pipeline.
            learn: ``always`` replaces a table that has been filled.

        Raises:
            ValueError: No word has both, or `learn` has another value.
        """
        if keeps_learned(learn, bool(self.table), f"initialize.components.{self.name}", self.name):
            return
        lemmas_of: dict[tuple[str, str], set[str]] = defaultdict(set)
        for example in get_examples():
            validate_examples([example], "LemmaTable.initialize")
            for token in example.reference:
                if token.pos and token.lemma:
                    lemmas_of[token.pos_, token.lower_].add(token.lemma_)
        if not lemmas_of:
            raise ValueError(
                f"[{self.name}] no word of the training data has both a part of speech (POS) and "
                "a lemma (LEMMA): leave the component out, or convert a treebank that has them"
            )
        self.table = {}
        for (pos, word), lemmas in lemmas_of.items():
            if len(lemmas) == 1:
                self.table.setdefault(pos, {})[word] = lemmas.pop()

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The table, as JSON."""
        return srsly.json_dumps(self.table).encode()

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        """Read the table. Raises ValueError if it is none."""
        self.table = self._read(bytes_data, "the bytes")
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the table into a folder."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / FILE, self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Self:
        """Read the table from a folder. Raises ValueError, which names the file, if it is none."""
        file = Path(path) / FILE
        check_regular(file)
        self.table = self._read(file.read_bytes(), str(file))
        return self

    def _read(self, data: bytes, source: str) -> Table:
        try:
            table = srsly.json_loads(data)
            lemmas = [lemma for words in table.values() for lemma in words.values()]
        except (ValueError, AttributeError) as error:
            raise ValueError(f"[{self.name}] {source} has no table of lemmas: {error}") from error
        if not all(isinstance(lemma, str) for lemma in lemmas):
            raise ValueError(f"[{self.name}] {source} has no table of lemmas by part of speech")
        return table

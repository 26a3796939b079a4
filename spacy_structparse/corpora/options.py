"""The settings of a conversion, and of reading any file."""

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Literal, NamedTuple

from spacy.language import Language

from ..errors import ReadError
from ..extensions.multiword import MULTIWORD
from .report import ConversionReport

Labels = Literal["bare", "functions", "full"]
TagColumn = Literal["xpos", "upos"]
BadHeads = Literal["skip", "words"]


class Paragraphs(str, Enum):
    """The end of a document in a text file: each line, a blank line, or the end of the file."""

    line = "line"
    blank_line = "blank-line"
    none = "none"


@dataclass(frozen=True, slots=True)
class TreebankPart:
    """One or two files over the same sentences: dependencies, trees, or both."""

    conllu: Path | None = None
    brackets: Path | None = None

    @property
    def paths(self) -> list[Path]:
        return [path for path in (self.conllu, self.brackets) if path is not None]


@dataclass(frozen=True)
class ConversionOptions:
    """Settings of a conversion of sentences to Docs.

    Attributes:
        n_sents: sentences per Doc; fewer where a paragraph (`# newpar`, `# newdoc`) ends. 0: all
            of a paragraph.
        tag_column: the CoNLL-U column that becomes `tag_`. Where the files have no XPOS,
            the tags of the trees stand in for it, without trees UPOS.
        labels: of brackets: "bare" (`NP`), with "functions" (`NP-SBJ`) or in "full" (`NP-SBJ-1`).
        bad_heads: "skip" a sentence whose heads are no tree, or keep its "words" without heads.
        mismatch: where trees and dependencies are over different tokens, keep the "dependencies"
            without the tree, or "skip" the sentence.
        split_lemmas: in trees read alone, leaves hold a word and its lemma (`fór-fara`), which
            become `text` and `lemma_`.
        straight_quotes: in trees read alone, `` and '' become ", as in the text they come from.
        wh_phrases: a noun phrase of a relative or an interrogative word is `WHNP`; see
            `label_wh_phrases`.
        spans_key: the span group that trees are stored in.
        only: a regular expression; sentences are left out if it does not match the beginning of
            their `sent_id`.
    """

    n_sents: int = 1
    tag_column: TagColumn = "xpos"
    labels: Labels = "bare"
    bad_heads: BadHeads = "skip"
    mismatch: Literal["dependencies", "skip"] = "dependencies"
    split_lemmas: bool = False
    straight_quotes: bool = False
    wh_phrases: bool = False
    spans_key: str = "constituency"
    only: str = ""

    def __post_init__(self) -> None:
        if self.spans_key == MULTIWORD:
            raise ReadError(
                f"spans_key is '{MULTIWORD}', the span group of multiword tokens. Name another one "
                "for the trees"
            )
        try:
            re.compile(self.only)
        except re.error as error:
            raise ReadError(
                f"'{self.only}' is no regular expression that a sent_id can match: {error}"
            ) from error


@dataclass(frozen=True)
class ReadOptions(ConversionOptions):
    """Settings of reading files of any kind.

    Attributes:
        bad_heads: As in `ConversionOptions`; of a parquet file the document is skipped.
        paragraphs: What ends a document of text or words. None: a line does, and the report names
            files whose lines look wrapped.
        skip_bad_lines: Report lines of text that are not UTF-8. Otherwise they are errors.
        column: The column of parquet files with the texts.
    """

    bad_heads: BadHeads = "words"
    paragraphs: Paragraphs | None = None
    skip_bad_lines: bool = False
    column: str = "text"


class Source(NamedTuple):
    """A file to be read.

    Attributes:
        path: A file that can be read twice; one of text, words or JSON lines can be `-` or a pipe.
        name: Its name in messages.
        nlp: The pipeline: its vocabulary, tokenizer and `max_length` are used.
        options: How it is read.
        report: Counts what was read, and lists what was left out.
    """

    path: Path
    name: str
    nlp: Language
    options: ReadOptions
    report: ConversionReport

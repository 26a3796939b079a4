"""Pipelines of the page, and the parses that they make."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from typing import Any, TypeVar

from spacy.language import Language
from spacy.tokens import Doc

from ...corpora.pipeline_outputs import PipelineOutputs
from ...errors import ReadError
from ...escaping import error_text
from ...extensions.multiword import surface_offsets
from ...pipeline.confidence import confident_parsers
from ...pipeline.sentences import set_sentence_splitter
from ...viz.sentences import ParsedSentence, parsed_sentences

T = TypeVar("T")
MAX_CHARACTERS = 20_000
N_BEST = 5
MAX_DRAWN = 150
"""The words of the longest sentence that is drawn."""
COMMAND = "python -m spacy structparse parse"


EXAMPLES = (
    "I saw the man with a telescope.",
    "The boy who kicked the ball ran away.",
    "What did the teacher that we met say she wanted her students to read?",
    "The complex houses married and single soldiers and their families.",
    "Although the committee that had met twice agreed that the bridge should be closed before "
    "winter, nobody told the farmers who cross it every morning, and the mayor was furious.",
)


def examples(language: str) -> Sequence[str]:
    """Sentences to begin with; for other languages than English, those of spaCy."""
    name = f"spacy.lang.{language}.examples"
    if language == "en" or find_spec(name) is None:
        return EXAMPLES
    sentences: Sequence[str] = import_module(name).sentences
    return sentences


def checked_text(text: str, most: int = MAX_CHARACTERS) -> str:
    """The text without the space around it.

    Args:
        text: What was typed.
        most: The characters that are taken.

    Raises:
        ReadError: There are no words, or too many characters.
    """
    text = text.strip()
    if not text:
        raise ReadError("There is no text: type some words.")
    if len(text) > most:
        raise ReadError(too_long(len(text), most, "this page"))
    return text


def too_long(length: int, most: int, reader: str) -> str:
    """The message of a text with more characters than are taken by the page or by a pipeline."""
    return (
        f"The text has {length:,} characters, and {reader} takes {most:,}. Give a part of it, or "
        f"parse it as a file: {COMMAND} MODEL FILE.txt"
    )


@dataclass(frozen=True)
class Parse:
    """A parsed text.

    Attributes:
        doc: The Doc.
        sentences: Its sentences with words.
        outputs: The annotation that the pipeline assigns.
    """

    doc: Doc
    sentences: list[ParsedSentence]
    outputs: PipelineOutputs

    @cached_property
    def offsets(self) -> list[tuple[int, int]]:
        """The first character of each token in the text, and the one after its last."""
        return surface_offsets(self.doc)

    def limits(self, sentence: ParsedSentence) -> tuple[int, int]:
        """Return the first character of a sentence in the text, and the one after its last."""
        words = sentence.words
        return self.offsets[words[0].i][0], self.offsets[words[-1].i][1]

    def overlapping(self, start: int, end: int) -> list[ParsedSentence]:
        """The sentences with a part between two characters of the text."""
        limits = [(one, self.limits(one)) for one in self.sentences]
        return [one for one, (first, after) in limits if first < end and start < after]


class Parser:
    """A pipeline that several readers of the page use, one at a time.

    Args:
        nlp: The pipeline. Without a component that finds sentences it gets one. Its parsers are set
            to say how sure they are.
    """

    def __init__(self, nlp: Language) -> None:
        set_sentence_splitter(nlp, None)
        for pipe in confident_parsers(nlp).values():
            pipe.confidence = True
        self.nlp = nlp
        self.outputs = PipelineOutputs.of(nlp)
        self._lock = Lock()

    def parse(self, text: str) -> Parse:
        """Parse a text.

        Raises:
            ReadError: The text has more characters than the pipeline takes, a component ended in
                an error, or its trees do not fit the tokens, which a later one has merged.
        """
        most = self.nlp.max_length
        if len(text) > most:
            raise ReadError(too_long(len(text), most, "this pipeline"))

        def parsed() -> Parse:
            doc = self.nlp(text)
            key = self.outputs.spans_key
            return Parse(doc, parsed_sentences(doc, trees=True, spans_key=key), self.outputs)

        return self.alone(parsed)

    def k_best_parsers(self) -> dict[str, Any]:
        """The components that give several parses, by name."""
        return {name: pipe for name, pipe in self.nlp.pipeline if hasattr(pipe, "set_k_best")}

    def find_alternatives(self, parse: Parse, name: str) -> list[list[Any]]:
        """The best parses of every sentence by a component, best first.

        Raises:
            ReadError: The component ended in an error.
        """
        return self.alone(lambda: self.k_best_parsers()[name].k_best(parse.doc, N_BEST))

    def tracers(self) -> dict[str, Any]:
        """The components that tell how they parse step by step, by name."""
        return {
            name: pipe
            for name, pipe in self.nlp.pipeline
            if callable(getattr(pipe, "trace", None)) and hasattr(pipe, "linearization")
        }

    def alone(self, work: Callable[[], T]) -> T:
        """The result of work with the pipeline, while nobody else uses it.

        Raises:
            ReadError: It ended in an error.
        """
        with self._lock:
            try:
                return work()
            except Exception as error:  # whatever a component of another package raises
                raise ReadError(error_text(error)) from error

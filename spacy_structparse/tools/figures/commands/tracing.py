"""Traces of parsers, for the commands that look inside them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

from ....cli.loading import choose, load_pipeline
from ....cli.messages import msg
from ....files import write_atomically
from ....pipeline.seq2seq import Trace
from ....transitions.constituency.interface import Linearization
from ..attention import AttentionMap, draw_attention
from ..attention_page import attention_page
from .pictures import write_pictures


@dataclass(frozen=True)
class Tracer:
    """A component of a pipeline that tells what it does step by step. pipe: has `trace` and, if it
    parses, `linearization`."""

    nlp: Language
    name: str
    pipe: Any

    @property
    def linearization(self) -> Linearization | None:
        """The parser's actions; None for a translator, whose actions build no tree."""
        return getattr(self.pipe, "linearization", None)

    def prepare(self, doc: Doc) -> Doc:
        """The doc with all that the components before this one add, and for a parser with
        sentences: by punctuation, where nothing before it finds any."""
        for name, component in self.nlp.pipeline:
            if name == self.name:
                break
            doc = component(doc)
        if self.linearization is not None and not doc.has_annotation("SENT_START"):
            doc = Sentencizer()(doc)
        return doc

    def trace(self, docs: Iterable[Doc]) -> list[Trace]:
        """Trace the parsing or the translation of the sentences of Docs.

        Raises:
            ValueError: There are no words in them.
        """
        traces = [trace for of_doc in self.pipe.trace(list(docs)) for trace in of_doc]
        if not traces:
            raise ValueError("The text has no words")
        return traces


def load_tracer(model: str, component: str | None, *, parser: bool = False) -> Tracer:
    """The parser or translator of a pipeline that can be traced; with ``parser`` no translator
    where there is a parser. Raises WeightsError or ValueError."""
    nlp = load_pipeline(model)
    found = {name: pipe for name, pipe in nlp.pipeline if callable(getattr(pipe, "trace", None))}
    what = "is a constituency parser or a translator"
    parsers = {name: pipe for name, pipe in found.items() if hasattr(pipe, "linearization")}
    if parser and parsers:
        found, what = parsers, "is a constituency parser"
    name = choose(model, list(found), nlp.pipe_names, component, what)
    return Tracer(nlp, name, found[name])


def write_maps(groups: Sequence[Sequence[AttentionMap]], output: Path, title: str) -> None:
    """Write a figure for each group, numbered, or one page for all, and name the files."""
    if output.suffix == ".html":
        page = attention_page([shown for group in groups for shown in group], title)
        write_atomically(output, page.encode("utf-8"))
        msg.good(str(output))
    else:
        write_pictures(groups, draw_attention, output)

"""Training configs and saved pipelines that `spacy structparse debug` compares with a treebank."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import load_config
from thinc.api import Config

from ..corpora.docbins import read_docs
from ..corpora.pipeline_outputs import HEADS, TREES
from ..extensions.multiword import MULTIWORD, surface_offsets, surface_text
from ..tokenization.mwt_splitter import MwtSplitter
from ..trees import SPANS_KEY
from .loading import load_pipeline

SPACY_PARSERS = ("parser", "beam_parser")  # these have their own `spacy debug data`
N_FORMS = 8
REMEDY = (
    ". From text the parser will get other words than it is trained on: add the tokenizer "
    "spacy-structparse.mwt_splitter.v1"
)


@dataclass(frozen=True)
class Parser:
    """A parser of a config.

    Attributes:
        name: The name of its component.
        trees: It learns from trees; otherwise from dependencies.
        uses_tags: Its model embeds tags.
        spans_key: The span group that a parser of trees learns from.
    """

    name: str
    trees: bool
    uses_tags: bool
    spans_key: str


@dataclass(frozen=True)
class GivenConfig:
    """A training config, or that of a saved pipeline.

    Attributes:
        name: The config file, or the folder or package of the pipeline.
        content: The config, interpolated.
        saved: The saved pipeline; None for a config file.
    """

    name: str
    content: Config
    saved: Language | None

    @classmethod
    def read(cls, name: str) -> "GivenConfig":
        """Read the config of a file, of a pipeline's folder or of an installed pipeline.

        Raises:
            OSError: It cannot be read.
            ValueError: It is malformed.
        """
        if Path(name).is_file():
            return cls(name, load_config(name, interpolate=True), None)
        nlp = load_pipeline(name)
        return cls(name, nlp.config.interpolate(), nlp)

    @property
    def components(self) -> dict[str, dict[str, Any]]:
        """The sections of the components of the pipeline that have no source."""
        sections = self.content.get("components", {})
        names = self.content.get("nlp", {}).get("pipeline", [])
        return {name: sections[name] for name in names if "factory" in sections.get(name, {})}

    def parsers(self) -> list[Parser]:
        """Find the parsers, without spaCy's own."""
        spacy.blank("xx")  # spaCy finds the factories of packages when it makes a pipeline
        parsers = []
        for name, section in self.components.items():
            factory = section["factory"]
            if not Language.has_factory(factory) or factory in SPACY_PARSERS:
                continue
            assigns = Language.get_factory_meta(factory).assigns
            if TREES in assigns or HEADS in assigns:
                spans_key = section.get("spans_key", SPANS_KEY)
                uses_tags = _has(section, "use_pos", True)
                parsers.append(Parser(name, TREES in assigns, uses_tags, spans_key))
        return parsers

    def multiword_warnings(self, paths: Mapping[str, Path]) -> list[str]:
        """Count the multiword tokens that the tokenizer does not split as the data does.

        Args:
            paths: The corpora by name. The splitter of a config file learns from `train`.
        """
        try:
            nlp = self.saved or _with_tokenizer(self.content.get("nlp", {}))
        except (ValueError, OSError, ImportError) as error:
            return [
                f"the multiword tokens were not looked at: {self.name} has no usable tokenizer: "
                f"{error}"
            ]
        tokenizer = nlp.tokenizer
        if isinstance(tokenizer, MwtSplitter) and self.saved is None:
            gold = [Example(doc, doc) for doc in read_docs(paths["train"], nlp.vocab)]
            tokenizer.initialize(lambda: gold, nlp=nlp)
        warnings = []
        for name, path in paths.items():
            total, missed = _missed(read_docs(path, nlp.vocab), nlp)
            if missed:
                forms = ", ".join(f"{form} ({n})" for form, n in missed.most_common(N_FORMS))
                more = ", …" if len(missed) > N_FORMS else ""
                remedy = "" if isinstance(tokenizer, MwtSplitter) else REMEDY
                warnings.append(
                    f"{name}: the tokenizer of {self.name} does not split {missed.total()} of "
                    f"{total} multiword tokens as the data does: {forms}{more}{remedy}"
                )
        return warnings


def _with_tokenizer(section: Mapping[str, Any]) -> Language:
    """Make a pipeline without components that has the tokenizer of a section [nlp]."""
    tokenizer = {"tokenizer": section["tokenizer"]} if section.get("tokenizer") else {}
    return spacy.blank(section.get("lang") or "xx", config={"nlp": tokenizer})


def _missed(docs: Iterable[Doc], nlp: Language) -> tuple[int, Counter[str]]:
    """The number of multiword tokens, and the forms of those whose words the tokenizer misses."""
    total = 0
    missed: Counter[str] = Counter()
    for gold in docs:
        spans = gold.spans.get(MULTIWORD, ())
        total += len(spans)
        predicted = nlp.tokenizer(surface_text(gold)) if len(spans) else gold
        limits, gold_limits = surface_offsets(predicted), surface_offsets(gold)
        for span in spans:
            start, end = gold_limits[span.start]
            words = [
                token.text
                for token, (first, last) in zip(predicted, limits, strict=True)
                if start <= first and last <= end
            ]
            if words != [token.text for token in span]:
                missed[span.label_] += 1
    return total, missed


def _has(section: Any, key: str, value: Any) -> bool:
    """Return True if a setting has a value anywhere in a section of a config."""
    if not isinstance(section, Mapping):
        return False
    return section.get(key) == value or any(_has(part, key, value) for part in section.values())

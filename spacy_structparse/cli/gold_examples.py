"""Gold documents to score or calibrate a pipeline on, and what makes their scores wrong."""

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..corpora.options import ReadOptions
from ..corpora.pipeline_outputs import TREES
from ..corpora.reader import TreeCorpus
from ..corpora.report import ConversionReport
from ..errors import ReadError
from ..pipeline.sentences import SeveralSentencesWarning
from ..trees.span_group import SPANS_KEY, get_brackets
from .messages import Messages
from .parse_inputs import find_files, read_input, warn_of_problems

N_EXAMPLES = 5
DEPENDENCIES, TAGS = "token.dep", "token.tag"


class GoldCorpus(TreeCorpus):
    """The annotated documents of `.spacy` files, treebanks and parquet files, or of folders."""

    def _documents(self, nlp: Language) -> Iterator[tuple[Doc, None]]:
        report = ConversionReport()
        for file in find_files([self.path], None):
            for place, source, is_annotated in read_input(file, nlp, report, ReadOptions()):
                if isinstance(source, str) or not is_annotated:
                    raise ReadError(f"{place.file} has no annotation to score against")
                if len(source):
                    yield source, None
        warn_of_problems(report)


def read_examples(nlp: Language, data: Path, *, gold_preproc: bool) -> list[Example]:
    """Read all documents of a `.spacy` file, a treebank or a parquet file, or of a folder of them.

    Args:
        nlp: The pipeline.
        data: The file or folder.
        gold_preproc: Gold tokens and sentences, or those that the pipeline makes of the text.

    Raises:
        ReadError: There is none, or a file is damaged or has no annotation.
        OSError: A file cannot be read.
    """
    if gold_preproc:  # a Doc for each sentence, whatever marks it has inside
        warnings.simplefilter("ignore", SeveralSentencesWarning)
    return list(GoldCorpus(data, gold_preproc=gold_preproc)(nlp))


def warn_of_untagged_trees(
    msg: Messages, gold: Sequence[Doc], data: Path, spans_key: str = SPANS_KEY
) -> None:
    """Warn where brackets are scored, but no gold tag tells which words are punctuation."""
    has_trees = any(get_brackets(doc, spans_key) for doc in gold)
    if has_trees and not any(doc.has_annotation("TAG") for doc in gold):
        msg.warn(
            "The gold trees have no tags",
            f"Bracket scores leave out punctuation by its tag: convert {data} with tags",
        )


def warn_of_unknown_labels(msg: Messages, nlp: Language, gold: Sequence[Doc]) -> None:
    """Warn for each component that cannot find some gold labels because it never learned them.

    Args:
        msg: Prints the warnings.
        nlp: The pipeline. Its dependency parsers, taggers and parsers of trees are looked at.
        gold: The gold annotation.
    """
    for name, pipe in nlp.pipeline:
        learned = set(getattr(pipe, "labels", ()))
        for layer in nlp.get_pipe_meta(name).assigns:
            if not learned or layer not in _LABELS:
                continue
            labels = Counter(label for doc in gold for label in _LABELS[layer](doc, pipe))
            unknown = Counter({label: n for label, n in labels.items() if label not in learned})
            if unknown:
                examples = ", ".join(label for label, _ in unknown.most_common(N_EXAMPLES))
                more = " …" if len(unknown) > N_EXAMPLES else ""
                msg.warn(
                    f"{name} does not know {unknown.total()} of {labels.total()} gold labels",
                    f"It can never find them: {examples}{more}",
                )


def _brackets(doc: Doc, pipe: Any) -> list[str]:
    brackets = get_brackets(doc, getattr(pipe, "spans_key", SPANS_KEY))
    return [bracket.label for bracket in brackets or ()]


# Every root has its own label, whatever the parser calls it.
_LABELS: dict[str, Callable[[Doc, Any], Iterable[str]]] = {
    DEPENDENCIES: lambda doc, pipe: (
        token.dep_ for token in doc if token.dep_ and token.head.i != token.i
    ),
    TAGS: lambda doc, pipe: (token.tag_ for token in doc if token.tag_ and not token.is_space),
    TREES: _brackets,
}

"""What the commands that read annotation have in common: treebanks as they are, texts parsed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import spacy
import typer
from spacy.cli._util import import_code
from spacy.language import Language
from spacy.tokens import Doc

from ..corpora.options import Labels
from ..corpora.pipeline_outputs import PipelineOutputs
from ..corpora.text_lines import name_of
from ..pipeline.sentence_splitter import set_sentence_splitter
from ..trees.span_group import SPANS_KEY
from .gpu import choose_device
from .loading import load_pipeline
from .parse_inputs import TEXTS, InputFormat, InputFormatError, InputReader, find_files
from .parse_workers import pipe

ModelOfTexts = Annotated[
    str | None,
    typer.Option("--model", "-m", help="Path or name of a trained pipeline that parses texts"),
]
TextProcesses = Annotated[
    int, typer.Option("--n-process", "-p", help="Worker processes that parse texts", min=1)
]


class AnnotatedInputs(NamedTuple):
    """Files, and what reads and parses them.

    Attributes:
        files: The files with their kinds.
        nlp: The pipeline that parses texts; a blank one if none is named.
        spans_key: The span group of the trees.
    """

    files: list[tuple[Path, InputFormat]]
    nlp: Language
    spans_key: str

    def reader(self, labels: Labels = "bare") -> InputReader:
        """A reader of the files, which also reports what it skips.

        labels: of the brackets of treebanks, as in `ConversionOptions`.
        """
        return InputReader(self.nlp, prepare=lambda doc: doc, labels=labels)


def find_annotated(
    sources: list[Path],
    input_format: InputFormat | None,
    model: str | None,
    code: Path | None,
    gpu_id: int,
) -> AnnotatedInputs:
    """Find the files, and load the pipeline for texts.

    Raises:
        InputFormatError: A kind is not known, or there is a text and no pipeline.
        LoadingError: The pipeline cannot be loaded.
    """
    files = find_files(sources, input_format)
    texts = [source for source, kind in files if kind in TEXTS]
    if texts and model is None:
        raise InputFormatError(f"{texts[0]} is a text: name a pipeline with --model")
    import_code(code)
    choose_device(gpu_id)
    nlp = spacy.blank("xx") if model is None else load_pipeline(model)
    if texts:
        set_sentence_splitter(nlp, None)
    spans_key = SPANS_KEY if model is None else PipelineOutputs.of(nlp).spans_key
    return AnnotatedInputs(files, nlp, spans_key)


def docs_of(
    reader: InputReader, inputs: list[tuple[Path, InputFormat]], n_process: int
) -> Iterator[tuple[str, Doc]]:
    """The Docs of files, those of texts parsed, each with the name of its file."""
    for source, kind in inputs:
        read = reader.read([(source, kind)])
        parsed = pipe(reader.nlp, read, n_process=n_process) if kind in TEXTS else read
        for doc in parsed:
            assert isinstance(doc, Doc)
            yield name_of(source), doc

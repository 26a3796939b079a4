"""The gold documents that a pipeline is scored, reported or calibrated on."""

import tempfile
from pathlib import Path

from spacy.language import Language
from spacy.tokens import DocBin
from spacy.training import Example

from ..corpora.docbins import SUFFIX, store_doc
from ..corpora.input_files import InputFormatError
from ..corpora.options import ReadOptions
from ..corpora.reader import create_corpus_reader
from ..corpora.readers import InputFormat, kind_of
from ..corpora.report import ConversionReport
from ..files import write_atomically
from .parse_inputs import find_files, read_input, warn_of_problems


def read_examples(nlp: Language, data: Path, *, gold_preproc: bool) -> list[Example]:
    """All documents of a `.spacy` file, a treebank or a parquet file, or of a folder of them.

    Args:
        nlp: The pipeline.
        data: The file or folder.
        gold_preproc: Gold tokens and sentences, or those that the pipeline makes of the text.

    Raises:
        ReadError: There is none, or a file is damaged or has no annotation.
        OSError: A file cannot be read.
    """
    if not data.exists() or (data.is_file() and kind_of(data.name) in (None, InputFormat.spacy)):
        return list(create_corpus_reader(data, gold_preproc=gold_preproc)(nlp))
    files = find_files([data], None)
    if all(kind is InputFormat.spacy for _, kind in files):
        return list(create_corpus_reader(data, gold_preproc=gold_preproc)(nlp))
    report, docs = ConversionReport(), DocBin(store_user_data=True)
    for file in files:
        for place, source, is_annotated in read_input(file, nlp, report, ReadOptions()):
            if isinstance(source, str) or not is_annotated:
                raise InputFormatError(f"{place.file} has no annotation to score against")
            store_doc(docs, source)
    warn_of_problems(report)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{data.stem}{SUFFIX}"
        write_atomically(path, docs.to_bytes())
        return list(create_corpus_reader(path, gold_preproc=gold_preproc)(nlp))

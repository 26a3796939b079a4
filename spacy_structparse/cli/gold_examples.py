"""The gold documents that a pipeline is scored, reported or calibrated on."""

from pathlib import Path

from spacy.language import Language
from spacy.training import Example

from ..corpora.reader import create_corpus_reader


def read_examples(nlp: Language, data: Path, *, gold_preproc: bool) -> list[Example]:
    """All documents of a `.spacy` file, or of a folder of them.

    Args:
        nlp: The pipeline.
        data: The file or folder.
        gold_preproc: Gold tokens and sentences, or those that the pipeline makes of the text.

    Raises:
        DocBinError: There is none, or a file is damaged.
        OSError: A file cannot be read.
    """
    return list(create_corpus_reader(data, gold_preproc=gold_preproc)(nlp))

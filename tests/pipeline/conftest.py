"""Sentences of the sample treebank, and a small parser trained on twenty of them."""

from pathlib import Path

import pytest
import spacy
from small_parser import examples_of, small_pipeline, train
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_structparse.corpora.convert import convert_treebank
from spacy_structparse.corpora.options import ConversionOptions, TreebankPart

SAMPLE = Path(__file__).resolve().parents[2] / "assets" / "sample"


@pytest.fixture(scope="session")
def sample_docbin(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The sample treebank's training part, one sentence a doc."""
    output = tmp_path_factory.mktemp("sample") / "train.spacy"
    parts = [TreebankPart(conllu=SAMPLE / "train.conllu")]
    convert_treebank(parts, output, ConversionOptions(n_sents=1))
    return output.read_bytes()


@pytest.fixture(scope="session")
def sample_docs(sample_docbin: bytes) -> list[Doc]:
    return list(DocBin().from_bytes(sample_docbin).get_docs(spacy.blank("en").vocab))


@pytest.fixture(scope="session")
def twenty(sample_docs: list[Doc]) -> list[Doc]:
    """Twenty sentences of 5 to 15 tokens."""
    return [doc for doc in sample_docs if 5 <= len(doc) <= 15][:20]


@pytest.fixture(scope="session")
def trained(twenty: list[Doc]) -> Language:
    """A pipeline that knows the twenty sentences by heart. Tests must not train it further."""
    nlp = small_pipeline(lambda nlp: examples_of(nlp, twenty))
    train(nlp, examples_of(nlp, twenty), 60)
    return nlp


@pytest.fixture
def untrained(twenty: list[Doc]) -> Language:
    """A pipeline with random weights, for a test's own use."""
    return small_pipeline(lambda nlp: examples_of(nlp, twenty))

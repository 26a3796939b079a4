"""Sentences of the sample treebank, and a small parser trained on twenty of them."""

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_structparse.corpora.convert import convert_treebank
from spacy_structparse.corpora.options import ConversionOptions, TreebankPart
from tests.helpers.paths import SAMPLE
from tests.helpers.small_parser import SMALL, examples_of, small_pipeline, train
from tests.helpers.small_trees import tree_pipeline


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


@pytest.fixture(scope="session", params=SMALL)
def parser(request: pytest.FixtureRequest) -> str:
    """Each dependency parser in turn."""
    return request.param


@pytest.fixture(scope="session")
def trained(twenty: list[Doc], parser: str) -> Language:
    """A pipeline that knows the twenty sentences by heart. Tests must not train it further."""
    nlp = small_pipeline(lambda nlp: examples_of(nlp, twenty), parser)
    train(nlp, examples_of(nlp, twenty), 60)
    return nlp


@pytest.fixture
def untrained(twenty: list[Doc], parser: str) -> Language:
    """A pipeline with random weights, for a test's own use."""
    return small_pipeline(lambda nlp: examples_of(nlp, twenty), parser)


@pytest.fixture(scope="session")
def tree_docs(tmp_path_factory: pytest.TempPathFactory) -> list[Doc]:
    """The sample treebank's training part with its trees too, one sentence a doc."""
    output = tmp_path_factory.mktemp("trees") / "train.spacy"
    parts = [TreebankPart(conllu=SAMPLE / "train.conllu", brackets=SAMPLE / "train.ptb")]
    convert_treebank(parts, output, ConversionOptions(n_sents=1))
    return list(DocBin().from_disk(output).get_docs(spacy.blank("en").vocab))


@pytest.fixture(scope="session")
def twenty_trees(tree_docs: list[Doc]) -> list[Doc]:
    """Twenty sentences of 4 to 10 tokens, with trees."""
    return [doc for doc in tree_docs if 4 <= len(doc) <= 10][:20]


@pytest.fixture(scope="session")
def trained_trees(twenty_trees: list[Doc]) -> Language:
    """A constituency parser that knows the twenty sentences by heart. Not to be trained further."""
    nlp = tree_pipeline(lambda nlp: examples_of(nlp, twenty_trees))
    train(nlp, examples_of(nlp, twenty_trees), 60)
    return nlp


@pytest.fixture
def untrained_trees(twenty_trees: list[Doc]) -> Language:
    """A constituency parser with random weights, for a test's own use."""
    return tree_pipeline(lambda nlp: examples_of(nlp, twenty_trees))

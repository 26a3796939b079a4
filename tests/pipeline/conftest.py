"""Sentences of the sample treebank, and small parsers trained on twenty of them."""

from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_structparse.corpora.convert import convert_treebank
from spacy_structparse.corpora.options import ConversionOptions, TreebankPart
from tests.helpers.once import made_once, trained_once
from tests.helpers.paths import SAMPLE
from tests.helpers.small_parser import SMALL, examples_of, small_pipeline
from tests.helpers.small_trees import tree_pipeline


@pytest.fixture(scope="module", autouse=True)
def words_are_not_split(plain_english: None) -> None:
    """Tests here make many pipelines and say nothing of tokenizers."""


@pytest.fixture(scope="session")
def sample_docbins(shared_folder: Path) -> Path:
    """The sample treebank's training part, one sentence a doc: `heads.spacy`, and `trees.spacy`
    with its trees too."""

    def make(folder: Path) -> None:
        for name, brackets in (("heads", None), ("trees", SAMPLE / "train.ptb")):
            part = TreebankPart(conllu=SAMPLE / "train.conllu", brackets=brackets)
            convert_treebank([part], folder / f"{name}.spacy", ConversionOptions(n_sents=1))

    return made_once(shared_folder / "docbins", make)


def loaded(path: Path) -> list[Doc]:
    return list(DocBin().from_disk(path).get_docs(spacy.blank("en").vocab))


@pytest.fixture(scope="session")
def sample_docs(sample_docbins: Path) -> list[Doc]:
    return loaded(sample_docbins / "heads.spacy")


@pytest.fixture(scope="session")
def twenty(sample_docs: list[Doc]) -> list[Doc]:
    """Twenty sentences of 5 to 15 tokens."""
    return [doc for doc in sample_docs if 5 <= len(doc) <= 15][:20]


@pytest.fixture(scope="session", params=SMALL)
def parser(request: pytest.FixtureRequest) -> str:
    """Each dependency parser in turn."""
    return request.param


@pytest.fixture(scope="session")
def trained(twenty: list[Doc], parser: str, shared_folder: Path) -> Language:
    """A pipeline that knows the twenty sentences by heart. Tests must not train it further."""

    def examples(nlp: Language) -> list[Example]:
        return examples_of(nlp, twenty)

    folder = shared_folder / f"trained {parser}"
    return trained_once(folder, lambda: small_pipeline(examples, parser), examples)


@pytest.fixture
def untrained(twenty: list[Doc], parser: str) -> Language:
    """A pipeline with random weights, for a test's own use."""
    return small_pipeline(lambda nlp: examples_of(nlp, twenty), parser)


@pytest.fixture(scope="session")
def tree_docs(sample_docbins: Path) -> list[Doc]:
    return loaded(sample_docbins / "trees.spacy")


@pytest.fixture(scope="session")
def twenty_trees(tree_docs: list[Doc]) -> list[Doc]:
    """Twenty sentences of 4 to 10 tokens, with trees."""
    return [doc for doc in tree_docs if 4 <= len(doc) <= 10][:20]


@pytest.fixture(scope="session")
def trained_trees(twenty_trees: list[Doc], shared_folder: Path) -> Language:
    """A constituency parser that knows the twenty sentences by heart. Not to be trained further."""

    def examples(nlp: Language) -> list[Example]:
        return examples_of(nlp, twenty_trees)

    return trained_once(shared_folder / "trees", lambda: tree_pipeline(examples), examples)


@pytest.fixture
def untrained_trees(twenty_trees: list[Doc]) -> Language:
    """A constituency parser with random weights, for a test's own use."""
    return tree_pipeline(lambda nlp: examples_of(nlp, twenty_trees))

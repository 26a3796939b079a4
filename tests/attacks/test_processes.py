"""Every component in other processes, by every start method: the same parses, and no Doc lost."""

import multiprocessing
import pickle
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_structparse.brackets import Bracket
from spacy_structparse.extensions.multiword import MULTIWORD
from spacy_structparse.trees.span_group import get_brackets
from tests.helpers.paths import SAVED as DATA
from tests.helpers.random_docs import copy_of, random_doc
from tests.helpers.saved_outputs import difference, outputs_of
from tests.helpers.small_parser import add_parser, arcs
from tests.helpers.tiny_bert import LISTENER, model_of, save_tiny_bert

pytestmark = pytest.mark.usefixtures("plain_english")
PIPELINES = sorted(path.name for path in DATA.iterdir() if path.is_dir())
SPLITTER = {"nlp": {"tokenizer": {"@tokenizers": "spacy-structparse.mwt_splitter.v1"}}}


@pytest.fixture
def start_method(request: pytest.FixtureRequest) -> Iterator[str]:
    before = multiprocessing.get_start_method(allow_none=True)
    multiprocessing.set_start_method(request.param, force=True)
    yield request.param
    multiprocessing.set_start_method(before, force=True)


@pytest.mark.parametrize("name", PIPELINES)
def test_every_component_can_be_pickled(name: str) -> None:
    """Processes that are spawned get the components by pickle."""
    nlp = spacy.load(DATA / name)
    docs = [random_doc(nlp.vocab, random.Random(seed), 8) for seed in range(6)]
    expected = outputs_of(nlp, nlp.pipe(map(copy_of, docs)))
    found = list(map(copy_of, docs))
    for _, pipe in nlp.pipeline:
        found = list(pickle.loads(pickle.dumps(pipe)).pipe(found))
    assert difference(outputs_of(nlp, found), expected) is None


def everything(folder: Path) -> Language:
    """A tokenizer that splits words, a transformer, and parsers of both kinds."""
    nlp = spacy.blank("en", config=SPLITTER)
    nlp.add_pipe("transformer", config={"model": model_of(save_tiny_bert(folder, ["the", "lake"]))})
    add_parser(nlp, "spa_dep", tok2vec=LISTENER)
    words = "They go to the lake .".split()
    deps = ["nsubj", "ROOT", "case", "det", "obl", "punct"]
    gold = Doc(nlp.vocab, words=words, heads=[1, 1, 4, 4, 1, 1], deps=deps)
    gold.spans[MULTIWORD] = [Span(gold, 2, 4, label="tothe")]
    nlp.initialize(lambda: [Example(gold.copy(), gold)])
    nlp.add_pipe("seq2seq_constituency", source=spacy.load(DATA / "trees_in_order_datt"))
    return nlp


@pytest.mark.parametrize("start_method", ["spawn"], indirect=True)
def test_spawned_processes_have_everything(start_method: str, tmp_path: Path) -> None:
    """They import everything anew, so that there is one run of them for all that goes there."""
    pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")
    nlp = everything(tmp_path)
    texts = ["They go tothe lake.", "", "The cook stirs a thick soup .", "Tothe lake"] * 2
    expected = [found_in(doc) for doc in nlp.pipe(texts, batch_size=2)]
    assert expected[0][0] == "They go to the lake .".split()
    assert all(brackets for words, _, _, brackets in expected if words)
    assert [found_in(doc) for doc in nlp.pipe(texts, n_process=2, batch_size=2)] == expected


def found_in(doc: Doc) -> tuple[list[str], str, list[tuple[int, str]], list[Bracket]]:
    return [token.text for token in doc], doc._.surface_text, arcs(doc), get_brackets(doc)

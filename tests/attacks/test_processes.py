"""Every component in other processes, by every start method: the same parses, and no Doc lost."""

import multiprocessing
import pickle
import random
from collections.abc import Iterator

import pytest
import spacy
from spacy.util import minibatch

from tests.helpers.attacks import bounded
from tests.helpers.paths import ROOT
from tests.helpers.random_docs import check_parse, copy_of, random_doc
from tests.helpers.saved_outputs import difference, outputs_of

DATA = ROOT / "tests" / "saved" / "data"
PIPELINES = sorted(path.name for path in DATA.iterdir() if path.is_dir())
KINDS = ["stack_torch_direct", "spa_bot_biaffine", "spa_transition_bot", "trees_in_order_datt",
         "lm_words_gru", "translation_bigru"]  # fmt: skip
# A spawned process imports everything anew.
CASES = bounded(
    [("spawn", 2, KINDS[3:4])],
    [(how, n, KINDS) for how in ("fork", "spawn", "forkserver") for n in (1, 2, 3, 4)],
)


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


@pytest.mark.parametrize(
    ("start_method", "n_process", "kinds"), CASES, indirect=["start_method"], ids=str
)
def test_processes_make_no_difference(start_method: str, n_process: int, kinds: list[str]) -> None:
    for name in kinds:
        nlp = spacy.load(DATA / name)
        docs = [random_doc(nlp.vocab, random.Random(seed), 12) for seed in range(24)]
        expected = [doc for some in minibatch(docs, 6) for doc in nlp.pipe(map(copy_of, some))]
        found = list(nlp.pipe(map(copy_of, docs), n_process=n_process, batch_size=6))
        assert len(found) == len(docs)
        for doc, one in zip(docs, found, strict=True):
            check_parse(nlp, doc, one)
        assert difference(outputs_of(nlp, found), outputs_of(nlp, expected)) is None, name

"""Random Docs through every factory: in batches, alone and in threads, the same legal parses."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch

from tests.helpers.attacks import bounded
from tests.helpers.paths import ROOT
from tests.helpers.random_docs import check_parse, copy_of, random_doc
from tests.helpers.saved_outputs import difference, outputs_of

DATA = ROOT / "tests" / "saved" / "data"
KINDS = ["stack_torch_direct", "spa_bot_biaffine", "spa_transition_bot", "trees_in_order_datt",
         "lm_words_gru", "translation_bigru"]  # fmt: skip
PIPELINES = bounded(KINDS, sorted(path.name for path in DATA.iterdir() if path.is_dir()))
N_DOCS = bounded(40, 3000)


@pytest.fixture(scope="module", params=PIPELINES)
def nlp(request: pytest.FixtureRequest) -> Language:
    return spacy.load(DATA / request.param)


@pytest.fixture(scope="module")
def docs(nlp: Language) -> list[Doc]:
    return [random_doc(nlp.vocab, random.Random(seed)) for seed in range(N_DOCS)]


@pytest.fixture(scope="module")
def parsed(nlp: Language, docs: list[Doc]) -> list[Doc]:
    return list(nlp.pipe(map(copy_of, docs), batch_size=50))


def test_every_doc_has_a_legal_parse(nlp: Language, docs: list[Doc], parsed: list[Doc]) -> None:
    assert len(parsed) == len(docs)
    for doc, one in zip(docs, parsed, strict=True):
        check_parse(nlp, doc, one)


def test_batches_make_no_difference(nlp: Language, docs: list[Doc], parsed: list[Doc]) -> None:
    some = [i for i, doc in enumerate(docs) if len(doc)][:: bounded(4, 10)]
    alone = outputs_of(nlp, [nlp(copy_of(docs[i])) for i in some])
    together = outputs_of(nlp, [parsed[i] for i in some])
    assert difference(alone, together) is None


def test_threads_make_no_difference(nlp: Language, docs: list[Doc], parsed: list[Doc]) -> None:
    some = [doc for doc in docs if len(doc)]
    shares = list(minibatch(some, 10))
    with ThreadPoolExecutor(4) as pool:
        found = [
            doc
            for share in pool.map(lambda share: list(nlp.pipe(map(copy_of, share))), shares)
            for doc in share
        ]
    expected = [one for doc, one in zip(docs, parsed, strict=True) if len(doc)]
    assert difference(outputs_of(nlp, found), outputs_of(nlp, expected)) is None

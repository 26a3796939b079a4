"""Pipelines that earlier code saved load, and parse as they did then (see ``make.py``)."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import DocBin

from tests.helpers.saved_outputs import difference, docs_of, numbers_of, outputs_of, parses_of

DATA = Path(__file__).resolve().parent / "data"
PIPELINES = sorted(path.name for path in DATA.iterdir() if path.is_dir())
KINDS = (
    "stack_torch_direct",
    "spa_bot_biaffine",
    "spa_transition_bot",
    "trees_in_order_datt",
    "lm_words_gru",
    "translation_bigru",
)
"""One pipeline of each kind of model."""
NEW_PROCESS = """
import sys
from pathlib import Path
import spacy
from spacy.tokens import DocBin

for folder in map(Path, sys.argv[2:]):
    nlp = spacy.load(folder)
    docs = list(DocBin().from_disk(Path(sys.argv[1]) / folder.name).get_docs(nlp.vocab))
    docs = list(nlp.pipe(docs, n_process=2, batch_size=5))
    DocBin(docs=docs, store_user_data=True).to_disk(Path(sys.argv[1]) / folder.name)
"""


@pytest.fixture(scope="module", params=PIPELINES)
def saved(request: pytest.FixtureRequest) -> tuple[Language, dict[str, Any]]:
    """A saved pipeline, loaded, and what it gave when it was saved."""
    folder = DATA / request.param
    return spacy.load(folder), json.loads((folder / "expected.json").read_text(encoding="utf-8"))


def test_parses_are_those_of_then(saved: tuple[Language, dict[str, Any]]) -> None:
    nlp, expected = saved
    assert difference(parses_of(nlp, expected["docs"]), expected["parses"]) is None


def test_losses_and_probabilities_are_those_of_then(
    saved: tuple[Language, dict[str, Any]],
) -> None:
    nlp, expected = saved
    found = numbers_of(nlp, expected["docs"])
    assert difference(found, {name: expected[name] for name in found}) is None


def test_bytes_keep_the_parses(saved: tuple[Language, dict[str, Any]]) -> None:
    nlp, expected = saved
    loaded = spacy.util.load_model_from_config(nlp.config).from_bytes(nlp.to_bytes())
    assert difference(parses_of(loaded, expected["docs"]), expected["parses"]) is None


@pytest.mark.slow
def test_a_new_process_loads_them_and_pipes_in_two_more(tmp_path: Path) -> None:
    """Nothing of ours is imported there but by spaCy."""
    pipelines = {name: spacy.load(DATA / name) for name in KINDS}
    expected = {}
    for name, nlp in pipelines.items():
        expected[name] = json.loads((DATA / name / "expected.json").read_text(encoding="utf-8"))
        DocBin(docs=docs_of(nlp.vocab, expected[name]["docs"])).to_disk(tmp_path / name)
    folders = [str(DATA / name) for name in KINDS]
    subprocess.run([sys.executable, "-c", NEW_PROCESS, str(tmp_path), *folders], check=True)
    for name, nlp in pipelines.items():
        docs = DocBin().from_disk(tmp_path / name).get_docs(nlp.vocab)
        found = outputs_of(nlp, docs)
        assert difference(found, expected[name]["parses"]["greedy"]) is None, name

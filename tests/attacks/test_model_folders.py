"""Hostile model folders: a named error or a pipeline that parses legally, in bounded time and
memory; no code runs from them."""

import random
from pathlib import Path

import pytest
import spacy

from spacy_structparse.cli.loading import load_pipeline
from tests.helpers import hostile_files as files
from tests.helpers import hostile_settings as settings
from tests.helpers.attacks import bounded
from tests.helpers.hostile_files import KINDS, SPLITTER, Damage, saved_copy
from tests.helpers.in_child import in_child
from tests.helpers.random_docs import check_parse, copy_of, random_doc

# spaCy reads some files before our components are asked: the commands load with load_pipeline.
OF_THE_PIPELINE: list[Damage] = [
    files.pipe, files.listening_socket, files.endless_device, files.directory_of_any,
    files.any_gone, files.looped, files.truncated, files.any_foreign, files.nested,
    files.message_bomb, files.pickled, files.meta, files.other_factories,
    settings.config_setting, settings.config_text, settings.absurd_in_both,
]  # fmt: skip
OF_A_COMPONENT: list[Damage] = [
    files.dangling_link, files.directory, files.gone, files.bits, files.foreign,
    files.pickled_inside, settings.stored_labels,
]  # fmt: skip
OF_WEIGHTS: list[Damage] = [
    files.swapped, settings.header_length, settings.offsets, settings.headers, settings.numbers,
    settings.shapes, settings.absurd, settings.nodes,
]  # fmt: skip
MUST_FAIL = {
    files.pipe, files.listening_socket, files.endless_device, files.dangling_link,
    files.directory, files.gone, files.message_bomb, settings.header_length, settings.offsets,
    settings.numbers, settings.shapes,
}  # fmt: skip
WITH_WEIGHTS = [kind for kind in KINDS if kind != SPLITTER]
N_EACH = bounded(1, 7)


def kind_of(damage: Damage, number: int) -> str:
    """The kind of pipeline that is damaged."""
    kinds = WITH_WEIGHTS if damage in [*OF_WEIGHTS, settings.absurd_in_both] else KINDS
    return kinds[number % len(kinds)]


CASES = [
    (damage, kind_of(damage, 7 * number + seed), seed)
    for number, damage in enumerate([*OF_THE_PIPELINE, *OF_A_COMPONENT, *OF_WEIGHTS])
    for seed in range(N_EACH)
]
SECONDS, MEGABYTES = 2, 200


@pytest.fixture(scope="module", autouse=True)
def warm(plain_english: None, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What is imported and cached once is neither time nor memory of a folder."""
    for kind in KINDS:
        nlp = spacy.load(saved_copy(kind, tmp_path_factory.mktemp("warm") / kind))
        list(nlp.pipe([random_doc(nlp.vocab, random.Random(1), 9)]))


@pytest.mark.parametrize(
    ("damage", "kind", "seed"), CASES, ids=[f"{one[0].__name__}-{one[2]}-{one[1]}" for one in CASES]
)
@pytest.mark.filterwarnings("ignore")
def test_hostile_folder(tmp_path: Path, damage: Damage, kind: str, seed: int) -> None:
    folder = saved_copy(kind, tmp_path / kind)
    damage(folder, random.Random(seed))
    size = sum(path.lstat().st_size for path in folder.rglob("*")) / 2**20
    load = load_pipeline if damage in OF_THE_PIPELINE else spacy.load

    def load_and_parse() -> None:
        nlp = load(str(folder))
        docs = [random_doc(nlp.vocab, random.Random(i), 9) for i in range(3)]
        for doc, one in zip(docs, nlp.pipe(map(copy_of, docs)), strict=True):
            if nlp.pipe_names:
                check_parse(nlp, doc, one)

    outcome = in_child(load_and_parse)
    assert (tmp_path / "code-ran").exists() is False
    assert sorted(path.name for path in tmp_path.iterdir()) == [kind]
    if outcome.kinds:
        assert {"ValueError", "OSError"} & set(outcome.kinds[0]), outcome.details
        assert str(folder) in outcome.message, outcome.details
    else:
        assert damage not in MUST_FAIL
    every = {name for kinds in outcome.kinds for name in kinds}
    assert not {"MemoryError", "RecursionError", "AssertionError"} & every, outcome.details
    assert outcome.seconds < SECONDS, outcome
    assert outcome.megabytes - size < MEGABYTES, outcome

"""Every name this package registers is found by spaCy and is what it says."""

from importlib.metadata import distribution

import pytest
from spacy.util import registry

GROUPS = [
    entry
    for entry in distribution("spacy-structparse").entry_points
    if entry.group.startswith(("spacy_", "thinc_"))
]


@pytest.mark.parametrize("entry", GROUPS, ids=lambda entry: f"{entry.group}:{entry.name}")
def test_entry_point(entry: object) -> None:
    assert callable(entry.load())
    kind = entry.group.partition("_")[2]
    if kind == "cli":
        return
    if kind == "factories":
        assert registry.factories.get(entry.name)
        return
    assert entry.name.startswith("spacy-structparse.")
    assert entry.name.endswith(".v1")
    assert getattr(registry, kind).get(entry.name) is entry.load()


def test_there_are_entry_points() -> None:
    assert {"spacy_factories", "spacy_architectures", "spacy_scorers"} <= {e.group for e in GROUPS}

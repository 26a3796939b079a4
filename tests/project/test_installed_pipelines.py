"""The pipelines in `assets/pipelines/`, as who installs them uses them."""

import zipfile
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc

from tests.helpers.paths import PIPELINES
from tests.helpers.pickles import holds_pickle

NAME = "en_structparse_sm"
MOST_MEGABYTES = {"en_structparse_sm": 25, "en_structparse_trf": 60}


def test_trees_and_multiword_tokens_survive_merged_tokens(installed: None) -> None:
    nlp = spacy.load(NAME)
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "GPE", "pattern": "New York"}])
    nlp.add_pipe("merge_entities")
    nlp.add_pipe("merge_noun_chunks")
    texts = ["The old dogs of New York didn't like it, and they can't bark."] * 2
    alone = nlp(texts[0])
    assert "New York" in [token.text for token in alone]
    for doc in (alone, *nlp.pipe(texts, n_process=2)):
        read = Doc(nlp.vocab).from_bytes(doc.to_bytes())
        forms = [(span.text, span.label_) for span in read.spans["multiword"]]
        assert forms == [("didn't", "didn't"), ("can't", "can't")]
        assert read._.surface_text == texts[0]
        assert read._.constituency_tree == alone._.constituency_tree
        part = read[-4:]._.as_doc()
        assert [span.text for span in part.spans["multiword"]] == ["can't"]
        with read.retokenize() as retokenizer:
            retokenizer.merge(read[0:3])
        assert [span.text for span in read.spans["multiword"]] == ["didn't", "can't"]


@pytest.mark.parametrize("wheel", sorted(PIPELINES.glob("*.whl")), ids=lambda path: path.name)
def test_a_wheel_is_small_has_its_card_and_no_pickle(wheel: Path) -> None:
    name = wheel.name.split("-")[0]
    assert wheel.stat().st_size < MOST_MEGABYTES[name] * 1e6
    with zipfile.ZipFile(wheel) as archive:
        files = {path: archive.read(path) for path in archive.namelist()}
    [card] = [data for path, data in files.items() if path.endswith("README.md")]
    for part in ("## Data", "## Accuracy", "## Speed and memory", "## Limits and biases"):
        assert part in card.decode()
    [metadata] = [data for path, data in files.items() if path.endswith("/METADATA")]
    assert "Requires-Dist: spacy-structparse" in metadata.decode()
    assert [path for path, data in files.items() if holds_pickle(data)] == []

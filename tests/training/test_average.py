"""The mean of trained pipelines, as `spacy structparse average` writes it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.training import Example
from spacy.util import fix_random_seed
from typer.testing import CliRunner

from spacy_structparse.cli import app
from spacy_structparse.training.weights import average
from tests.helpers.small_parser import weights_of

pytestmark = pytest.mark.usefixtures("plain_english")

WORDS = ["She", "reads", "old", "books"]
GOLD = {"heads": [1, 1, 3, 1], "tags": ["PRP", "VBZ", "JJ", "NNS"]}
LABELS = ["nsubj", "ROOT", "amod", "dobj"]


def pipeline(labels: list[str] = LABELS, width: int = 8) -> tuple[Language, list[Example], Any]:
    """A tagger, whose weights are Thinc's, and a parser, whose weights are torch's."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger")
    nlp.add_pipe("spa_dep", config={"model": {"encoder_width": width, "scorer_width": 8}})
    doc = nlp.make_doc(" ".join(WORDS))
    examples = [Example.from_dict(doc, {**GOLD, "deps": labels})]
    return nlp, examples, nlp.initialize(lambda: examples)


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three checkpoints of one training."""
    folder = tmp_path_factory.mktemp("checkpoints")
    nlp, examples, optimizer = pipeline()
    paths = [folder / name for name in "abc"]
    for path in paths:
        for _ in range(3):
            nlp.update(examples, sgd=optimizer)
        nlp.meta["performance"] = {"dep_las": 1.0}
        nlp.to_disk(path)
    return paths


def test_every_weight_is_the_mean(checkpoints: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "mean"
    args = ["average", *map(str, checkpoints), "--output", str(output)]
    result = CliRunner().invoke(app, args)
    assert result.exit_code == 0, result.output
    assert "mean of 3 pipelines" in result.output
    all_weights = [weights_of(spacy.load(path)) for path in checkpoints]
    mean = weights_of(spacy.load(output))
    assert {name for name, _ in mean} == {"tagger", "spa_dep"}
    assert mean.keys() == all_weights[0].keys()
    moved = 0
    for key, array in mean.items():
        stacked = np.stack([one[key] for one in all_weights])
        np.testing.assert_allclose(array, stacked.mean(0), rtol=1e-6, atol=1e-7)
        moved += bool(np.ptp(stacked, axis=0).any())
    assert moved > len(mean) / 2
    assert not spacy.load(output).meta.get("performance")


def test_a_pipeline_that_has_parsed_parses_by_the_mean(checkpoints: list[Path]) -> None:
    pipelines = [spacy.load(path) for path in (checkpoints[0], checkpoints[2])]
    text = " ".join(WORDS)

    def probabilities(nlp: Language) -> np.ndarray:
        return nlp.get_pipe("spa_dep").arc_probabilities([nlp.make_doc(text)])[0]

    before = probabilities(pipelines[0])
    mean = average(zip("ab", pipelines, strict=True))
    loaded = spacy.load(checkpoints[0]).from_bytes(mean.to_bytes())
    np.testing.assert_array_equal(probabilities(mean), probabilities(loaded))
    assert (probabilities(mean) != before).any()


def test_the_mean_has_no_calibration(checkpoints: list[Path]) -> None:
    pipelines = [spacy.load(path) for path in checkpoints]
    none = pipelines[0].get_pipe("spa_dep").calibration
    for nlp in pipelines:
        nlp.get_pipe("spa_dep").calibration = {"heads": (0.5, 0.5, 0), "labels": (0.5, 0.5, 0)}
    mean = average(zip("abc", pipelines, strict=True))
    assert mean.get_pipe("spa_dep").calibration == none


def test_pipelines_that_differ(checkpoints: list[Path]) -> None:
    nlp = spacy.load(checkpoints[0])
    other = spacy.load(checkpoints[1])
    other.remove_pipe("tagger")
    longer = pipeline(["nsubj", "ROOT", "mod", "dobj"])[0]
    wider = pipeline(width=16)[0]
    named = spacy.load(checkpoints[1])
    named.remove_pipe("spa_dep")
    named.add_pipe("sentencizer", name="spa_dep")
    words = pipeline()[0]
    for node in words.get_pipe("spa_dep").model.walk():
        if node.attrs.get("vocabulary"):
            node.attrs["vocabulary"] = {**node.attrs["vocabulary"], "words": ["other"]}
    for different, says in (
        (other, r"other components \(tagger\)"),
        (named, r"other components \(spa_dep\)"),
        (longer, r"other labels \(spa_dep\)"),
        (wider, r"other settings \(spa_dep, "),
        (words, r"other vocabularies \(spa_dep, "),
    ):
        before = weights_of(nlp)
        with pytest.raises(ValueError, match=f"first and second have no mean.*{says}"):
            average([("first", nlp), ("second", different)])
        for key, array in weights_of(nlp).items():
            np.testing.assert_array_equal(array, before[key])
    with pytest.raises(ValueError, match="at least two"):
        average([("first", nlp)])


def test_components_without_weights_and_listeners_have_a_mean(tmp_path: Path) -> None:
    """A `sentencizer` has no model, an untrained parser no weights, and vectors of a listener are
    those of its component."""
    paths = [tmp_path / name for name in "ab"]
    for seed, path in enumerate(paths):
        fix_random_seed(seed)
        nlp = spacy.blank("en")
        nlp.add_pipe("sentencizer")
        nlp.add_pipe("tok2vec")
        tagger = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96}
        nlp.add_pipe("tagger", config={"model": {"tok2vec": tagger}})
        doc = nlp.make_doc(" ".join(WORDS))
        examples = [Example.from_dict(doc, {"tags": GOLD["tags"]})]
        nlp.initialize(lambda examples=examples: examples)
        nlp.add_pipe("spa_dep")
        nlp.to_disk(path)
    nlp = average((path.name, spacy.load(path)) for path in paths)
    one, other = (weights_of(spacy.load(path)) for path in paths)
    assert weights_of(nlp).keys() == one.keys()
    for key, mean in weights_of(nlp).items():
        np.testing.assert_allclose(mean, (one[key] + other[key]) / 2, rtol=1e-6, atol=1e-7)

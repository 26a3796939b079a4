"""`debug --config`: annotation that spaCy's components learn from, and configs without any."""

import json
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from typer.testing import CliRunner

from spacy_structparse.cli import app

VOCAB = spacy.blank("en").vocab
LAYERS = {
    "tagger": ("tags", "token.tag"),
    "morphologizer": ("parts of speech and morphological features", "token.pos, token.morph"),
    "trainable_lemmatizer": ("lemmas", "token.lemma"),
    "backoff_lemmatizer": ("lemmas", "token.lemma"),
}


def doc(**annotation: list[str]) -> Doc:
    return Doc(VOCAB, words=["dogs", "bark"], heads=[1, 1], deps=["nsubj", "ROOT"], **annotation)


def findings(tmp_path: Path, config: str, *docs: Doc) -> tuple[int, dict[str, Any]]:
    """The exit code of `debug`, and its report."""
    (tmp_path / "config.cfg").write_text(config, encoding="utf-8")
    DocBin(docs=docs).to_disk(tmp_path / "train.spacy")
    names = ["train.spacy", "--config", "config.cfg", "--json", "report.json"]
    arguments = [one if one.startswith("--") else str(tmp_path / one) for one in names]
    result = CliRunner().invoke(app, ["debug", *arguments])
    return result.exit_code, json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))


def config_of(factory: str, *, frozen: str = "[]") -> str:
    return (
        '[nlp]\nlang = "en"\npipeline = ["mine"]\n[components]\n'
        f'[components.mine]\nfactory = "{factory}"\n'
        f"[training]\nfrozen_components = {frozen}\n"
    )


def test_a_tagger_needs_no_dependencies_and_no_trees(tmp_path: Path) -> None:
    tagged = Doc(VOCAB, words=["dogs"], tags=["NNS"])
    code, found = findings(tmp_path, config_of("tagger"), tagged)
    assert (code, found["errors"]) == (0, [])


@pytest.mark.parametrize("factory", LAYERS)
def test_annotation_that_a_component_learns_from_is_missing(tmp_path: Path, factory: str) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe(factory)
    with pytest.raises(ValueError, match="E143"):
        nlp.initialize(lambda: [Example(doc(), doc())])
    code, found = findings(tmp_path, config_of(factory), doc())
    assert code == 1
    layer, attributes = LAYERS[factory]
    assert found["errors"] == [
        f"train has no {layer} ({attributes}), which mine learns from: convert a treebank that "
        "has them, or train without mine"
    ]
    # A frozen component learns nothing. A sourced one has learned, and so has a saved pipeline.
    nlp.to_disk(tmp_path / "saved")
    arguments = ["debug", str(tmp_path / "train.spacy"), "--config", str(tmp_path / "saved")]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    source = config_of(factory).replace(f'factory = "{factory}"', 'source = "elsewhere"')
    for config in (config_of(factory, frozen='["mine"]'), source):
        assert findings(tmp_path, config, doc())[0] == 0


@pytest.mark.parametrize(
    ("factory", "annotation", "warning"),
    [
        ("tagger", {"tags": ["NNS", ""]}, "train: 1 words have no tag"),
        (
            "morphologizer",
            {"pos": ["NOUN", ""]},
            "train: 1 of 4 words have no parts of speech and morphological features, which mine "
            "learns from",
        ),
        (
            "trainable_lemmatizer",
            {"lemmas": ["dog", ""]},
            "train: 1 of 4 words have no lemmas, which mine learns from",
        ),
    ],
)
def test_words_without_the_annotation_are_counted(
    tmp_path: Path, factory: str, annotation: dict[str, list[str]], warning: str
) -> None:
    whole = {name: [values[0]] * 2 for name, values in annotation.items()}
    code, found = findings(tmp_path, config_of(factory), doc(**annotation), doc(**whole))
    assert code == 0
    assert found["warnings"] == [warning]
    assert findings(tmp_path, config_of(factory), doc(**whole))[1]["warnings"] == []

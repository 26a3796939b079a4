"""`spacy structparse init-config --from`: fine-tune a shipped pipeline, or train beside it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.cli.train import train
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example
from spacy.util import load_config

from tests.helpers.commands import said
from tests.helpers.small_parser import TAGGER, WIDTH, add_parser

BASE = "en_structparse_sm"
TEXT = "She doesn't like it (e.g. novels). Mary paid $5.50/month in Paris."
TAGS_OF_SPACY = {
    "@architectures": "spacy.MultiHashEmbed.v2",
    "width": WIDTH,
    "attrs": ["NORM", "TAG"],
    "rows": [9, 9],
    "include_static_vectors": False,
}
ENCODER = {
    "@architectures": "spacy.MaxoutWindowEncoder.v2",
    "width": WIDTH,
    "depth": 1,
    "window_size": 1,
    "maxout_pieces": 2,
}
FEW_STEPS = {"training.max_steps": 2, "training.eval_frequency": 2}

pytestmark = pytest.mark.usefixtures("installed")


def make_config(folder: Path, *options: str, fails: bool = False) -> tuple[Path, str]:
    config = folder / "config.cfg"
    arguments = ["init-config", "--from", BASE, *options, config]
    return config, said(*arguments, status=int(fails))


@pytest.fixture(scope="module")
def base(installed: None) -> Language:
    return spacy.load(BASE)


def write_docs(path: Path, docs: Sequence[Doc]) -> str:
    DocBin(docs=docs, store_user_data=True).to_disk(path)
    return str(path)


def trained(folder: Path, data: str, *options: str, **overrides: Any) -> Language:
    """A pipeline of the config that the options make, after a few updates."""
    config, _ = make_config(folder, *options)
    paths = {"paths.train": data, "paths.dev": data}
    train(config, folder / "run", overrides={**FEW_STEPS, **paths, **overrides})
    return spacy.load(folder / "run" / "model-last")


def columns(doc: Doc, *left_out: str) -> list[dict[str, Any]]:
    """What `doc.to_json` says of each token."""
    return [
        {name: value for name, value in token.items() if name not in left_out}
        for token in doc.to_json()["tokens"]
    ]


def test_fine_tuning_changes_the_parsers_alone(base: Language, tmp_path: Path) -> None:
    doc = base(TEXT)
    reversed_labels = {"nsubj": "obj", "obj": "nsubj"}
    for token in doc:
        token.dep_ = reversed_labels.get(token.dep_, token.dep_)
    nlp = trained(tmp_path, write_docs(tmp_path / "train.spacy", [doc] * 2))
    assert columns(nlp(TEXT), "head", "dep") == columns(base(TEXT), "head", "dep")
    weights = [
        pipeline.get_pipe(name).model.to_bytes()
        for name in ("tok2vec", "spa_dep")
        for pipeline in (base, nlp)
    ]
    assert weights[0] == weights[1]
    assert weights[2] != weights[3]
    again, _ = make_config(tmp_path, "--force")
    assert load_config(again)["paths"]["base"] == BASE


def test_a_fine_tuned_pipeline_can_be_fine_tuned(base: Language, tmp_path: Path) -> None:
    data = write_docs(tmp_path / "train.spacy", [base(TEXT)] * 2)
    trained(tmp_path, data, "--train", "parser")
    config = tmp_path / "again.cfg"
    said("init-config", "--from", tmp_path / "run" / "model-last", config)
    paths = {"paths.train": data, "paths.dev": data}
    train(config, tmp_path / "again", overrides={**FEW_STEPS, **paths})
    assert columns(spacy.load(tmp_path / "again" / "model-last")(TEXT), "head", "dep") == columns(
        base(TEXT), "head", "dep"
    )


def test_added_components_leave_all_others_as_they_are(base: Language, tmp_path: Path) -> None:
    docs = []
    for label in ("yes", "no"):
        doc = base(TEXT)
        mary = next(token.i for token in doc if token.text == "Mary")
        doc.ents = [Span(doc, mary, mary + 1, "PERSON")]
        doc.cats = {"yes": float(label == "yes"), "no": float(label == "no")}
        docs.append(doc)
    data = write_docs(tmp_path / "train.spacy", docs)
    steps = {"training.max_steps": 60, "training.eval_frequency": 20}
    nlp = trained(tmp_path, data, "--add", "ner,textcat", **steps)
    weights = nlp.config["training"]["score_weights"]
    assert {name for name, weight in weights.items() if weight} == {"ents_f", "cats_score"}
    assert sum(filter(None, weights.values())) == 1
    doc, expected = nlp(TEXT), base(TEXT)
    assert [(entity.text, entity.label_) for entity in doc.ents] == [("Mary", "PERSON")]
    assert doc.cats.keys() == {"yes", "no"}
    assert columns(doc) == columns(expected)
    assert str(doc._.constituency_tree) == str(expected._.constituency_tree)


def test_unknown_labels_are_named_and_left_out_and_without_trees_none_changes(
    base: Language, tmp_path: Path
) -> None:
    doc = base(TEXT)
    doc[0].tag_, doc[0].dep_ = "NEWTAG", "newlabel"
    doc.spans.clear()
    data = write_docs(tmp_path / "train.spacy", [doc])
    with pytest.warns(UserWarning, match="NEWTAG"), pytest.warns(UserWarning, match="newlabel"):
        nlp = trained(tmp_path, data, "--train", "tagger,spa_dep,seq2seq_constituency")
    assert "NEWTAG" not in nlp.get_pipe("tagger").labels
    assert "newlabel" not in nlp.get_pipe("spa_dep").labels
    assert str(nlp(TEXT)._.constituency_tree) == str(base(TEXT)._.constituency_tree)


def test_a_component_that_is_disabled_stays_so(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("senter", config=TAGGER)
    add_parser(nlp, "spa_dep")
    doc = Doc(nlp.vocab, words=["a", "b"], heads=[0, 0], deps=["ROOT", "x"])
    nlp.initialize(lambda: [Example(doc, doc)])
    nlp.disable_pipe("senter")
    nlp.to_disk(tmp_path / "model")
    said("init-config", "--from", tmp_path / "model", tmp_path / "config.cfg")
    data = write_docs(tmp_path / "train.spacy", [doc])
    paths = {"paths.train": data, "paths.dev": data}
    train(tmp_path / "config.cfg", tmp_path / "run", overrides={**FEW_STEPS, **paths})
    tuned = spacy.load(tmp_path / "run" / "model-last")
    assert (tuned.component_names, tuned.disabled) == (nlp.component_names, ["senter"])
    weights: list[Any] = [pipeline.get_pipe("senter") for pipeline in (nlp, tuned)]
    assert weights[0].model.to_bytes() == weights[1].model.to_bytes()


@pytest.mark.parametrize(
    "tok2vec",
    [
        {"use_pos": True},
        {"features": ["NORM", "TAG"], "feature_rows": [9, 9]},
        {"@architectures": "spacy.Tok2Vec.v2", "embed": TAGS_OF_SPACY, "encode": ENCODER},
    ],
)
def test_a_tagger_writes_the_tags_that_a_parser_reads(
    tok2vec: dict[str, Any], tmp_path: Path
) -> None:
    nlp = spacy.blank("en")
    for name in ("tagger", "senter"):
        nlp.add_pipe(name, config=TAGGER)
    add_parser(nlp, "spa_dep", tok2vec=tok2vec)
    doc = Doc(nlp.vocab, words=["a", "b"], tags=["A", "B"], heads=[0, 0], deps=["ROOT", "x"])
    nlp.initialize(lambda: [Example(doc, doc)])
    nlp.to_disk(tmp_path / "model")
    said("init-config", "--from", tmp_path / "model", tmp_path / "config.cfg")
    training = load_config(tmp_path / "config.cfg")["training"]
    assert training["frozen_components"] == ["tagger", "senter"]
    assert training["annotating_components"] == ["tagger"]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--train", "tagr"], "tagr"),
        (["--add", "spa_dep"], "spa_dep"),
        (["--add", "nerr"], "nerr"),
        (["--add", "parser"], "spa_dep"),
        (["--train", "tok2vec"], "tok2vec"),
        (["--parser", "spa_dep"], "--parser"),
    ],
)
def test_what_cannot_be_trained_is_named(tmp_path: Path, options: list[str], named: str) -> None:
    config, output = make_config(tmp_path, *options, fails=True)
    assert named in output
    assert not config.exists()


def test_components_to_add_need_a_pipeline() -> None:
    assert "--from" in said("init-config", "--add", "ner", "-", status=1)


def test_a_pipeline_without_a_parser_has_none_to_train(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    arguments = "--from", tmp_path / "model", "--train", "parser", "-"
    assert "sentencizer" in said("init-config", *arguments, status=1)

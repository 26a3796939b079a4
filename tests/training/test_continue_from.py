"""A training goes on where another one ended."""

import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.cli.train import train
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Corpus, Example
from spacy.util import fix_random_seed
from typer.testing import CliRunner

from spacy_structparse.cli import app
from spacy_structparse.training.continue_from import create_continue_from
from tests.helpers.paths import ROOT
from tests.helpers.small_parser import NAME, TAGGER, add_parser

CONFIG = ROOT / "configs" / "spa_dep.cfg"
SMALL: dict[str, Any] = {
    "training.max_steps": 12,
    "training.eval_frequency": 6,
    "training.optimizer.learn_rate.warmup_steps": 2,
    "system.gpu_allocator": None,
    "corpora.train.limit": 30,
    "corpora.dev.limit": 10,
    "components.spa_dep.model.encoder_width": 24,
    "components.spa_dep.model.scorer_width": 24,
}


def loss(path: Path, corpus: Path) -> float:
    nlp = spacy.load(path)
    examples = list(Corpus(corpus / "dev.spacy", gold_preproc=True)(nlp))
    fix_random_seed(0)  # rare words become unknown ones at random
    return nlp.update(examples, drop=0.0)["spa_dep"]


@pytest.mark.slow
def test_weights_go_on(corpus: Path, tmp_path: Path) -> None:
    paths = {f"paths.{part}": str(corpus / "dev.spacy") for part in ("train", "dev")}
    first, second = tmp_path / "first", tmp_path / "second"
    train(CONFIG, first, overrides={**SMALL, **paths})
    begin = {
        "@callbacks": "spacy-structparse.continue_from.v1",
        "path": str(first / "model-last"),
    }
    still = {
        "training.max_steps": 1,
        "training.optimizer.learn_rate.initial_rate": 0.0,
        "training.optimizer.use_averages": False,
    }
    train(CONFIG, second, overrides={**SMALL, **paths, **still, "initialize.after_init": begin})
    doc = next(Corpus(corpus / "dev.spacy")(spacy.blank("en"))).reference
    parses = [
        [(t.head.i, t.dep_) for t in spacy.load(folder / "model-last")(doc.text)]
        for folder in (first, second)
    ]
    assert parses[0] == parses[1]
    before = loss(first / "model-last", corpus)
    assert loss(second / "model-last", corpus) == pytest.approx(before, rel=1e-3)


def labelled(deps: Sequence[str]) -> Language:
    """A parser that was initialized with a Doc of these labels."""
    nlp = spacy.blank("en")
    add_parser(nlp, "spa_dep")
    n = len(deps)
    words = [f"word{i}" for i in range(n + 1)]
    doc = Doc(nlp.vocab, words=words, heads=[n] * (n + 1), deps=[*deps, "ROOT"])
    nlp.initialize(lambda: [Example(doc, doc)])
    return nlp


def test_labels_that_are_not_learned_are_named(tmp_path: Path) -> None:
    labelled(["obj", "old"]).to_disk(tmp_path)
    new = [f"new{i:02}" for i in range(12)]
    nlp = labelled(["obj", *new])
    with pytest.warns(UserWarning, match="another name") as found:
        create_continue_from(tmp_path)(nlp)
    (warning,) = found
    named = f"12 ({', '.join(new[:10])}, …)"
    message = str(warning.message)
    assert f"[{NAME}] the trained component in {tmp_path} lacks labels" in message
    assert named in message
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        create_continue_from(tmp_path)(labelled(["obj"]))


FAST_TAGGER = {"model": {**TAGGER["model"], "@architectures": "spacy-structparse.Tagger.v1"}}
OF_SPACY: dict[str, tuple[str, dict[str, Any]]] = {
    "tagger": ("tags", TAGGER),
    "fast tagger": ("tags", FAST_TAGGER),
    "morphologizer": ("morphs", TAGGER),
    "trainable_lemmatizer": ("lemmas", {**TAGGER, "min_tree_freq": 1}),
}
VALUES = {
    "tags": {"a": "NN", "b": "VBD", "c": "JJ"},
    "morphs": {"a": "Number=Sing", "b": "Tense=Past", "c": "Degree=Cmp"},
    "lemmas": {"a": "words", "b": "word", "c": "sword"},
}


def of_spacy(
    component: str, kinds: str, given: dict[str, Any] | None = None
) -> tuple[Language, Example]:
    """A component of spaCy that was initialized with one word of each kind."""
    layer, config = OF_SPACY[component]
    nlp = spacy.blank("en")
    nlp.add_pipe(component.removeprefix("fast "), name="one", config=config)
    values: dict[str, Any] = {layer: [VALUES[layer][kind] for kind in kinds]}
    doc = Doc(nlp.vocab, words=["words"] * len(kinds), **values)
    nlp.config["initialize"]["components"]["one"] = given or {}
    example = Example(Doc(nlp.vocab, words=["words"] * len(kinds)), doc)
    nlp.initialize(lambda: [example])
    return nlp, example


@pytest.mark.parametrize("component", OF_SPACY)
@pytest.mark.parametrize(
    ("kinds", "only_here", "only_there"), [("abc", "c", ""), ("a", "", "b"), ("ac", "c", "b")]
)
def test_components_of_spacy_with_other_labels_are_refused(
    tmp_path: Path, component: str, kinds: str, only_here: str, only_there: str
) -> None:
    trained, _ = of_spacy(component, "ab")
    trained.to_disk(tmp_path)
    nlp, _ = of_spacy(component, kinds)
    before = nlp.get_pipe("one").to_bytes()  # type: ignore[attr-defined]
    with pytest.raises(ValueError) as raised:
        create_continue_from(tmp_path)(nlp)
    rules = {"b": "(m 0 1 () (s 's' ''))", "c": "(m 0 1 (s '' 's') (s 's' ''))"}
    shown = {"tags": VALUES["tags"], "lemmas": rules}.get(OF_SPACY[component][0], VALUES["morphs"])
    parts = [f"1 ({shown[kind]})" if kind else "none" for kind in (only_here, only_there)]
    says = "Only in the data: {}. Only in the component: {}.".format(*parts)
    message = str(raised.value)
    assert message.startswith("[one]") and str(tmp_path) in message and says in message
    assert ("[initialize.components.one.labels]" in message) == (not only_here)
    assert nlp.get_pipe("one").to_bytes() == before  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize("component", OF_SPACY)
def test_components_of_spacy_go_on_with_the_same_labels(tmp_path: Path, component: str) -> None:
    trained, example = of_spacy(component, "abc")
    learn_last(trained, example)
    assert guesses(trained, example)[-1] == VALUES[OF_SPACY[component][0]]["c"]
    trained.to_disk(tmp_path)
    labels = tmp_path / "labels.json"
    srsly.write_json(labels, trained.get_pipe("one").label_data)  # type: ignore[attr-defined]
    given = {"labels": {"@readers": "spacy.read_labels.v1", "path": str(labels)}}
    for kinds, settings in (("cab", None), ("a", given)):
        nlp, other = of_spacy(component, kinds, settings)
        create_continue_from(tmp_path)(nlp)
        # It begins with the trained weights, and learns what it is shown.
        assert guesses(nlp, other) == guesses(trained, other)
        last = [VALUES[OF_SPACY[component][0]][kind] for kind in kinds][-1]
        learn_last(nlp, other)
        assert guesses(nlp, other)[-1] == last


def learn_last(nlp: Language, example: Example) -> None:
    """Train on the last word of an example."""
    doc = example.reference[-1:].as_doc()
    for _ in range(80):
        nlp.update([Example(Doc(nlp.vocab, words=["words"]), doc)])


def guesses(nlp: Language, example: Example) -> list[str]:
    """What a pipeline writes on the words of an example, one at a time."""
    docs = [nlp(Doc(nlp.vocab, words=[word.text])) for word in example.reference]
    return [doc[0].tag_ or str(doc[0].morph) or doc[0].lemma_ for doc in docs]


SPLITTER = {"@tokenizers": "spacy-structparse.mwt_splitter.v1"}


def with_splitter(words: list[str], form: str, settings: dict[str, Any]) -> Language:
    """A pipeline that has learned to split a form into words."""
    nlp = spacy.blank("fr", config={"nlp": {"tokenizer": SPLITTER}})
    nlp.config["initialize"]["tokenizer"] = settings
    nlp.add_pipe("tagger", config=TAGGER)
    doc = Doc(nlp.vocab, words=words, tags=["X"] * len(words))
    doc.spans["multiword"] = [Span(doc, 0, len(words), label=form)]
    nlp.initialize(lambda: [Example(doc, doc)])
    return nlp


@pytest.mark.parametrize(
    ("settings", "expected"), [({}, ["de", "le", "au"]), ({"learn": "always"}, ["du", "à", "le"])]
)
def test_the_tokenizer_goes_on(
    tmp_path: Path, settings: dict[str, Any], expected: list[str]
) -> None:
    with_splitter(["de", "le"], "du", {}).to_disk(tmp_path)
    nlp = with_splitter(["à", "le"], "au", settings)
    create_continue_from(tmp_path)(nlp)
    assert [token.text for token in nlp.make_doc("du au")] == expected


@pytest.mark.parametrize(("settings", "lemma"), [({}, "old"), ({"learn": "always"}, "new")])
def test_a_table_of_lemmas_goes_on(tmp_path: Path, settings: dict[str, Any], lemma: str) -> None:
    pipelines = []
    for known in ("old", "new"):
        nlp = spacy.blank("en")
        nlp.add_pipe("lemma_table")
        nlp.config["initialize"]["components"]["lemma_table"] = settings
        doc = Doc(nlp.vocab, words=["a"], pos=["X"], lemmas=[known])
        nlp.initialize(lambda doc=doc: [Example(doc, doc)])
        pipelines.append(nlp)
    trained, nlp = pipelines
    trained.to_disk(tmp_path)
    create_continue_from(tmp_path)(nlp)
    assert nlp(Doc(nlp.vocab, words=["a"], pos=["X"]))[0].lemma_ == lemma


@pytest.mark.parametrize("by", ["itself", "another"])
def test_a_pipeline_that_continues_from_itself_is_refused(tmp_path: Path, by: str) -> None:
    mine, other = tmp_path / "mine", tmp_path / ("mine" if by == "itself" else "other")
    for path, begin in ((mine, other), (other, mine)):
        nlp = labelled(["a"])
        callback = {"@callbacks": "spacy-structparse.continue_from.v1", "path": str(begin)}
        nlp.config["nlp"]["after_pipeline_creation"] = callback
        nlp.to_disk(path)
    with pytest.raises(ValueError, match=re.escape(str(other))):
        spacy.load(mine)
    result = CliRunner().invoke(app, ["parse", str(mine), "--text", "A dog ."])
    assert result.exit_code == 1 and other.name in result.output


def test_a_component_is_added_where_the_folder_of_the_training_is_missing(tmp_path: Path) -> None:
    nlp, _ = of_spacy("tagger", "ab")
    nlp.config["initialize"]["after_init"] = {
        "@callbacks": "spacy-structparse.continue_from.v1",
        "path": str(tmp_path / "missing"),
    }
    with pytest.raises(OSError, match="missing"):
        nlp.initialize()
    nlp.to_disk(tmp_path / "trained")
    nlp = spacy.load(tmp_path / "trained")
    weights = nlp.get_pipe("one").to_bytes()  # type: ignore[attr-defined]
    nlp.add_pipe("textcat_multilabel").add_label("A")  # type: ignore[attr-defined]
    with nlp.select_pipes(enable="textcat_multilabel"):
        nlp.initialize()
    assert nlp.get_pipe("one").to_bytes() == weights  # type: ignore[attr-defined]


@Language.component("test_without_weights")
def without_weights(doc: Doc) -> Doc:
    return doc


def test_components_without_weights_go_on_too(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer", config={"punct_chars": ["|"]})
    nlp.add_pipe("test_without_weights")
    nlp.to_disk(tmp_path / "trained")
    later = spacy.blank("en")
    later.add_pipe("sentencizer")
    later.add_pipe("test_without_weights")
    create_continue_from(tmp_path / "trained")(later)
    assert len(list(later("One | two").sents)) == 2
    other = spacy.blank("en")
    other.add_pipe("tagger")
    with pytest.raises(ValueError, match="none of the components tagger"):
        create_continue_from(tmp_path / "trained")(other)

"""Labels and initialization, as spaCy's own components do them."""

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from tests.helpers.small_parser import NAME, examples_of, factory_of, small, small_pipeline


def add(nlp: Language, parser: str, **config: object) -> object:
    return nlp.add_pipe(factory_of(parser), name=NAME, config={**small(parser), **config})


def test_labels_added_before_initialize_are_kept(parser: str, twenty: list[Doc]) -> None:
    nlp = spacy.blank("en")
    component = add(nlp, parser)
    assert component.add_label("extra") == 1
    assert component.add_label("extra") == 0
    assert component.add_label("ROOT") == 0
    nlp.initialize(lambda: examples_of(nlp, twenty))
    assert "extra" in component.labels
    assert "nsubj" in component.labels
    assert "ROOT" not in component.labels
    assert component.label_data == list(component.labels)
    assert nlp.pipe_labels[NAME] == list(component.labels)


def test_a_second_initialization_has_the_labels_of_its_data(parser: str) -> None:
    nlp = spacy.blank("en")
    component = add(nlp, parser)
    component.add_label("extra")

    def initialize(first: str, second: str) -> tuple[str, ...]:
        gold = Doc(
            nlp.vocab, ["Old", "dogs", "sleep"], heads=[1, 2, 2], deps=[first, second, "ROOT"]
        )
        nlp.initialize(lambda: examples_of(nlp, [gold]))
        nlp.update(examples_of(nlp, [gold]))
        assert {token.dep_ for token in nlp("Old dogs sleep")} <= {*component.labels, "ROOT"}
        return component.labels

    assert initialize("amod", "nsubj") == ("extra", "amod", "nsubj")
    assert initialize("amod", "obl") == ("extra", "amod", "obl")
    assert initialize("amod", "amod") == ("extra", "amod")
    component.initialize(lambda: [Example.from_dict(nlp.make_doc("a"), {})], labels=["det"])
    assert component.labels == ("extra", "det")


def test_a_failed_second_initialization_changes_no_label(untrained: Language) -> None:
    component = untrained.get_pipe(NAME)
    before = component.labels
    unannotated = [Example.from_dict(untrained.make_doc("Old dogs sleep"), {})]
    with pytest.raises(ValueError, match="no dependencies"):
        component.initialize(lambda: unannotated, nlp=untrained)
    assert component.labels == before


def test_a_label_cannot_be_added_to_a_model(untrained: Language) -> None:
    component = untrained.get_pipe(NAME)
    with pytest.raises(ValueError, match=rf"\[{NAME}\] label 'extra'.*initialize"):
        component.add_label("extra")
    assert component.add_label("nsubj") == 0
    assert "extra" not in component.labels


def test_labels_given(parser: str, twenty: list[Doc], untrained: Language) -> None:
    labels = untrained.get_pipe(NAME).label_data
    nlp = spacy.blank("en")
    add(nlp, parser)
    nlp.config["initialize"]["components"][NAME] = {"labels": [*labels, "unseen"]}
    nlp.initialize(lambda: examples_of(nlp, twenty))
    assert nlp.get_pipe(NAME).labels == (*labels, "unseen")


@pytest.mark.parametrize(
    ("annotation", "settings", "says"),
    [
        ({}, {}, "has no depend"),
        ({"heads": [0], "deps": ["ROOT"]}, {}, "label"),
        ({"heads": [0], "deps": ["ROOT"]}, {"labels": []}, "label"),
    ],
)
def test_data_that_give_no_labels(
    parser: str, annotation: dict[str, list], settings: dict[str, list], says: str
) -> None:
    nlp = spacy.blank("en")
    component = add(nlp, parser)
    examples = [Example.from_dict(nlp.make_doc("Stop"), annotation)]
    with pytest.raises(ValueError, match=rf"\[{NAME}\].*{says}"):
        component.initialize(lambda: examples, nlp=nlp, **settings)
    with pytest.raises(ValueError, match=rf"\[{NAME}\].*dependencies"):
        nlp.initialize()


def test_labels_differ_between_cfg_and_model(
    parser: str, untrained: Language, twenty: list[Doc]
) -> None:
    other = small_pipeline(lambda nlp: examples_of(nlp, twenty[:3]), parser)
    first, second = untrained.get_pipe(NAME), other.get_pipe(NAME)
    second.from_bytes(second.to_bytes())
    second.cfg["labels"] = ["det", "made_up"]
    with pytest.raises(ValueError, match=rf"\[{NAME}\].*labels.*made_up"):
        first.from_bytes(second.to_bytes())

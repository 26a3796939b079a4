"""Ensembles of seq2seq_constituency parsers as a component of a pipeline."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import fix_random_seed

from spacy_structparse.brackets import Bracket
from spacy_structparse.errors import EnsembleError, WeightsError
from spacy_structparse.pipeline.ensemble import find_parser, join
from spacy_structparse.trees.span_group import get_brackets
from tests.helpers.small_parser import HASHED, TAGGER, WIDTH, bare, examples_of, train
from tests.helpers.small_trees import small_trees

NAME = "seq2seq_constituency"
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": WIDTH, "upstream": "*"}
KINDS: list[dict[str, Any]] = [
    {},
    {"attention": "probabilistic", "encoder": "bigru", "decoder_width": 24},
    {"attention": "none", "encoder": "lstm", "decoder": "gru"},
]


@pytest.fixture(scope="module")
def treebank(twenty_trees: list[Doc]) -> list[Doc]:
    return twenty_trees[:8]


def parser(docs: list[Doc], seed: int = 0, steps: int = 30, **settings: Any) -> Language:
    """A pipeline with a small parser, trained a little: enough for parsers to differ."""
    fix_random_seed(seed)
    nlp = spacy.blank("en")
    nlp.add_pipe(NAME, config=small_trees(**settings))
    nlp.initialize(lambda: examples_of(nlp, docs))
    train(nlp, examples_of(nlp, docs), steps, rate=0.03)
    return nlp


@pytest.fixture(scope="module")
def saved(treebank: list[Doc], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three parsers with different attentions, encoders and sizes."""
    folder = tmp_path_factory.mktemp("parsers")
    for i, settings in enumerate(KINDS):
        parser(treebank, i, **settings).to_disk(folder / str(i))
    return [folder / str(i) for i in range(len(KINDS))]


def joined(paths: list[Path], **options: Any) -> Language:
    return join([find_parser(str(path), spacy.load(path)) for path in paths], **options)


def brackets(nlp: Language, docs: list[Doc], **options: Any) -> list[list[Bracket]]:
    stream = [bare(nlp.vocab, doc) for doc in docs]
    return [get_brackets(doc) for doc in nlp.pipe(stream, **options)]


def test_an_ensemble_of_one_parser_is_that_parser(saved: list[Path], treebank: list[Doc]) -> None:
    for path in saved:
        alone = spacy.load(path)
        three = joined([path] * 3)
        for beam_width in (1, 3):
            alone.get_pipe(NAME).beam_width = beam_width
            three.get_pipe(NAME).beam_width = beam_width
            assert brackets(three, treebank) == brackets(alone, treebank)


def test_the_calibration_of_a_member_is_not_that_of_the_ensemble(saved: list[Path]) -> None:
    candidates = [find_parser(str(path), spacy.load(path)) for path in saved]
    none = candidates[0].parser.calibration
    for candidate in candidates:
        candidate.parser.calibration = {"brackets": (0.5, 0.5, 0)}
    assert join(candidates).get_pipe(NAME).calibration == none  # type: ignore[attr-defined]


def test_saved_and_loaded(saved: list[Path], treebank: list[Doc], tmp_path: Path) -> None:
    nlp = joined(saved, beam_width=2)
    expected = brackets(nlp, treebank)
    nlp.to_disk(tmp_path / "ensemble")
    loaded = spacy.load(tmp_path / "ensemble")
    assert loaded.get_pipe(NAME).beam_width == 2
    assert brackets(loaded, treebank) == expected
    assert brackets(loaded, treebank, n_process=2, batch_size=4) == expected
    again = spacy.blank("en").from_config(loaded.config).from_bytes(loaded.to_bytes())
    assert brackets(again, treebank) == expected
    changed = spacy.load(tmp_path / "ensemble", config={f"components.{NAME}.model.beam_width": 1})
    assert brackets(changed, treebank) == brackets(joined(saved), treebank)
    sourced = spacy.blank("en")
    sourced.add_pipe(NAME, source=loaded, name="trees")
    assert brackets(sourced, treebank) == expected


def test_more_than_nine_members_keep_their_weights(
    saved: list[Path], treebank: list[Doc], tmp_path: Path
) -> None:
    """Members are stored in an order that names of different length would not have."""
    nlp = joined([saved[0]] * 6 + [saved[1]] * 5)
    nlp.to_disk(tmp_path / "ensemble")
    assert brackets(spacy.load(tmp_path / "ensemble"), treebank) == brackets(nlp, treebank)


def test_it_is_not_trained(saved: list[Path], treebank: list[Doc]) -> None:
    nlp = joined(saved)
    expected = brackets(nlp, treebank)
    examples = examples_of(nlp, treebank)
    for attempt in (lambda: nlp.initialize(lambda: examples), lambda: nlp.update(examples)):
        with pytest.raises(ValueError, match=rf"\[{NAME}\].*one by one.*frozen_components"):
            attempt()
    assert brackets(nlp, treebank) == expected


def test_labels_of_every_member_are_checked(
    saved: list[Path], treebank: list[Doc], tmp_path: Path
) -> None:
    nlp = joined(saved)
    stranger = parser(treebank[:2], 1, steps=0, **KINDS[1]).get_pipe(NAME).model
    member = nlp.get_pipe(NAME).model.layers[1]
    member.get_ref("parser").from_bytes(stranger.get_ref("parser").to_bytes())
    nlp.to_disk(tmp_path)
    with pytest.raises(WeightsError, match=r"labels.*member 'parser_2'.*different training runs"):
        spacy.load(tmp_path)


def test_parsers_that_do_not_fit(saved: list[Path], treebank: list[Doc], tmp_path: Path) -> None:
    def refused(other: Language, message: str) -> None:
        candidates = [find_parser("A", spacy.load(saved[0])), find_parser("B", other)]
        with pytest.raises(EnsembleError, match=message):
            join(candidates)

    refused(
        parser(treebank, steps=0, linearization="top_down"),
        "B does not fit A: its linearization is top_down, not bottom_up",
    )
    refused(parser(treebank[:5], steps=0), "B does not fit A: its .* are others; train all")
    german = spacy.blank("de")
    german.add_pipe(NAME, source=spacy.load(saved[1]))
    refused(german, "B does not fit A: its language is 'de', not 'en'")
    with pytest.raises(EnsembleError, match="at least two"):
        join([find_parser("A", spacy.load(saved[0]))])
    with pytest.raises(EnsembleError, match=r"B has no seq2seq_constituency among: tagger"):
        nlp = spacy.blank("en")
        nlp.add_pipe("tagger")
        find_parser("B", nlp)
    with pytest.raises(EnsembleError, match="not trained"):
        nlp.add_pipe(NAME)
        find_parser("B", nlp)
    with pytest.raises(EnsembleError, match=r"B has 2 .*again.*--component"):
        nlp.add_pipe(NAME, name="again")
        find_parser("B", nlp)


def with_vectors(docs: list[Doc], seed: int, use_vectors: bool = True) -> Language:
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe(NAME, config=small_trees(tok2vec={"use_vectors": use_vectors}))
    words = sorted({token.text for doc in docs for token in doc})
    rows = np.random.default_rng(seed).normal(size=(len(words), 6)).astype("float32")
    nlp.vocab.reset_vectors(width=6)
    for word, row in zip(words, rows, strict=True):
        nlp.vocab.set_vector(word, row)
    nlp.initialize(lambda: examples_of(nlp, docs))
    return nlp


def test_vectors_must_be_the_same(saved: list[Path], treebank: list[Doc]) -> None:
    one, same, other = (find_parser("B", with_vectors(treebank, seed)) for seed in (0, 0, 1))
    unused = find_parser("C", with_vectors(treebank, 2, use_vectors=False))
    with pytest.raises(EnsembleError, match=r"B does not fit B.*vectors"):
        join([one, other])
    plain = find_parser("A", spacy.load(saved[0]))
    with pytest.raises(EnsembleError, match=r"B does not fit A.*word vectors"):
        join([plain, one])
    assert all(brackets(join([one, same, unused, plain]), treebank))


def test_listeners_become_copies_and_the_rest_stays(
    saved: list[Path], treebank: list[Doc], tmp_path: Path
) -> None:
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": HASHED})
    nlp.add_pipe("tagger", config={"model": {**TAGGER["model"], "tok2vec": LISTENER}})
    nlp.add_pipe(NAME, name="trees", config=small_trees(tok2vec=LISTENER))
    nlp.add_pipe("sentencizer", first=True)
    nlp.initialize(lambda: examples_of(nlp, treebank))
    train(nlp, examples_of(nlp, treebank), 8)
    nlp.meta["performance"] = {"tag_acc": 0.5, "const_f": 0.25, "trees_loss": 3.0}
    nlp.to_disk(tmp_path / "shared")
    stream = [bare(nlp.vocab, doc) for doc in treebank]
    tags = [[token.tag_ for token in doc] for doc in nlp.pipe(stream)]
    alone = brackets(nlp, treebank)

    itself = joined([tmp_path / "shared"] * 2)
    assert itself.pipe_names == ["sentencizer", "tok2vec", "tagger", "trees"]
    assert itself.get_pipe("tok2vec").listening_components == ["tagger"]
    assert itself.meta["performance"] == {"tag_acc": 0.5}
    itself.to_disk(tmp_path / "itself")
    loaded = spacy.load(tmp_path / "itself")
    assert brackets(loaded, treebank) == alone
    stream = [bare(loaded.vocab, doc) for doc in treebank]
    assert [[token.tag_ for token in doc] for doc in loaded.pipe(stream)] == tags

    mixed = joined([saved[0], tmp_path / "shared"])
    assert mixed.pipe_names == [NAME]
    mixed.to_disk(tmp_path / "mixed")
    assert brackets(spacy.load(tmp_path / "mixed"), treebank) == brackets(mixed, treebank)

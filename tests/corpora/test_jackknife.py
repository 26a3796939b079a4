from itertools import pairwise

import pytest
import spacy
from spacy.attrs import POS
from spacy.language import Language
from spacy.pipeline import Tagger
from spacy.tokens import Doc, DocBin
from spacy.util import load_config
from spacy.vocab import Vocab

from spacy_structparse.corpora.jackknife import fold_bounds, jackknife_tags
from spacy_structparse.corpora.reader import create_corpus_reader
from spacy_structparse.errors import ReadError
from tests.helpers.commands import said
from tests.helpers.small_parser import tagger_config

TAGS = {"the": "DT", "dog": "NN", "cat": "NN", "barks": "VBZ", "sleeps": "VBZ"}


@pytest.fixture
def config(tmp_path):
    return tagger_config(tmp_path, "spacy.Corpus.v1", gold_preproc=True, max_steps=40)


@pytest.fixture
def corpus(tmp_path):
    vocab = Vocab()
    sentences = [["the", noun, verb] for noun in ("dog", "cat") for verb in ("barks", "sleeps")]
    docs = DocBin()
    for number, words in enumerate(sentences * 5):
        doc = Doc(
            vocab,
            words=words,
            tags=[TAGS[word] for word in words],
            pos=["DET", "NOUN", "VERB"],
            heads=[1, 2, 2],
            deps=["det", "nsubj", "ROOT"],
        )
        doc.spans["constituency"] = [doc[0:3], doc[0:2]]
        if number == 0:
            # A tag no tagger can guess: nowhere else does it occur.
            doc[0].tag_ = "ODD"
        docs.add(doc)
    path = tmp_path / "train.spacy"
    docs.to_disk(path)
    return path


def load(path):
    return list(DocBin().from_disk(path).get_docs(Vocab()))


@pytest.mark.slow
def test_each_fold_is_tagged_by_the_others(corpus, config, tmp_path):
    output = tmp_path / "tags.spacy"
    results = jackknife_tags(corpus, output, config, folds=2)
    assert [result.n_tokens for result in results] == [30, 30]
    assert results[0].n_correct == 29 and results[1].n_correct == 30
    gold, tagged = load(corpus), load(output)
    assert tagged[0][0].tag_ == "DT" and gold[0][0].tag_ == "ODD"
    for doc, other in zip(gold, tagged, strict=True):
        assert [token.text for token in doc] == [token.text for token in other]
        assert [token.head.i for token in doc] == [token.head.i for token in other]
        assert len(other.spans["constituency"]) == 2
        # The tagger predicts no part of speech, so none is passed off as predicted.
        assert [token.pos_ for token in other] == ["", "", ""]
    examples = create_corpus_reader(corpus, tags=output)(spacy.blank("en"))
    assert next(iter(examples)).predicted[0].tag_ == "DT"
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"tags.spacy", "tagger.cfg", "train.spacy"}


@pytest.mark.slow
def test_command(corpus, config, tmp_path):
    arguments = ["jackknife", corpus, tmp_path / "tags.spacy", "--config", config, "-k", 2]
    arguments += ["--training.max_steps", 10]
    assert "fold 2/2: tag accuracy" in said(*arguments)
    assert "30 folds of 20 docs" in said(*arguments[:-2], "-k", 30, status=1)


@pytest.mark.parametrize(
    ("setting", "value", "says"),
    [
        ("--training.max_stepss", 10, "max_stepss"),
        ("--system.seed", 3, "--system.seed is given, and jackknife sets it: use --seed"),
        ("--training.seed", 3, "--training.seed is given, and jackknife sets it: use --seed"),
        ("--components.tagger.overwrit", "true", "tagger -> overwrit"),
        ("--nlp.lang", "zz", "[E048]"),
    ],
)
def test_settings_that_cannot_be_are_named(corpus, config, tmp_path, setting, value, says):
    output = tmp_path / "tags.spacy"
    arguments = ["jackknife", corpus, output, "--config", config, "-k", 2, setting, value]
    assert says in said(*arguments, status=1)
    assert not list(tmp_path.glob("tags.spacy*"))


@Language.factory("tagger_that_declares_nothing")
def make_tagger(nlp, name, model, tag):
    return Tagger(nlp.vocab, model, name) if tag else lambda doc: doc


@pytest.mark.slow
@pytest.mark.parametrize("tag", [True, False])
def test_a_component_that_declares_nothing_may_be_a_tagger(corpus, config, tmp_path, tag):
    content = load_config(config)
    model = content["components"]["tagger"]["model"]
    settings = {"factory": "tagger_that_declares_nothing", "tag": tag, "model": model}
    content["components"]["tagger"] = settings
    content.to_disk(config)
    output = tmp_path / "tags.spacy"
    if tag:
        jackknife_tags(corpus, output, config, folds=2)
        assert load(output)[0][0].tag_ == "DT"
        return
    with pytest.raises(ReadError, match=r"tagger\.cfg predicted no tags .* in fold 1"):
        jackknife_tags(corpus, output, config, folds=2, overrides={"training.max_steps": 1})
    assert not output.exists()


@pytest.mark.parametrize("lengths", [[1] * 10, [100, 1, 1, 1], [1, 1, 1, 100], [0, 0, 0, 5]])
@pytest.mark.parametrize("folds", [2, 3, 4])
def test_folds_are_runs_that_cover_all_docs(lengths, folds):
    bounds = fold_bounds(lengths, folds)
    assert len(bounds) == folds
    assert bounds[0][0] == 0 and bounds[-1][1] == len(lengths)
    assert all(start < end for start, end in bounds)
    assert all(one[1] == two[0] for one, two in pairwise(bounds))


def test_unusable_corpora_and_configs_are_named(corpus, config, tmp_path):
    with pytest.raises(ReadError, match="1 folds of 20 docs"):
        jackknife_tags(corpus, tmp_path / "x.spacy", config, folds=1)
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace('pipeline = ["tagger"]', "pipeline = []"), encoding="utf-8")
    says = r"tagger\.cfg has no component that assigns tags .*pipeline has no components"
    with pytest.raises(ReadError, match=says):
        jackknife_tags(corpus, tmp_path / "x.spacy", config, folds=2)
    config.write_text("[nlp]\nlang = 'en'\n")
    with pytest.raises(ReadError, match=r"has no \[corpora\.train\]"):
        jackknife_tags(corpus, tmp_path / "x.spacy", config, folds=2)
    bare = tmp_path / "bare.spacy"
    DocBin(docs=[Doc(Vocab(), words=["a"])] * 2).to_disk(bare)
    with pytest.raises(ReadError, match=r"bare\.spacy has no tags"):
        jackknife_tags(bare, tmp_path / "x.spacy", config, folds=2)
    DocBin(attrs=["ORTH"], docs=[Doc(Vocab(), words=["a"])] * 2).to_disk(bare)
    with pytest.raises(ReadError, match=r"bare\.spacy has no tags"):
        jackknife_tags(bare, tmp_path / "x.spacy", config, folds=2)
    assert not list(tmp_path.glob("x.spacy*"))


@pytest.mark.slow
def test_a_corpus_without_parts_of_speech_and_a_config_without_seed(corpus, config, tmp_path):
    content = load_config(config)
    del content["system"]["seed"]
    content.to_disk(config)
    tagged = DocBin(attrs=["ORTH", "TAG", "SENT_START"], docs=load(corpus))
    tagged.to_disk(corpus)
    output = tmp_path / "tags.spacy"
    jackknife_tags(corpus, output, config, folds=2, overrides={"training.max_steps": 1})
    assert DocBin().from_disk(output).attrs == [*tagged.attrs, POS]

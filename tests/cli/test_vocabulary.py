import json

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from thinc.api import Config
from typer.testing import CliRunner

from spacy_structparse.cli import app

CONFIG = """
[nlp]
lang = "en"
pipeline = ["tok2vec"]
[components]
[components.tok2vec]
factory = "tok2vec"
[components.tok2vec.model]
@architectures = "spacy-structparse.TokenEmbedding.v1"
width = 6
use_pos = true
vocabulary = null
"""


@pytest.fixture
def corpus(tmp_path):
    vocab = spacy.blank("en").vocab
    docs = [
        Doc(vocab, words=["The", "the", "dog"], tags=["DT", "DT", "NN"], pos=["DET", "DET", "NOUN"])
        for _ in range(12)
    ]
    docs.append(Doc(vocab, words=["barks"], tags=["VBZ"], pos=["VERB"]))
    path = tmp_path / "train.spacy"
    DocBin(docs=docs).to_disk(path)
    return path


def invoke(*arguments):
    return CliRunner().invoke(app, ["vocabulary", *map(str, arguments)])


def test_counts_of_all_docs(corpus, tmp_path):
    output = tmp_path / "new" / "vocabulary.json"
    assert invoke(corpus, output).exit_code == 0
    counted = json.loads(output.read_text(encoding="utf-8"))
    assert counted["words"] == {"The": 12, "the": 12, "dog": 12, "barks": 1}
    assert counted["tags"] == ["DT", "NN", "VBZ"]
    assert [path.name for path in output.parent.iterdir()] == ["vocabulary.json"]


def test_other_attributes(corpus, tmp_path):
    output = tmp_path / "vocabulary.json"
    assert invoke(corpus, output, "--pos-attr", "POS").exit_code == 0
    counted = json.loads(output.read_text(encoding="utf-8"))
    assert counted["words"] == {"The": 12, "the": 12, "dog": 12, "barks": 1}
    assert counted["tags"] == ["DET", "NOUN", "VERB"]


def test_a_shared_tok2vec_takes_the_file(corpus, tmp_path):
    output = tmp_path / "vocabulary.json"
    invoke(corpus, output)
    overrides = {"components.tok2vec.model.vocabulary": str(output)}
    nlp = spacy.util.load_model_from_config(
        Config().from_str(CONFIG, overrides=overrides), auto_fill=True
    )
    nlp.initialize()
    known = Doc(nlp.vocab, words=["dog", "cat", "cow"], tags=["NN", "NN", "NN"])
    dog, cat, cow = nlp.get_pipe("tok2vec").predict([known])[0]
    assert (cat == cow).all() and (dog != cat).any()


def test_problems_name_the_file_and_write_nothing(corpus, tmp_path):
    output = tmp_path / "vocabulary.json"
    broken = tmp_path / "broken.spacy"
    broken.write_bytes(corpus.read_bytes()[:40])
    empty = tmp_path / "empty"
    empty.mkdir()
    for arguments, text in (
        ((broken, output), "broken.spacy"),
        ((empty, output), "no .spacy files"),
        ((corpus, output, "--pos-attr", "WORD"), "--pos-attr: 'WORD'"),
    ):
        result = invoke(*arguments)
        assert result.exit_code == 1
        assert text in " ".join(result.output.split())
    assert not output.exists()


@pytest.mark.parametrize("option", ["--pos-attr"])
@pytest.mark.parametrize("attr", ["HEAD", "IS_ALPHA", "WORD"])
def test_an_attribute_without_texts(corpus, tmp_path, option, attr):
    output = tmp_path / "vocabulary.json"
    result = invoke(corpus, output, option, attr)
    assert result.exit_code == 1
    assert f"{option}: " in result.output and attr in result.output
    assert not output.exists()


def test_docs_without_words_or_tags(tmp_path):
    vocab = spacy.blank("en").vocab
    for number, words, status in ((0, [[]], 1), (1, [], 1), (2, [["barks"]], 0)):
        path = tmp_path / f"{number}.spacy"
        DocBin(docs=[Doc(vocab, words=one) for one in words]).to_disk(path)
        output = tmp_path / f"{number}.json"
        result = invoke(path, output)
        assert result.exit_code == status, result.output
        assert output.exists() == (status == 0)
    assert json.loads(output.read_text(encoding="utf-8"))["tags"] == []


def test_a_pipeline_without_torch_is_not_compressed(tmp_path):
    spacy.blank("en").to_disk(tmp_path / "model")
    arguments = ["compress", str(tmp_path / "model"), str(tmp_path / "small")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 1 and not (tmp_path / "small").exists()

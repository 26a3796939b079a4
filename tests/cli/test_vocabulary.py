import json

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from thinc.api import Config

from tests.helpers.commands import run, said

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


def vocabulary(*arguments, status=0):
    return said("vocabulary", *arguments, status=status)


@pytest.mark.parametrize(
    ("options", "tags"),
    [([], ["DT", "NN", "VBZ"]), (["--pos-attr=POS"], ["DET", "NOUN", "VERB"])],
)
def test_counts_of_all_docs(corpus, tmp_path, options, tags):
    output = tmp_path / "new" / "vocabulary.json"
    vocabulary(corpus, output, *options)
    counted = json.loads(output.read_text(encoding="utf-8"))
    assert counted == {"words": {"The": 12, "the": 12, "dog": 12, "barks": 1}, "tags": tags}
    assert [path.name for path in output.parent.iterdir()] == ["vocabulary.json"]


def test_a_shared_tok2vec_takes_the_file(corpus, tmp_path):
    output = tmp_path / "vocabulary.json"
    vocabulary(corpus, output)
    overrides = {"components.tok2vec.model.vocabulary": str(output)}
    nlp = spacy.util.load_model_from_config(
        Config().from_str(CONFIG, overrides=overrides), auto_fill=True
    )
    nlp.initialize()
    known = Doc(nlp.vocab, words=["dog", "cat", "cow"], tags=["NN", "NN", "NN"])
    dog, cat, cow = nlp.get_pipe("tok2vec").predict([known])[0]
    assert (cat == cow).all() and (dog != cat).any()


def test_problems_name_the_file_and_write_nothing(corpus, tmp_path):
    output, broken, empty = (tmp_path / name for name in ("v.json", "broken.spacy", "empty"))
    broken.write_bytes(corpus.read_bytes()[:40])
    empty.mkdir()
    for arguments, text in (
        ((broken, output), "broken.spacy"),
        ((empty, output), "no .spacy files"),
    ):
        assert text in vocabulary(*arguments, status=1)
    assert not output.exists()


@pytest.mark.parametrize(("docs", "status"), [([[]], 1), ([], 1), ([["barks"]], 0)])
def test_docs_without_words_or_tags(tmp_path, docs, status):
    path, output = tmp_path / "in.spacy", tmp_path / "v.json"
    vocab = spacy.blank("en").vocab
    DocBin(docs=[Doc(vocab, words=words) for words in docs]).to_disk(path)
    vocabulary(path, output, status=status)
    assert output.exists() == (status == 0)
    assert status or json.loads(output.read_text(encoding="utf-8"))["tags"] == []


def test_a_pipeline_without_torch_is_not_compressed(tmp_path):
    spacy.blank("en").to_disk(tmp_path / "model")
    run("compress", tmp_path / "model", tmp_path / "small", status=1)
    assert not (tmp_path / "small").exists()

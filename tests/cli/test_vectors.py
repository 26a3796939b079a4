import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.training.initialize import load_vectors_into_model

from tests.helpers.commands import said

LINES = ["the dog barks .", "a dog sleeps .", "the cat sleeps", "a cat barks ."] * 5


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "raw.txt"
    path.write_text("\n".join([*LINES, "", "once"]), encoding="utf-8")
    return path


def test_vectors_of_the_frequent_words_for_another_pipeline(text, tmp_path):
    output = tmp_path / "new" / "vectors"
    said("vectors", text, output, "--dim", 8)
    nlp = spacy.blank("en")
    load_vectors_into_model(nlp, output)
    assert nlp.vocab.vectors.shape == (7, 8)
    assert nlp.vocab["dog"].has_vector and not nlp.vocab["once"].has_vector
    assert [path.name for path in output.parent.iterdir()] == ["vectors"]


def test_reads_spacy_files_and_text_in_folders(tmp_path, text):
    vocab = spacy.blank("en").vocab
    doc = Doc(vocab, words=["new", "\n", "3 000", "new"], sent_starts=[True, False, False, True])
    (tmp_path / "sub").mkdir()
    DocBin(docs=[doc, Doc(vocab), Doc(vocab, words=["\n"])]).to_disk(tmp_path / "sub" / "a.spacy")
    output = tmp_path / "vectors"
    said("vectors", tmp_path, output, "--dim", 4, "--min-count", 1)
    strings = spacy.load(output).vocab.strings
    assert all(word in strings for word in ("dog", "once", "new", "3", "000"))


def test_problems_are_named_and_nothing_is_written(text, tmp_path):
    output = tmp_path / "vectors"
    latin = tmp_path / "latin.txt"
    latin.write_bytes("é".encode("latin-1"))
    treebank = tmp_path / "train.conllu"
    treebank.touch()
    folder = tmp_path / "full"
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work", encoding="utf-8")
    for arguments, what in (
        ((tmp_path / "none.txt", output), "none.txt does not exist"),
        ((latin, output), "latin.txt, line 1: it is not UTF-8"),
        ((treebank, output), "is a treebank"),
        ((folder, output), "has no .txt or .spacy files"),
        ((text, output, "--min-count", 100), "seen 100 times"),
        ((text, output, "--lang", "qqq"), "qqq"),
        ((text, folder), "is not a pipeline's folder"),
    ):
        assert what in said("vectors", *arguments, status=1)
    assert not output.exists()
    assert (folder / "thesis.tex").exists()

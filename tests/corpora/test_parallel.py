"""Two aligned text files become Examples, or an error says where they are not aligned."""

from pathlib import Path

import pytest
import spacy

from spacy_structparse.corpora.parallel import create_parallel_corpus_reader


def write(folder: Path, source: str, target: str) -> tuple[Path, Path]:
    paths = folder / "text.de", folder / "text.en"
    for path, text in zip(paths, (source, target), strict=True):
        path.write_text(text, encoding="utf8")
    return paths


def test_pairs(tmp_path: Path) -> None:
    # A line separator of Unicode's ends no line.
    paths = write(tmp_path, "Der Hund.\nein\u2028haus\n", "the dog .\n a  house\n")
    read = create_parallel_corpus_reader(*paths)
    nlp = spacy.blank("de")
    examples = list(read(nlp))
    assert [[t.text for t in eg.predicted if not t.is_space] for eg in examples] == [
        ["Der", "Hund", "."],
        ["ein", "haus"],
    ]
    assert [eg.reference._.translation for eg in examples] == ["the dog .", "a house"]
    assert [eg.predicted._.translation for eg in examples] == [None, None]
    assert len(list(read(nlp))) == 2  # every epoch reads anew


def test_empty_lines_are_counted_once(tmp_path: Path) -> None:
    paths = write(tmp_path, "a\n\nc\n", "a\nb\n\n")
    read = create_parallel_corpus_reader(*paths)
    nlp = spacy.blank("de")
    with pytest.warns(UserWarning, match="2 pairs of .*text.de and .*text.en were left out"):
        assert len(list(read(nlp))) == 1
    assert len(list(read(nlp))) == 1


@pytest.mark.parametrize(
    ("source", "target", "short"), [("a\nb\n", "a\n", "en"), ("", "a\n", "de")]
)
def test_files_of_different_lengths(tmp_path: Path, source: str, target: str, short: str) -> None:
    read = create_parallel_corpus_reader(*write(tmp_path, source, target))
    line = 1 + min(source.count("\n"), target.count("\n"))
    with pytest.raises(ValueError, match=rf"text\.{short} ends before line {line}"):
        list(read(spacy.blank("de")))


def test_files_that_are_no_text(tmp_path: Path) -> None:
    source, target = write(tmp_path, "a\n", "a\n")
    target.write_bytes(b"\xe9\n")
    with pytest.raises(ValueError, match=r"text\.en, line \d: it is not UTF-8 text"):
        list(create_parallel_corpus_reader(source, target)(spacy.blank("de")))
    with pytest.raises(ValueError, match=r"source is .*text\.de and target None"):
        create_parallel_corpus_reader(source, None)

"""The vocabulary of a worker: frequent words are kept, and it does not grow with the corpus."""

from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from spacy.tokens import DocBin

from spacy_structparse.corpora import word_zones
from spacy_structparse.sharding.inputs import find_inputs
from spacy_structparse.sharding.outputs import ShardFormat
from spacy_structparse.sharding.parser import Job, ShardParser
from spacy_structparse.sharding.shards import make_shards

TEXTS = [f"Unseen{n} names{n} don't pass, they{n} said; see (they)." for n in range(40)]


def write_texts(folder: Path) -> Path:
    path = folder / "a.txt"
    path.write_text("".join(f"{text}\n" for text in TEXTS))
    return path


def write_docs(folder: Path) -> Path:
    """Files of four documents each: a `.spacy` file is never cut."""
    nlp = spacy.blank("en")
    (folder / "docs").mkdir()
    for number in range(0, len(TEXTS), 4):
        docs = DocBin(docs=nlp.pipe(TEXTS[number : number + 4]))
        docs.to_disk(folder / "docs" / f"{number:02}.spacy")
    return folder / "docs"


def parse(source: Path, folder: Path, style: ShardFormat) -> tuple[list[int], list[bytes]]:
    """Parse in shards of a few documents.

    Returns:
        The strings of the vocabulary after each shard, and the outputs.
    """
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(folder / "model")
    (folder / "out" / "records").mkdir(parents=True)
    job = Job(str(folder / "model"), str(folder / "out"), style, batch_size=2)
    shards = make_shards(find_inputs([str(source)], None), 200, "line", "text")
    assert len(shards) >= 10
    parser = ShardParser(job)
    sizes, outputs = [], []
    for shard in shards:
        record = parser.parse(shard)
        sizes.append(len(parser.nlp.vocab.strings))
        outputs.append((folder / "out" / record.output).read_bytes())
    return sizes, outputs


@pytest.mark.parametrize("write", [write_texts, write_docs])
def test_the_vocabulary_grows_up_to_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], Path]
) -> None:
    """Whatever is kept, the parses are the same."""
    source = write(tmp_path)
    monkeypatch.setattr(word_zones, "KEPT_WORDS", 0)
    (tmp_path / "none").mkdir()
    none_kept, expected = parse(source, tmp_path / "none", ShardFormat.parquet)
    assert len(set(none_kept)) == 1
    monkeypatch.setattr(word_zones, "KEPT_WORDS", len(spacy.blank("en").vocab) + 20)
    (tmp_path / "some").mkdir()
    some_kept, outputs = parse(source, tmp_path / "some", ShardFormat.parquet)
    assert len(set(some_kept[2:])) == 1
    if write is write_texts:
        assert some_kept[0] > none_kept[0]
    assert outputs == expected

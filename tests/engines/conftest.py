"""A pipeline whose processes end at words, and shards for it."""

from pathlib import Path

import pytest
import spacy
from spacy.util import import_file

from spacy_structparse.sharding.inputs import find_inputs
from spacy_structparse.sharding.outputs import ShardFormat
from spacy_structparse.sharding.parser import Job
from spacy_structparse.sharding.shards import Shard, make_shards

# A process that comes to a word which is the name of a file kills itself, once.
CODE = """
import os, signal
from pathlib import Path
from spacy.language import Language

@Language.component("test_ends_at_a_file")
def end(doc):
    for word in doc:
        path = Path(os.environ["TEST_ENDS"], word.text)
        if path.is_file():
            path.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
    return doc
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline that loads soon: rules cut sentences, and nothing is learned."""
    folder = tmp_path_factory.mktemp("job")
    (folder / "code.py").write_text(CODE)
    import_file("code", folder / "code.py")
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("test_ends_at_a_file")
    nlp.to_disk(folder / "model")
    return folder


@pytest.fixture
def ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the words at which processes end."""
    folder = tmp_path / "ends"
    folder.mkdir()
    monkeypatch.setenv("TEST_ENDS", str(folder))
    return folder


@pytest.fixture
def simple_job(made: Path, ends: Path, tmp_path: Path) -> Job:
    code = made / "code.py"
    return Job(str(made / "model"), str(tmp_path / "out"), ShardFormat.spacy, code=code)


@pytest.fixture
def shards(tmp_path: Path) -> list[Shard]:
    """Four shards of a document each: w0, w1, w2 and w3."""
    (tmp_path / "a.txt").write_text("w0\nw1\nw2\nw3\n")
    return make_shards(find_inputs([str(tmp_path / "a.txt")], None), 3, "line", "text")

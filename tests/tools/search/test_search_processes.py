"""`search` and `measures` with several processes: the output of one, and clean ends."""

import gzip
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import srsly
from click.testing import Result
from spacy.tokens import Doc
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_structparse.cli import app
from spacy_structparse.corpora import writers
from spacy_structparse.corpora.options import ReadOptions
from spacy_structparse.corpora.writers import Format
from spacy_structparse.tools.search.commands import inputs as annotated_inputs
from spacy_structparse.tools.search.commands.inputs import find_annotated, results_of
from tests.helpers.parsed_shards import sample_docs, write_shards
from tests.helpers.paths import ROOT, SAMPLE

posix = pytest.mark.skipif(os.name != "posix", reason="kills processes by signals")


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(app, [str(one) for one in arguments])


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotated_inputs, "PART", 7)
    monkeypatch.setattr(writers, "GROUP_SENTENCES", 7)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Every kind of input with annotation, of which some documents cannot be read or searched."""
    folder = tmp_path_factory.mktemp("inputs")
    docs = sample_docs(Vocab(), n_sents=3)
    shards = [
        write_shards(folder / style.value, style, docs, per_file=15)
        for style in (Format.spacy, Format.parquet)
    ]
    packed = folder / "dev.ptb.gz"
    packed.write_bytes(gzip.compress((SAMPLE / "dev.ptb").read_bytes()))
    broken = folder / "broken.ptb"
    broken.write_text("(S (NP (NN dog)))\n(S (NP))\n(S (VP (VB go)))\n" * 5)
    return [*shards, packed, SAMPLE / "dev.conllu", broken]


@pytest.mark.parametrize(
    "options",
    [
        ("search", "NP=np < PP", "-f", "ptb"),
        ("search", "NP", "--sample", 9, "--seed", 3, "-f", "conllu"),
        ("search", "NP", "--stats", "document"),
        ("search", "--dep", "pattern.json"),
        ("measures",),
        ("measures", "--per", "file"),
    ],
    ids=lambda options: " ".join(map(str, options)),
)
def test_the_output_is_that_of_one_process(
    inputs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[Any, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    srsly.write_json("pattern.json", [{"RIGHT_ID": "a", "RIGHT_ATTRS": {"DEP": {"REGEX": "subj"}}}])
    outputs = [tmp_path / f"hits-{n}" for n in (1, 2)]
    one, two = (
        run(*options, *inputs, "-o", output, "-p", n) for n, output in enumerate(outputs, 1)
    )
    assert one.exit_code == 0, one.output
    assert outputs[0].stat().st_size > 100
    assert outputs[1].read_bytes() == outputs[0].read_bytes()
    assert two.stderr == one.stderr
    assert "has neither a word nor children" in " ".join(one.stderr.split())


@pytest.mark.slow
def test_the_standard_input_is_read_by_the_parent() -> None:
    command = [sys.executable, "-m", "spacy", "structparse", "search", "NP", "-", "-p", "2"]
    found = subprocess.run(
        [*command, "--input-format", "ptb"], input=b"(S (NP (NN dog)))\n", capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True,
    )  # fmt: skip
    assert b"1 matches in 1 sentences of 1 documents" in found.stderr


@pytest.mark.slow
def test_errors_of_processes(inputs: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "out.csv"
    output.write_text("mine")
    treebank = tmp_path / "long.ptb"
    treebank.write_text("(S (NN dog))\n" * 20 + f"(S (NN {'a' * 60}b))\n")
    damaged = tmp_path / "damaged.ptb.gz"
    damaged.write_bytes(inputs[2].read_bytes()[:-50])
    nothing = tmp_path / "nothing.ptb"
    nothing.write_text("(S (NP))\n" * 20)
    for pattern, file, message in (
        ("/^(a|aa)+$/", treebank, "took more than 1 s"),
        ("NP", damaged, "damaged.ptb.gz"),
        ("NP", nothing, "No sentence of"),
    ):
        said = [run("search", pattern, file, "-o", output, "-p", n) for n in (1, 2)]
        assert [one.exit_code for one in said] == [1, 1]
        assert message in " ".join(said[1].output.split())
        assert said[1].output == said[0].output
        assert output.read_text() == "mine"


def kill_itself(vocab: Vocab) -> Any:
    def work(docs: list[Doc]) -> list[str]:
        if any(doc.text.startswith("My father") for doc in docs):
            os.kill(os.getpid(), signal.SIGKILL)
        return [doc.text for doc in docs]

    # The work of the parent is not called.
    return work


@posix
def test_a_lost_process_is_named(inputs: list[Path]) -> None:
    found = find_annotated([inputs[2]], None, None, None, -1)
    with pytest.raises(annotated_inputs.WorkerError, match=r"result is .*dev\.ptb\.gz"):
        list(results_of(found, ReadOptions(), kill_itself, 2))

"""`spacy structparse parse --resume`: an interrupted run goes on, and gives what one gives that was
not interrupted."""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.cli._util import app
from spacy.language import Language
from spacy.tokens import Doc
from typer.testing import CliRunner

from spacy_structparse.cli import partial_output
from spacy_structparse.files import write_atomically
from tests.helpers.attacks import bounded
from tests.helpers.paths import SAVED

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="kills, limits and locks are POSIX's"),
    pytest.mark.usefixtures("plain_english"),
]
WORDS = "the cook stirs a thick soup".split()
N_DOCS, BATCH = 8, 2
STOP: dict[str, Callable[[], object]] = {}
"""What happens when a text is parsed, by the text."""


def stop_at_text(doc: Doc) -> Doc:
    STOP.get(doc.text, int)()
    return doc


def interrupt() -> None:
    raise KeyboardInterrupt


Language.component("test_stop_at_text", func=stop_at_text)


@pytest.fixture(autouse=True)
def no_stops() -> None:
    STOP.clear()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline of both kinds of parsers, which can be stopped."""
    nlp = spacy.load(SAVED / "spa_bot_biaffine")
    nlp.add_pipe("seq2seq_constituency", source=spacy.load(SAVED / "trees_in_order_datt"))
    nlp.add_pipe("test_stop_at_text", first=True)
    folder = tmp_path_factory.mktemp("resume") / "model"
    nlp.to_disk(folder)
    return folder


def text(number: int) -> str:
    """Every document is another one."""
    return " ".join(WORDS[number % 3 :] + WORDS[: number // 2])


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "in.txt"
    path.parent.mkdir()
    path.write_text("".join(f"{text(n)}\n" for n in range(N_DOCS)))
    return path


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "out" / "parsed"


def parse(*args: object, fails: bool = False) -> str:
    result = CliRunner().invoke(app, ["structparse", "parse", *map(str, args), "-b", str(BATCH)])
    assert (result.exit_code != 0) == fails, (result.output, result.exception)
    return " ".join(result.output.split())


def names(output: Path) -> list[str]:
    return sorted(path.name for path in output.parent.iterdir())


def journal(output: Path) -> Any:
    return json.loads(output.with_name(f"{output.name}.partial.json").read_text())


@pytest.mark.parametrize(
    "options",
    [
        ["-f", "conllu"],
        ["-f", "ptb"],
        ["-f", "json", "--k-best", "2"],
        ["-f", "terminal"],
        ["-f", "json", "-p", "2"],
    ],
    ids=" ".join,
)
def test_what_is_interrupted_goes_on(
    model: Path, source: Path, output: Path, options: list[str]
) -> None:
    """Interrupted twice: in the first batch, which leaves nothing, and in the third one."""
    whole = output.with_name("whole")
    said = parse(model, source, "-o", whole, *options)
    STOP[text(1)] = interrupt
    parse(model, source, "-o", output, "--resume", *options, fails=True)
    assert names(output) == ["whole"]
    del STOP[text(1)]
    STOP[text(5)] = interrupt
    parse(model, source, "-o", output, "--resume", *options, fails=True)
    assert names(output) == ["parsed.partial", "parsed.partial.json", "whole"]
    assert journal(output)["written"]["documents"] == 4
    # What has been parsed is not parsed again.
    STOP.update({text(n): interrupt for n in range(4)})
    del STOP[text(5)]
    resumed = parse(model, source, "-o", output, "--resume", *options)
    assert "has 4 documents: going on after them" in resumed
    for end in (said, resumed):
        assert f"{N_DOCS} sentences of {N_DOCS} documents" in end
    assert names(output) == ["parsed", "whole"]
    assert output.read_bytes() == whole.read_bytes()


def in_child(*args: object, prepare: Callable[[], object] = int) -> int:
    """Run the command in a process of its own. Returns its status, as `os.waitpid` has it."""
    process = os.fork()
    if not process:
        try:
            prepare()
            result = CliRunner().invoke(app, ["structparse", "parse", *map(str, args)])
            os.write(1, result.output.encode())
            os._exit(result.exit_code)
        finally:
            os._exit(99)
    return os.waitpid(process, 0)[1]


def gold_run(folder: Path) -> tuple[list[object], Path, bytes]:
    """A run without a pipeline, its output, and what will be in it."""
    source, output = folder / "in.conllu", folder / "out" / "parsed"
    blocks = [f"# sent_id = {n}\n1\t{'a' * n}\t_\tX\t_\t_\t0\troot\t_\t_\n\n" for n in range(1, 7)]
    source.write_text("".join(blocks))
    args: list[object] = ["-", source, "--gold", "--resume", "-b", BATCH, "-o", output]
    return args, output, source.read_bytes()


def kill_at(step: int, folder: Path) -> None:
    """Die when a file of the folder is opened, renamed or removed for the time of this number."""
    counts = [0]

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event in ("open", "os.rename", "os.remove", "os.truncate") and str(folder) in str(args):
            if counts[0] == step:
                os.kill(os.getpid(), signal.SIGKILL)
            counts[0] += 1

    sys.addaudithook(hook)


def test_killed_at_every_change_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next run ends with all that one gives which was not killed, and nothing else."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # which a kill does not need
    args, output, expected = gold_run(tmp_path)
    for step in range(0, 100, bounded(4, 1)):
        status = in_child(*args, prepare=lambda at=step: kill_at(at, output.parent))
        if output.exists():
            assert output.read_bytes() == expected
        if status == 0:
            break
        assert os.WIFSIGNALED(status)
        assert in_child(*args) == 0
        assert (names(output), output.read_bytes()) == (["parsed"], expected)
        output.unlink()
    assert 8 < step < 96


def test_killed_while_it_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The data that the journal does not count is cut off: more of it, or a part of a document."""
    args, output, expected = gold_run(tmp_path)
    record = partial_output.PartialOutput.record

    def die_after(documents: int) -> Callable[[], None]:
        def record_and_die(partial: partial_output.PartialOutput) -> None:
            if partial.written.documents > documents:
                partial.text.write("# half" * 100)
                partial.text.flush()
                os.kill(os.getpid(), signal.SIGKILL)
            record(partial)

        return lambda: monkeypatch.setattr(partial_output.PartialOutput, "record", record_and_die)

    for documents in (0, 2, 4):
        assert os.WIFSIGNALED(in_child(*args, prepare=die_after(documents)))
        assert journal(output)["written"]["documents"] == documents
        assert output.with_name("parsed.partial").read_bytes().endswith(b"half")
    assert in_child(*args) == 0
    assert (names(output), output.read_bytes()) == (["parsed"], expected)


def test_the_journal_counts_what_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    args, output, expected = gold_run(tmp_path)
    on_disk: dict[int, int] = {}
    counted: list[int] = []

    def fsync(descriptor: int) -> None:
        status = os.fstat(descriptor)
        on_disk[status.st_ino] = status.st_size

    def write_journal(path: Path, data: bytes) -> None:
        counted.append(json.loads(data)["bytes"])
        assert on_disk[output.with_name("parsed.partial").stat().st_ino] == counted[-1]
        write_atomically(path, data)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(partial_output, "write_atomically", write_journal)
    result = CliRunner().invoke(app, ["structparse", "parse", *map(str, args)])
    assert result.exit_code == 0, result.output
    assert counted[0] == 0 and counted[-1] == len(expected)
    assert on_disk[output.stat().st_ino] == len(expected)
    assert output.parent.stat().st_ino in on_disk and tmp_path.stat().st_ino in on_disk


def test_a_full_disk(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A limit of the file's size is to a process what a full disk is: a write fails."""
    source, output = tmp_path / "in.conllu", tmp_path / "out" / "parsed"
    source.write_text("".join(f"1\t{'a' * 3000}\t_\tX\t_\t_\t0\troot\t_\t_\n\n" for _ in range(8)))
    args = ["-", source, "--gold", "-b", BATCH, "-o"]
    whole = tmp_path / "whole"
    assert in_child(*args, whole) == 0

    def limit() -> None:
        import resource  # of POSIX alone

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    assert os.waitstatus_to_exitcode(in_child(*args, output, "--resume", prepare=limit)) == 1
    said = "".join(capfd.readouterr().out.split())
    assert "toolarge:" in said and "parsed.partial'" in said.split("toolarge:")[1]
    assert journal(output)["written"]["documents"] > 0
    assert in_child(*args, output, "--resume") == 0
    assert (names(output), output.read_bytes()) == (["parsed"], whole.read_bytes())


def test_another_run_is_refused(model: Path, source: Path, output: Path) -> None:
    STOP[text(5)] = interrupt
    run = ["-o", output, "--resume"]
    parse(model, source, *run, fails=True)
    before = output.with_name("parsed.partial").read_bytes()
    STOP.clear()

    def refused(*args: object) -> str:
        said = parse(*args, *run, fails=True)
        assert "To begin again, remove parsed.partial and parsed.partial.json" in said
        assert output.with_name("parsed.partial").read_bytes() == before
        return said

    assert "--format was conllu, and is ptb" in refused(model, source, "-f", "ptb")
    assert "--k-best was None, and is 2" in refused(model, source, "-k", 2)
    assert "--confidence was False, and is True" in refused(model, source, "--confidence")
    assert "it had 1 inputs, and there are 2" in refused(model, source, source)
    assert "(text, 3 bytes) is one" in refused(model, "--text", "the")
    lines = source.read_text()
    source.write_text(lines + "more\n")
    assert f"{source} (text, {len(lines)} bytes) was an input" in refused(model, source).replace(
        "in/ in.txt", "in/in.txt"
    )
    source.write_text(lines)
    meta = model / "meta.json"
    old = meta.read_text()
    meta.write_text(old.replace('"version":"', '"version":"1'))
    assert "the pipeline is another one, or has changed" in refused(model, source)
    meta.write_text(old)
    parse(model, source, *run)
    assert names(output) == ["parsed"]


def test_what_is_damaged_is_refused(model: Path, source: Path, output: Path) -> None:
    STOP[text(5)] = interrupt
    parse(model, source, "-o", output, "--resume", fails=True)
    STOP.clear()
    partial, record = (output.with_name(f"parsed.partial{end}") for end in ("", ".json"))
    data, counted = partial.read_bytes(), record.read_text()
    for bad in ("", "[]", "{}", counted[:-9], counted.replace('"bytes": ', '"bytes": "x", "b": ')):
        record.write_text(bad)
        assert "is damaged" in parse(model, source, "-o", output, "--resume", fails=True)
    record.write_text(counted)
    partial.write_bytes(data[:50])
    assert "has less than" in parse(model, source, "-o", output, "--resume", fails=True)
    record.unlink()
    said = parse(model, source, "-o", output, "--resume", fails=True)
    assert "has no parsed.partial.json beside it" in said
    assert partial.read_bytes() == data[:50]


def test_one_process_at_a_time(model: Path, source: Path, output: Path) -> None:
    """The command in the child is still running when another one wants to go on."""
    begun, told = os.pipe()
    goes_on, go = os.pipe()

    def wait() -> None:
        os.write(told, b"x")
        os.read(goes_on, 1)

    process = os.fork()
    if not process:
        try:
            STOP[text(5)] = wait
            parse(model, source, "-o", output, "--resume")
            os._exit(0)
        finally:
            os._exit(99)
    os.read(begun, 1)
    assert "another process is writing" in parse(
        model, source, "-o", output, "--resume", fails=True
    )
    os.write(go, b"x")
    assert os.waitpid(process, 0)[1] == 0
    assert names(output) == ["parsed"]


def test_what_cannot_go_on_is_refused(model: Path, source: Path, output: Path) -> None:
    for style in ("spacy", "svg"):
        said = parse(model, source, "-f", style, "-o", output, "--resume", fails=True)
        assert f"That of {style} does not" in said
    assert "needs --output FILE" in parse(model, source, "--resume", fails=True)
    assert "can be read once" in parse(model, "-", "-o", output, "--resume", fails=True)
    assert not output.parent.exists()

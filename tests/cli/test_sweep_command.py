"""`spacy structparse sweep`: every run is trained once, and the tables have their scores."""

import csv
import json
import os
import re
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from spacy.cli._util import app
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_structparse.cli import engines
from spacy_structparse.sweeps import trainer
from tests.helpers.other_process import locked_elsewhere
from tests.helpers.pretend_training import DO, write_config
from tests.helpers.run_here import run_here

GRID = ["--set", "components.pretend.quality=0.25,0.75", "--seeds", "2"]
NAMES = [f"quality={quality},seed={seed}" for quality in (0.25, 0.75) for seed in (0, 1)]


@pytest.fixture(autouse=True)
def no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    DO.clear()
    monkeypatch.setattr(engines, "run_locally", run_here)


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the runs that are trained."""
    names = []
    train = trainer.train

    def noted(config: Path, output: Path, **settings: Any) -> None:
        names.append(output.name)
        train(config, output, **settings)

    monkeypatch.setattr(trainer, "train", noted)
    return names


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return write_config(tmp_path)


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "out"


def sweep(config: Path, output: Path, *args: object, status: int = 0) -> str:
    data = config.with_name("data.spacy")
    paths = ("--paths.train", data, "--paths.dev", data)
    return bare_sweep(config, output, *args, *paths, status=status)


def bare_sweep(config: Path, output: Path, *args: object, status: int) -> str:
    """What a sweep prints, of a config whose paths are not given."""
    command = ["structparse", "sweep", str(config), str(output), *map(str, args)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == status, (result.output, result.exception)
    return result.output


def one_line(text: str) -> str:
    return " ".join(text.split())


def results(output: Path) -> Any:
    return json.loads((output / "sweep.json").read_text())


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def performance(output: Path, name: str) -> dict[str, Any]:
    meta = json.loads((output / "runs" / name / "model-best" / "meta.json").read_text())
    return dict(meta["performance"])


def interrupt() -> None:
    raise KeyboardInterrupt


def fail() -> None:
    print("about to divide")
    raise ValueError("no such number")


def test_the_figures_are_those_of_the_runs(config: Path, output: Path) -> None:
    printed = sweep(config, output, *GRID)
    scores = {name: performance(output, name) for name in NAMES}
    weighted = {name: 0.75 * one["quality"] + 0.25 * one["luck"] for name, one in scores.items()}
    assert len({one["luck"] for one in scores.values()}) == 2  # seeds count, and nothing else
    found = rows(output / "runs.csv")
    assert [row["run"] for row in found] == sorted(NAMES, key=lambda name: -weighted[name])
    for row in found:
        name = row["run"]
        assert float(row["score"]) == pytest.approx(weighted[name], abs=1e-9)
        assert (float(row["quality"]), float(row["luck"])) == tuple(
            scores[name][key] for key in ("quality", "luck")
        )
        assert name == f"quality={row['components.pretend.quality']},seed={row['seed']}"
    settings = rows(output / "sweep.csv")
    assert [row["components.pretend.quality"] for row in settings] == ["0.75", "0.25"]
    for row, names in zip(settings, (NAMES[2:], NAMES[:2]), strict=True):
        values = [weighted[name] for name in names]
        mean, sd = statistics.fmean(values), statistics.stdev(values)
        assert float(row["score_mean"]) == pytest.approx(mean, abs=1e-9)
        assert float(row["score_sd"]) == pytest.approx(sd, abs=1e-9)
        assert row["best_run"] == max(names, key=lambda name: weighted[name])
        assert f"{mean:.4f} {sd:.4f} 2 {row['best_run']}" in one_line(printed)
    by_name = {one["run"]: one for one in results(output)["runs"]}
    assert {name: one["scores"] for name, one in by_name.items()} == scores
    # Another score: nothing is trained, and the order is another one.
    printed = sweep(config, output, *GRID, "--score", "luck", "--lower-is-better")
    assert "4 are finished: nothing is missing" in one_line(printed)
    luck = [float(row["luck"]) for row in rows(output / "runs.csv")]
    assert luck == sorted(one["luck"] for one in scores.values())


def test_a_score_that_runs_lack_is_missing(config: Path, output: Path) -> None:
    """spaCy writes 0.0 for it into `meta.json`. Here it is no number, and in no mean."""
    acts = ["--set", "components.pretend.act=no luck,luck is None,well", "--seeds", "2"]
    printed = one_line(sweep(config, output, *acts, "--score", "luck"))
    assert "luck: missing in 4 of 6 finished runs" in printed
    assert re.search("act=no-luck-[0-9a-f]{8},seed=0: no score", printed)
    by_run = {row["run"]: row for row in rows(output / "runs.csv")}
    lucky = [float(by_run[f"act=well,seed={seed}"]["luck"]) for seed in (0, 1)]
    settings = {row["components.pretend.act"]: row for row in rows(output / "sweep.csv")}
    assert float(settings["well"]["luck_mean"]) == pytest.approx(statistics.fmean(lucky))
    for act in ("no luck", "luck is None"):
        row = settings[act]
        assert (row["runs"], row["luck_mean"], row["luck_sd"], row["best_run"]) == ("0", "", "", "")
        assert f"{act} - - 0 of 2 -" in printed
        (name,) = [
            name
            for name, run in by_run.items()
            if (run["components.pretend.act"], run["seed"]) == (act, "1")
        ]
        assert (by_run[name]["status"], by_run[name]["luck"]) == ("finished", "")
        assert performance(output, name)["luck"] is None
    # The weighted score needs all of its scores, other than those that no run has.
    printed = one_line(sweep(config, output, *acts))
    assert "luck: missing in 4 of 6 finished runs" in printed
    settings = {row["components.pretend.act"]: row for row in rows(output / "sweep.csv")}
    mean = 0.75 * 0.5 + 0.25 * statistics.fmean(lucky)
    assert float(settings["well"]["score_mean"]) == pytest.approx(mean)
    assert settings["no luck"]["score_mean"] == ""
    printed = one_line(sweep(config, output, *acts[:1], "components.pretend.act=no luck"))
    assert "luck: missing in 1 of 1 finished runs, and not counted in score" in printed
    assert float(rows(output / "sweep.csv")[0]["score_mean"]) == 0.75 * 0.5


def test_a_run_is_trained_by_its_config(config: Path, output: Path, trained: list[str]) -> None:
    """The config of a run is the one with its settings, seed and overrides, and no others."""
    words = 'components.pretend.words=["a","b"],[]'
    sweep(config, output, "--set", words, "--set", "training.dropout=0.2", "--training.max_steps=1")
    for name, start in zip(trained, ("words=-a-b-", "words=-"), strict=True):
        assert re.fullmatch(f"{start},dropout=0.2-[0-9a-f]{{8}},seed=0", name)
    data = str(config.with_name("data.spacy"))
    for name, value in zip(trained, (["a", "b"], []), strict=True):
        overrides = {
            "components.pretend.words": value, "training.dropout": 0.2, "training.max_steps": 1,
            "training.seed": 0, "system.seed": 0, "paths.train": data, "paths.dev": data,
        }  # fmt: skip
        wanted = load_config(config, overrides, interpolate=False)
        assert load_config(output / "runs" / name / "config.cfg", interpolate=False) == wanted
        assert performance(output, name)["words"] == {"n": len(value)}


def test_what_is_interrupted_goes_on(config: Path, output: Path, trained: list[str]) -> None:
    acts = ["--set", "components.pretend.act=a,b,c"]
    DO["b"] = interrupt
    printed = sweep(config, output, *acts, status=130)
    assert "1 of 3 runs are finished: the same command trains the others" in one_line(printed)
    assert trained == ["act=a,seed=0", "act=b,seed=0"]
    assert [row["status"] for row in rows(output / "runs.csv")] == [
        "finished",
        "missing",
        "missing",
    ]
    first = (output / "runs" / "act=a,seed=0" / "run.json").read_bytes()
    DO.clear()
    sweep(config, output, *acts)
    assert trained[2:] == ["act=b,seed=0", "act=c,seed=0"]
    assert (output / "runs" / "act=a,seed=0" / "run.json").read_bytes() == first
    sweep(config, output, *acts)
    assert len(trained) == 4
    # More seeds and values are added to what is there.
    sweep(config, output, "--set", "components.pretend.act=c,d", "--seeds", "2")
    assert trained[4:] == ["act=c,seed=1", "act=d,seed=0", "act=d,seed=1"]
    assert len(rows(output / "runs.csv")) == 4


def test_a_value_like_another_one_is_added(config: Path, output: Path, trained: list[str]) -> None:
    sweep(config, output, "--set", "components.pretend.act=a/b")
    sweep(config, output, "--set", 'components.pretend.act=a b,a/b,"1"')
    assert len(trained) == 3
    assert len(rows(output / "runs.csv")) == 3


def test_a_failed_run_stops_no_other(config: Path, output: Path, trained: list[str]) -> None:
    acts = ["--set", "components.pretend.act=a,b", "--seeds", "2"]
    calls = iter([fail, int, int])
    DO["a"] = lambda: next(calls)()
    printed = sweep(config, output, *acts, status=1)
    assert len(trained) == 4
    log = output / "runs" / "act=a,seed=0" / "train.log"
    lines = [line.strip() for line in printed.splitlines()]
    assert "ValueError: no such number" in lines
    assert "about to divide" in log.read_text()
    settings = {row["components.pretend.act"]: row for row in rows(output / "sweep.csv")}
    assert (settings["a"]["runs"], settings["a"]["of"]) == ("1", "2")
    assert settings["a"]["score_sd"] == ""
    assert "1 of 2 act=a,seed=1" in one_line(printed)
    failed = next(one for one in results(output)["runs"] if one["status"] == "failed")
    assert failed["run"] == "act=a,seed=0"
    assert failed["message"].endswith("ValueError: no such number")
    sweep(config, output, *acts)
    assert trained[4:] == ["act=a,seed=0"]
    assert {row["status"] for row in rows(output / "runs.csv")} == {"finished"}


def test_a_misspelt_option_is_named(config: Path, output: Path, trained: list[str]) -> None:
    printed = one_line(sweep(config, output, "--seedss", "2", status=2))
    assert "No such option '--seedss'" in printed.replace("`", "'")
    assert "--training.max_steps 20" in printed
    assert not trained


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--set", "training.dropuot=0.2"], "--set training.dropuot: {config} has no such setting. "
         "Close to it: training.dropout. [training] has "),
        (["--set", "components.pretend.dropout=1"], "Close to it: training.dropout. "
         "[components.pretend] has act, factory, "),
        (["--set", "training.logger.progress_bar=true"], "has no section [training.logger]. Write "
         "all settings into it: python -m spacy init fill-config"),
        (["--set", "training.dropout=0.2,much"], "training.dropout=much: dropout: Input should be a"
         " valid number"),
        (["--set", "components.pretend.quality=[]"], "components.pretend.quality=[]: test_pretend.q"
         "uality: "),
        (["--set", "training.dropout="], "--set training.dropout=: a value is missing"),
        (["--set", "training.dropout=0.2", "--training.dropout", "0.1"], "--training.dropout is "
         "given, and a sweep sets it"),
        (["--training.max_stepps", "20"], "--training.max_stepps: {config} has no such setting. "
         "Close to it: training.max_steps. [training] has "),
        (["--set", "training.seed=1"], "--set training.seed: --seeds sets it"),
        (["--system.seed", "1"], "--system.seed is given, and a sweep sets it"),
        (["--corpora.dev.path", "none.spacy"], "none.spacy"),
        (["--score", "qualty"], "--score qualty: [training.score_weights] has no such score. It "
         "has quality, luck, words."),
        (["--training.score_weights", '{"quality":0}'], "no score has a weight"),
        (["--num-gpus", "1"], "--num-gpus is for --engine ray: name the GPU of this machine by"),
        (["--address", "auto"], "--address is that of a cluster, for --engine ray"),
        (["--engine", "ray", "--gpu-id", "0"], "--gpu-id is for the local engine: say by --num-gp"),
        (["--engine", "ray", "--num-gpus", "1.5"], "--num-gpus is 1.5: a worker has a part of one"),
    ],
)  # fmt: skip
def test_nothing_is_trained_that_cannot_be(
    config: Path, output: Path, trained: list[str], args: list[str], says: str
) -> None:
    printed = one_line(sweep(config, output, *args, status=1))
    assert "Nothing was trained" in printed
    assert says.format(config=config) in printed
    assert not trained
    assert not output.exists()


def test_data_without_a_path_are_named(config: Path, output: Path, trained: list[str]) -> None:
    data = config.with_name("data.spacy")
    printed = one_line(bare_sweep(config, output, status=1))
    assert "Nothing was trained" in printed
    assert f"{config}: paths.train and paths.dev are null" in printed
    assert "give --paths.train PATH --paths.dev PATH" in printed
    printed = one_line(bare_sweep(config, output, "--set", f"paths.train={data}", status=1))
    assert f"paths.train={data}: paths.dev is null" in printed
    assert "give --paths.dev PATH" in printed
    # A path that is not that of another setting.
    config.write_text(config.read_text().replace("path = ${paths.dev}", "path = null"))
    printed = one_line(bare_sweep(config, output, "--paths.train", data, status=1))
    assert f"{config}: corpora.dev.path is null" in printed
    assert "give --corpora.dev.path PATH" in printed
    assert "E913" not in printed
    assert not trained
    assert not output.exists()


def test_a_sourced_component_without_a_path_is_named(
    config: Path, output: Path, trained: list[str]
) -> None:
    text = config.read_text().replace('["pretend"]', '["tagger","pretend"]')
    text = text.replace(
        "[components]", "[components]\n\n[components.tagger]\nsource = ${paths.tagger}"
    )
    config.write_text(text.replace("[paths]", "[paths]\ntagger = null"))
    printed = one_line(sweep(config, output, status=1))
    assert "Nothing was trained" in printed
    assert f"{config} is no config that can be trained: paths.tagger is null" in printed
    assert "give --paths.tagger PATH" in printed
    assert "E050" not in printed
    assert not trained
    assert not output.exists()


def test_a_config_that_spacy_does_not_train_is_refused(
    config: Path, output: Path, trained: list[str]
) -> None:
    config.write_text(config.read_text().replace("gpu_allocator = ${system.gpu_allocator}", ""))
    printed = one_line(sweep(config, output, status=1))
    assert f"{config} has no training.gpu_allocator, without which spaCy does not train" in printed
    assert "python -m spacy init fill-config" in printed
    assert not output.exists()
    sweep(config, output, "--training.gpu_allocator", "null")
    assert trained == ["seed=0"]


def test_values_that_are_equal_and_not_the_same(config: Path, output: Path) -> None:
    """1 and 1.0 are two settings, each with its own runs."""
    sweep(config, output, "--set", "components.pretend.quality=1,1.0", "--seeds", "2")
    assert len(rows(output / "runs.csv")) == 4
    settings = rows(output / "sweep.csv")
    assert [(row["runs"], row["of"]) for row in settings] == [("2", "2")] * 2
    assert {row["best_run"].partition(",")[0] for row in settings} == {"quality=1", "quality=1.0"}


def another_config(config: Path) -> list[str]:
    config.write_text(config.read_text().replace("dropout = 0.1", "dropout = 0.3"))
    return []


def another_override(config: Path) -> list[str]:
    return ["--training.max_steps", "1"]


def other_data(config: Path) -> list[str]:
    config.with_name("data.spacy").write_bytes(config.with_name("data.spacy").read_bytes() + b"\n")
    return []


def other_code(config: Path) -> list[str]:
    (config.parent / "code.py").write_text("")
    return ["--code", str(config.parent / "code.py")]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (another_config, "training.dropout was 0.1, and is 0.3"),
        (another_override, "training.max_steps was 2, and is 1"),
        (other_data, "data.spacy (file, "),
        (other_code, "--code was None, and is e3b0c44298fc"),
    ],
)
def test_another_sweep_is_refused(
    config: Path, output: Path, trained: list[str], change: Callable[[Path], list[str]], says: str
) -> None:
    sweep(config, output)
    before = (output / "sweep.json").read_bytes()
    printed = one_line(sweep(config, output, *change(config), status=1))
    assert f"{output} has the runs of another sweep: " in printed
    assert says in printed
    assert f"To begin again, remove {output}" in printed
    assert len(trained) == 1
    assert (output / "sweep.json").read_bytes() == before


def test_folders_with_something_else(config: Path, output: Path) -> None:
    output.mkdir()
    (output / "mine").write_text("")
    assert "has mine and no sweep.json" in one_line(sweep(config, output, status=1))
    (output / "sweep.json").write_text("{")
    assert "sweep.json is damaged" in one_line(sweep(config, output, status=1))
    assert "--no-clobber" in sweep(config, output, "--no-clobber", status=1)


@pytest.mark.skipif(os.name != "posix", reason="forks")
def test_one_sweep_at_a_time(config: Path, output: Path) -> None:
    output.mkdir()
    with locked_elsewhere(output / ".lock"):
        assert "another process is writing" in one_line(sweep(config, output, status=1))
    sweep(config, output)

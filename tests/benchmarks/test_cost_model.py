"""The arithmetic of the cost model, on runs that follow it."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import typer

from benchmarks import record
from benchmarks.corpus_cost import costs, main, measured_run
from benchmarks.cost_model import CostModel, MeasuredRun, error_percent
from benchmarks.record import write_result

MODEL = CostModel(
    start_seconds=10.0,
    seconds_per_word=0.001,
    seconds_per_shard=0.5,
    words_per_sentence=20.0,
    input_bytes_per_word=5.0,
    output_bytes_per_word=8.0,
)


def run_of(model: CostModel, shards: int, words_of_a_shard: int, workers: int = 1) -> MeasuredRun:
    """A run that follows a model to the second."""
    words = shards * words_of_a_shard
    return MeasuredRun(
        workers=workers,
        seconds=model.seconds(words, shards, workers),
        shard_seconds=words * model.seconds_per_word,
        seconds_between=model.seconds_per_shard if workers == 1 else 0.0,
        shards=shards,
        words=words,
        sentences=words // 20,
        input_bytes=5 * words,
        output_bytes=8 * words,
    )


def test_a_run_that_follows_the_model_gives_it_back() -> None:
    assert asdict(CostModel.fit(run_of(MODEL, 4, 1000))) == pytest.approx(asdict(MODEL))


def test_four_times_the_size_is_predicted() -> None:
    larger = run_of(MODEL, 16, 1000)
    predicted = CostModel.fit(run_of(MODEL, 4, 1000)).seconds(larger.words, larger.shards)
    # 10 to start, 16 shards of 1 second, 16 times half a second between them.
    assert predicted == pytest.approx(larger.seconds) == pytest.approx(34.0)
    assert error_percent(predicted, larger.seconds) == pytest.approx(0.0, abs=1e-9)
    assert error_percent(34.0, 40.0) == pytest.approx(-15.0)


def test_workers_share_the_shards_in_rounds() -> None:
    """Five shards of two workers take three rounds, and more workers than shards have nothing."""
    assert MODEL.seconds(5000, 5, 2) == pytest.approx(10.0 + 3 * 1.5)
    assert MODEL.seconds(5000, 5, 5) == MODEL.seconds(5000, 5, 64) == pytest.approx(11.5)


def test_efficiency_of_workers() -> None:
    """It is none of the start, and a worker that is alone has all of its speed."""
    slower = replace(MODEL, efficiency=0.8)
    run = run_of(slower, 16, 1000, workers=2)
    assert run.seconds == pytest.approx(10.0 + 8 * 1.5 / 0.8)
    assert MODEL.measured_efficiency(run) == pytest.approx(0.8)
    assert slower.seconds(1000, 1, 1) == MODEL.seconds(1000, 1, 1)
    assert MODEL.measured_efficiency(replace(run, seconds=11.0)) == 1.0


def test_what_a_corpus_costs() -> None:
    """1,800 sentences: 36,000 words, 180,000 bytes, 18 shards of 2 seconds and a half."""
    cost = MODEL.cost(1800, cores=4, shard_bytes=10_000, price_per_core_hour=0.5)
    seconds = 10.0 + 5 * 2.5
    assert (cost.shards, cost.input_bytes, cost.output_bytes) == (18, 180_000, 288_000)
    assert cost.hours == pytest.approx(seconds / 3600)
    assert cost.core_hours == pytest.approx(4 * seconds / 3600)
    assert cost.price == pytest.approx(2 * seconds / 3600)
    assert cost.figures()["hours"] == pytest.approx(0.00625)


def test_costs_of_sizes_and_machines() -> None:
    models = {"parquet": MODEL, "conllu": replace(MODEL, output_bytes_per_word=3.0)}
    rows = costs(models, [10**6, 10**8], [16, 64], 4e6, 0.04)
    assert [(row["sentences"], row["cores"]) for row in rows] == [
        (10**6, 16), (10**6, 64), (10**8, 16), (10**8, 64),
    ]  # fmt: skip
    assert rows[0]["output_bytes"] == {"parquet": 160e6, "conllu": 60e6}


@pytest.mark.parametrize(
    ("change", "says"),
    [({"workers": 2}, "one worker, not of 2"), ({"words": 0}, "parsed no words")],
)
def test_runs_that_fit_no_model(change: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        CostModel.fit(replace(run_of(MODEL, 4, 1000), **change))


def test_a_run_by_its_manifest() -> None:
    """Between the records of shards lie the shard after the first one and what is between."""
    finished = [
        {"seconds": seconds, "words": 10, "sentences": 2, "bytes": 7} for seconds in (1.0, 2.0, 3.0)
    ]
    manifest = {
        "run": {"inputs": [{"bytes": 100}, {"bytes": 20}]},
        "shards": [{"finished": one} for one in finished],
    }
    run = measured_run(manifest, [112.5, 101.0, 106.75], 1, 20.0)
    assert run == MeasuredRun(
        workers=1,
        seconds=20.0,
        shard_seconds=6.0,
        seconds_between=3.25,
        shards=3,
        words=30,
        sentences=6,
        input_bytes=120,
        output_bytes=21,
    )
    assert measured_run(manifest, [112.5, 101.0, 106.75], 2, 20.0).seconds_between == 0.0


def test_other_sizes_and_prices_of_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are printed, and the result stays."""
    monkeypatch.setattr(record, "RESULTS", tmp_path)
    models = {"parquet": asdict(MODEL)}
    write_result("corpus_cost-one", 0, {"pipelines": {"sm": {"models": models}}})
    before = (tmp_path / "corpus_cost-one.json").read_bytes()
    capsys.readouterr()
    main("one", sentences=[1800], cores=[4], shard_mb=0.01, price=0.5)
    printed = capsys.readouterr().out
    assert "price at 0.5 a core-hour" in printed
    assert "| `sm` | 1,800 | 4 |" in printed
    assert (tmp_path / "corpus_cost-one.json").read_bytes() == before


@pytest.mark.parametrize(
    ("text", "says"), [(None, "no result corpus_cost-none"), (Path("a.txt"), "name a pipeline")]
)
def test_nothing_to_measure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: Path | None, says: str
) -> None:
    monkeypatch.setattr(record, "RESULTS", tmp_path)
    with pytest.raises(typer.BadParameter, match=says):
        main("none", text)

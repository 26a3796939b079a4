"""Files of results."""

from pathlib import Path

import pytest
import srsly

from benchmarks import record
from benchmarks.record import read_result, write_result


def test_a_result_says_how_fast_the_processor_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "RESULTS", tmp_path)
    write_result("speed-one", 0, {"words_per_second": 1})
    content = srsly.read_json(tmp_path / "speed-one.json")
    speed = content["machine"].pop("gigaflops")
    assert speed > 0
    now = read_result("speed-one").processor
    assert now.endswith(f" cores, {speed:.0f} GFLOPS")
    # Older files do not have it.
    srsly.write_json(tmp_path / "speed-one.json", content)
    assert read_result("speed-one").processor == now.rpartition(", ")[0]

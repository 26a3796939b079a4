"""The speed of engines from the times of shards, the memory of workers, and the texts for both."""

from itertools import islice
from pathlib import Path

import pytest
import typer

from benchmarks.corpus_texts import growing_text, lines_of_words, shuffled_lines
from benchmarks.corpus_throughput import ParsedShard, memory_growth, steady_speed


def test_speed_of_one_worker() -> None:
    """Its first shard does not count, and what is between shards does."""
    shards = [
        ParsedShard(100.0, 90.0, 10),
        ParsedShard(103.0, 2.0, 300),
        ParsedShard(106.0, 2.0, 300),
    ]
    assert steady_speed(shards, 1) == pytest.approx(600 / 5)


def test_speed_of_two_workers() -> None:
    """From the time when both parse, to that when one of them has no more."""
    first = [ParsedShard(10.0 + n, 1.0, 100) for n in range(10)]
    second = [ParsedShard(12.5 + 2 * n, 2.0, 100) for n in range(4)]
    # From 10.5 to 18.5: eight shards of the first one and four of the second one.
    assert steady_speed([*first, *second], 2) == pytest.approx(150.0)


def test_workers_that_never_parse_at_one_time() -> None:
    shards = [ParsedShard(float(n), 1.0, 10) for n in range(6)]
    with pytest.raises(typer.BadParameter, match=r"2 workers never .*--words"):
        steady_speed(shards, 2)


def test_growth_is_that_after_the_first_sentences() -> None:
    told = [(50, 10**6), (100, 2 * 10**6), (150, 3 * 10**6), (200, 2 * 10**6)]
    figures = memory_growth(told, 100)
    assert figures["growth_percent"] == 50.0
    assert (figures["megabytes_first"], figures["megabytes_last"]) == (2.0, 2.0)
    assert figures["megabytes_over_sentences"] == {"50": 1.0, "100": 2.0, "150": 3.0, "200": 2.0}
    with pytest.raises(typer.BadParameter, match="a worker parsed 200 sentences, and --first is"):
        memory_growth(told, 200)


def test_copies_of_a_text_have_words_of_their_own() -> None:
    lines = [" ".join(f"w{n}" for n in range(30)), "a b"]
    copies = list(islice(growing_text(lines), 6))
    assert copies[:2] == lines
    for place in (0, 1):
        words = [line.split() for line in copies[place::2]]
        differ = [one for one in zip(*words, strict=True) if len(set(one)) > 1]
        assert differ == [[("w10", "w10b", "w10c")], [("b", "bb", "bc")]][place]


def test_a_sample_of_words(tmp_path: Path) -> None:
    lines = [f"line number {n}" for n in range(20)]
    (tmp_path / "a.txt").write_text("\n\n".join(lines))
    shuffled = shuffled_lines(tmp_path / "a.txt")
    assert shuffled != lines
    assert sorted(shuffled) == sorted(lines)
    assert lines_of_words(shuffled, 4, 6) == [shuffled[:2], shuffled[2:4]]
    with pytest.raises(typer.BadParameter, match="too short for 61 words"):
        lines_of_words(shuffled, 61)

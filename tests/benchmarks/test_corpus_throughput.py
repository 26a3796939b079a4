"""The speed of workers from the times of files, their memory, and the texts for both."""

from itertools import islice
from pathlib import Path

import pytest
import typer

from benchmarks.corpus_texts import growing_text, lines_of_words, shuffled_lines
from benchmarks.corpus_throughput import memory_growth, steady_speed


def test_speed_is_that_after_the_first_files() -> None:
    ends = [(10.0, 90), (11.0, 10), (12.0, 200), (13.0, 100), (15.0, 100)]
    assert steady_speed(ends, 2) == pytest.approx(400 / 4)
    with pytest.raises(typer.BadParameter, match="2 workers parsed 2 files"):
        steady_speed(ends[:2], 2)


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

"""The page about large corpora, with results and without."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks import record
from benchmarks.corpus_throughput import memory_growth
from benchmarks.pages.large_corpora import large_corpora_page
from benchmarks.pages.page import render
from benchmarks.record import write_result


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of results. The command of those that are written there has a name."""
    monkeypatch.setattr(record, "RESULTS", tmp_path)
    monkeypatch.setattr("sys.argv", ["benchmark.py", "--name", "made-up"])
    return tmp_path


def rows(page: str, section: str) -> list[list[str]]:
    """The cells of the table of a section, without its head."""
    text = page.partition(f"## {section}\n")[2].partition("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return cells(lines)


def cells(table: list[str]) -> list[list[str]]:
    """The cells of the lines of a table, without its head."""
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table[2:]]


def throughput(**speed: Any) -> dict[str, Any]:
    words = {"loop": 1000, "one_process": 950, "2_processes": 1805}
    return {
        "sm": {
            "speed": {
                "format": "parquet",
                "processes": 2,
                "runs": 3,
                "words_per_second": words,
                "one_process_of_loop": 0.95,
                "processes_of_one": 1.9,
                "ray_of_local": None,
                **speed,
            },
            "memory": [
                memory_growth([(10_000, 10**9), (20_000, last)], 10_000)
                for last in (1_020_000_000, 1_070_000_000)
            ],
        }
    }


def test_without_results_nothing_is_measured(results: Path) -> None:
    page = large_corpora_page()
    assert page.results() == set()
    text = render(page)
    assert [row[-1] for row in rows(text, "At a glance")] == ["not measured"] * 5
    for section in page.sections:
        assert section.tables({}) == "Not measured."


def test_goals_and_what_was_measured(results: Path) -> None:
    write_result("corpus_throughput-one", 0, throughput())
    write_result("corpus_throughput-two", 0, throughput(ray_of_local=0.987))
    kills = {"local": {"killed": 29, "equal": 30}}
    write_result("corpus_kills-one", 0, {"sm": kills})
    page = large_corpora_page()
    assert len(page.results()) == 3
    text = render(page)
    measured = [row[2:] for row in rows(text, "At a glance")]
    assert measured == [
        *[["`sm`", "0.95"]] * 2,
        *[["`sm`", "1.90"]] * 2,
        ["`sm`", "not measured"],
        ["`sm`", "0.99"],
        *[["`sm`", "7.0"]] * 2,
        ["", "not measured"],
    ]
    assert ["`sm`", "parquet", "Ray, 2", "not measured"] in rows(text, "Speed")
    assert rows(text, "Memory of workers")[1][:5] == [
        "`sm`", "2", "1,000 after 10,000", "1,070 after 20,000", "7.0",
    ]  # fmt: skip
    assert rows(text, "Killed runs") == [["`sm`", "local", "29", "30"]]


def test_self_training_has_a_section_when_it_was_measured(results: Path) -> None:
    row = {"runs": [{}, {}], "const_f": 80.125, "const_f_spread": 0.5}
    longer = {**row, "runs": [{"updates": 3000}, {"updates": 3000}]}
    silver = [{"sentences": {"written": n}} for n in (100, 200)]
    figures = {
        "gold_sentences": 5000,
        "configs": {"student": "configs/small.cfg", "second": "configs/large.cfg"},
        "silver_parses": "second parser",
        "share": 0.9,
        "updates": 2000,
        "rows": {
            "gold": {**row, "const_f": 78.0},
            "second parser": longer,
            "two parsers": row,
            "all gold": row,
        },
        "silver": {"two parsers": silver},
    }
    assert "## Self-training" not in render(large_corpora_page())
    write_result("self_training-craft", 0, figures)
    one = {"runs": [{}], "conll18_las": 90.0, "text_conll18_las": 85.5}
    arcs = {
        "gold_sentences": 7000,
        "configs": {"student": "configs/arcs.cfg", "second": "configs/arcs.cfg"},
        "share": 1.0,
        "updates": None,
        "text": "gum",
        "rows": {"one parser": one},
        "silver": {"one parser": silver},
    }
    write_result("self_training-ewt", 0, arcs)
    text = render(large_corpora_page())
    assert (
        "CRAFT: the parser is `small`, the second one `large`. Two parses agree from 0.9 on; those "
        "of the second are kept." in text
    )
    assert "EWT, with the text of GUM: the parser is `arcs`." in text
    # With heads alone, as on EWT, F1 has no row.
    assert rows(text, "At a glance")[-1][2:] == ["`small`, `large`, from 0.9 on", "2.12"]
    craft, ewt = (
        cells(lines.splitlines())
        for lines in text.partition("## Self-training")[2].split("\n\n")
        if lines.startswith("|")
    )
    assert craft == [
        ["gold", "5,000", "", "2,000", "78.00", "0.50", "2"],
        ["second parser", "5,000", "", "3,000", "80.12", "0.50", "2"],
        ["two parsers", "5,000", "150", "2,000", "80.12", "0.50", "2"],
        ["all gold", "", "", "2,000", "80.12", "0.50", "2"],
    ]
    assert ewt == [["one parser", "7,000", "150", "", "90.00", "", "85.50", "", "1"]]

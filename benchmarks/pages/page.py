"""A page of results: sections of text and tables, each with the commands behind its figures."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..record import Figures, Result, read_result
from .chart import draw_column
from .command import shown_command
from .markdown import Cell, table

ByName = Mapping[str, Figures]
"""The figures of results, by the names of their files."""


def treebank_of(result: str) -> str:
    """The treebank of a result, as its name has it after that of the benchmark."""
    return result.split("-")[1].upper()


ABOUT_COMMITS = """
The commit is that of scoring; a training run can be older. "With uncommitted changes" means that
the code differed from this commit in ways that were not kept, so the command may give other
figures. The results are the files of these names in `benchmarks/results/`."""


@dataclass(frozen=True)
class Section:
    """A section of a page.

    Attributes:
        title: The heading.
        text: What the tables show, in Markdown.
        results: Names of the results that the tables are made of.
        tables: Makes the tables from the figures of these results.
        picture: Name of a picture in ``docs/images/``.
    """

    title: str
    text: str
    results: tuple[str, ...]
    tables: Callable[[ByName], str]
    picture: str | None = None


@dataclass(frozen=True)
class Page:
    """A page.

    Attributes:
        name: Name of the file in ``docs/results/``, without its ending.
        title: The heading.
        summary: The first section.
        sections: The sections with the details.
        charted: The column of the first table that is drawn below it.
    """

    name: str
    title: str
    summary: Section
    sections: tuple[Section, ...]
    charted: str | None = None

    def results(self) -> set[str]:
        """Names of all results that the page shows."""
        return {name for section in (self.summary, *self.sections) for name in section.results}


def render(page: Page) -> str:
    """The page in Markdown: tables first, and the commands behind them in a fold at the end."""
    results = {name: read_result(name) for name in page.results()}
    figures = {name: result.figures for name, result in results.items()}
    text, *tables = _body(page.summary, figures)
    parts = [
        f"# {page.title}",
        "<!-- Written by `python -m benchmarks.make_results`; do not edit. -->",
        f"## {page.summary.title}",
        *tables,
        *(f"![{page.charted}](../images/{name})" for name in chart(page)),
        text,
    ]
    for section in page.sections:
        parts += [f"## {section.title}", *_body(section, figures)]
    if results:
        parts.append(_provenance(page, results))
    return "\n\n".join(part for part in parts if part) + "\n"


def chart(page: Page) -> dict[str, str]:
    """The picture of the first table, by its name in ``docs/images/``."""
    if page.charted is None:
        return {}
    figures = {name: read_result(name).figures for name in page.summary.results}
    return {f"results-{page.name}.svg": draw_column(page.summary.tables(figures), page.charted)}


def _unwrapped(text: str) -> str:
    """A paragraph or an item on one line, as in the pages that are written by hand."""
    return re.sub(r"(?<!\n)\n(?!\n|\s*- )\s*", " ", text.strip())


def _body(section: Section, figures: dict[str, Figures]) -> list[str]:
    tables = section.tables({name: figures[name] for name in section.results})
    parts = [_unwrapped(section.text), tables]
    if section.picture:
        parts.append(f"![{section.title}](../images/{section.picture})")
    return parts


def _provenance(page: Page, results: dict[str, Result]) -> str:
    """The command, commit, date and processor behind each result, and the versions of packages."""
    rows: dict[str, list[Cell]] = {}
    for section in (page.summary, *page.sections):
        for name in section.results:
            result = results[name]
            state = " with uncommitted changes" if result.is_dirty else ""
            commit = result.commit.removesuffix("-dirty") + state
            measured = f"{commit}, {result.date}, {result.processor}"
            rows.setdefault(name, [name, measured, f"`{shown_command(result)}`"])
    return "\n\n".join(
        [
            "## How it was measured",
            "<details>\n<summary>Commands, commits and versions</summary>",
            _unwrapped(ABOUT_COMMITS),
            table(["result", "commit, date, processor", "command"], list(rows.values())),
            _versions(results),
            "</details>",
        ]
    )


def _versions(results: dict[str, Result]) -> str:
    """The versions of packages, once where they are the same for all results."""
    by_versions: dict[str, list[str]] = {}
    for name in sorted(results):
        versions = ", ".join(f"{k} {v}" for k, v in results[name].versions.items())
        by_versions.setdefault(versions, []).append(name)
    if len(by_versions) == 1:
        return f"All figures: {next(iter(by_versions))}."
    return "\n".join(
        f"- {versions}: {', '.join(names)}." for versions, names in by_versions.items()
    )

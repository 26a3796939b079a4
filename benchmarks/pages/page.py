"""A page of results: sections of text and tables, each with the commands behind its figures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..record import Figures, Result, read_result
from .command import shown_command

ByName = Mapping[str, Figures]
"""The figures of results, by the names of their files."""


def treebank_of(result: str) -> str:
    """The treebank of a result, as its name has it after that of the benchmark."""
    return result.split("-")[1].upper()


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
        summary: The first section, whose commands stand in the others.
        sections: The sections with the details.
    """

    name: str
    title: str
    summary: Section
    sections: tuple[Section, ...]

    def results(self) -> set[str]:
        """Names of all results that the page shows."""
        return {name for section in (self.summary, *self.sections) for name in section.results}


def render(page: Page) -> str:
    """The page in Markdown."""
    results = {name: read_result(name) for name in page.results()}
    parts = [
        f"# {page.title}",
        "<!-- Written by `python -m benchmarks.make_results`; do not edit. -->",
        _about_commits(results),
        *_body(page.summary, results),
    ]
    places: dict[str, str] = {}
    for section in page.sections:
        parts += _body(section, results)
        if section.results:
            parts.append(_commands(section, results, places))
    if results:
        parts += ["## Versions", _versions(results)]
    return "\n\n".join(parts) + "\n"


def _about_commits(results: dict[str, Result]) -> str:
    """What the commits of results say, and which results have uncommitted changes."""
    dirty = ", ".join(f"`{name}.json`" for name in sorted(results) if results[name].is_dirty)
    return (
        '"Commands" under a table names the commit of its figures, which is that of scoring: a\n'
        'training run can be older. "With uncommitted changes" means that the code differed from\n'
        "this commit, in ways that are not kept, so that the command may give other figures.\n"
        f"With uncommitted changes on this page: {dirty or 'none'}."
    )


def _body(section: Section, results: dict[str, Result]) -> list[str]:
    figures = {name: results[name].figures for name in section.results}
    parts = [f"## {section.title}", section.text.strip(), section.tables(figures)]
    if section.picture:
        parts.append(f"![{section.title}](../images/{section.picture})")
    return [part for part in parts if part]


def _commands(section: Section, results: dict[str, Result], places: dict[str, str]) -> str:
    """The commands of a section. ``places`` has the results that earlier sections name."""
    parts = ["<details>\n<summary>Commands</summary>"]
    for name in section.results:
        if name in places:
            parts.append(f"`{name}.json`: as in {places[name]}.")
            continue
        places[name] = section.title
        result = results[name]
        commit = result.commit.removesuffix("-dirty")
        state = " with uncommitted changes" if result.is_dirty else ""
        parts += [
            f"`{name}.json`: commit {commit}{state}, {result.date}, {result.processor}.",
            "<!-- not run: needs a treebank -->",
            f"```bash\n{shown_command(result)}\n```",
        ]
    return "\n\n".join([*parts, "</details>"])


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

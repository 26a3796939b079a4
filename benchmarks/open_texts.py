"""Make plain text of open books and websites, one paragraph a line, for a teacher to parse.

    python -m benchmarks.open_texts assets/downloads/texts corpus/texts \\
        --exclude corpus/release/dev --exclude corpus/release/test

All may be used for any purpose, with attribution where the licence asks for it. Each source is an
archive of a pinned commit on GitHub, which is downloaded unless it is there. Paragraphs that share
eight words in a row with an excluded `.spacy` file are left out and counted.
"""

import re
import tarfile
import urllib.request
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Annotated
from xml.etree import ElementTree

import spacy
import srsly
import typer
from markdown_it import MarkdownIt

from spacy_structparse.corpora.docbins import read_docs
from spacy_structparse.files import write_atomically

BOOKS = {
    "agatha-christie_the-mysterious-affair-at-styles": "5daaa8ab33f8bad4e1da19e38b728f3d82262956",
    "aldous-huxley_crome-yellow": "9831494c91107cf7b57bb08cba933bd718bf1ea6",
    "bertrand-russell_the-problems-of-philosophy": "6d2f24b18a4263d7ca43022163cfa9e1f366c9ba",
    "dorothy-l-sayers_whose-body": "cbac833aef94741df77058efd748ec9ebf31956a",
    "e-m-forster_a-passage-to-india": "bdd62cfab22b2058b0a38bbcf5bb53882a934cb9",
    "ernest-hemingway_the-sun-also-rises": "250a5cec3785e00a50d0e3597a22f2d5c1ce5c68",
    "f-scott-fitzgerald_the-great-gatsby": "194dc118c0f998da3bc5443d97370e16781b899a",
    "fritz-leiber_short-fiction": "f48a868a6a41eb2a3cdd9e106be74902331d5c0d",
    "g-k-chesterton_the-innocence-of-father-brown": "c422d6b6d9e1564a6f02d1ad9d865a191971c273",
    "h-beam-piper_short-fiction": "9cc9fa4e901236f70e677856a86718830fdca117",
    "john-dos-passos_manhattan-transfer": "02dd1411799e84eb20185c15d2b6710105dfc941",
    "p-g-wodehouse_right-ho-jeeves": "30a8d6c863bffc118cd8b5e91797cceedd7fecbe",
    "philip-k-dick_short-fiction": "e423075ad1322ec9cbeee71c8e9034fbe1003b36",
    "poul-anderson_short-fiction": "fc9246a8b4a5f12a2c462f17c8b9b3978e9db8dd",
    "robert-sheckley_short-fiction": "08142fa9d3695dc3663388ab18e051c00ef5af45",
    "sinclair-lewis_babbitt": "6ea7c30d6e2c9d1cd4a49d86f30d6d06ee74ba2c",
    "virginia-woolf_mrs-dalloway": "88fdfad6d5b8432d00e125162811dc3336afa957",
}
"""Editions of Standard Ebooks (CC0) of books in the public domain, and their commits."""
SITES = {
    "18F/18f.gsa.gov": ("0a55c75e6d9bc71c80136a3867dac52356177443", r"content/posts/.*\.md", "CC0"),
    "18F/handbook": ("1e4955634d0369f17e5bbc0ebbf8f62e2a3dfe4b", r"pages/.*\.md", "CC0"),
    "GSA/digitalgov.gov": ("4979583206d90ff1707b097454a9b169ca9e95e4", r"content/.*\.md", "CC0"),
    "github/opensource.guide": (
        "ebc9678e39b55ff5e5c8801d1960904692188e90", r"_articles/[^/]*\.md", "CC BY 4.0",
    ),
    "openstax/osbooks-college-success": (
        "695b838a0a0dd584af30eba4f77b2c5ba5fafd15", r"modules/.*\.cnxml", "CC BY 4.0",
    ),
}  # fmt: skip
SOURCES = {
    **{f"standardebooks/{b}": (c, r"src/epub/text/.*\.xhtml", "CC0") for b, c in BOOKS.items()},
    **SITES,
}
NOT_TEXT = {"colophon", "uncopyright", "imprint", "titlepage", "halftitlepage", "endnotes", "loi"}
MIN_WORDS, SHARED = 4, 8
"""Words that a paragraph has at least, and that two may not have in common in a row."""


def of_xml(data: bytes) -> Iterator[str]:
    """Yield the paragraphs of XHTML or CNXML, without those that hold formulas."""
    for element in ElementTree.fromstring(data).iter():
        if element.tag.rpartition("}")[2] not in ("p", "para"):
            continue
        for child in list(element.iter()):
            if "noteref" in "".join(child.attrib.values()):
                child.text = ""
        if not any("MathML" in child.tag for child in element.iter()):
            yield "".join(element.itertext())


def of_markdown(data: bytes) -> Iterator[str]:
    """Yield the paragraphs of Markdown, without those that templates fill in."""
    text = re.sub(r"\A---\n.*?\n---\n", "", data.decode("utf8"), flags=re.DOTALL)
    blocks = MarkdownIt("commonmark", {"html": False}).enable("table").parse(text)
    for before, block in pairwise(blocks):
        if before.type == "paragraph_open" and not re.search(r"\{[{%<]|\]\[|</?\w", block.content):
            parts = block.children or []
            yield "".join(" " if part.type.endswith("break") else part.content for part in parts)


def paragraphs_of(archive: Path, pattern: str) -> Iterator[str]:
    """Yield the paragraphs of the files of an archive whose names match."""
    with tarfile.open(archive) as files:
        for member in files:
            path = PurePosixPath(member.name)
            inside = str(PurePosixPath(*path.parts[1:]))  # without the folder of the archive
            if not re.fullmatch(pattern, inside) or path.stem in NOT_TEXT:
                continue
            data = files.extractfile(member).read()  # type: ignore[union-attr]
            yield from (of_markdown if path.suffix == ".md" else of_xml)(data)


def n_grams(text: str) -> set[tuple[str, ...]]:
    """Return all sequences of SHARED words, in lower case."""
    words = re.findall(r"\w+", text.lower())
    return set(zip(*(words[i:] for i in range(SHARED)), strict=False))


def main(
    archives: Annotated[Path, typer.Argument(help="Folder of the downloads")],
    output: Annotated[Path, typer.Argument(help="Folder for the texts")],
    exclude: Annotated[list[Path], typer.Option(help="Folder of .spacy files, repeatable")],
) -> None:
    """Write a text for each source, and a report."""
    vocab = spacy.blank("en").vocab
    excluded: set[tuple[str, ...]] = set()
    for path in sorted(file for folder in exclude for file in folder.glob("*.spacy")):
        excluded.update(*(n_grams(doc.text) for doc in read_docs(path, vocab)))
    report, seen = [], set()
    for repository, (commit, pattern, licence) in SOURCES.items():
        archive = archives / f"{repository.replace('/', '+')}.tar.gz"
        if not archive.exists():
            url = f"https://codeload.github.com/{repository}/tar.gz/{commit}"
            with urllib.request.urlopen(url) as response:
                write_atomically(archive, response.read())
        lines, shared = [], 0
        for paragraph in paragraphs_of(archive, pattern):
            line = " ".join(paragraph.replace("\u2060", "").replace("\u200a", "").split())
            if len(line.split()) < MIN_WORDS or line in seen:
                continue
            seen.add(line)
            if excluded & n_grams(line):
                shared += 1
            else:
                lines.append(line)
        text = "\n".join(lines) + "\n"
        write_atomically(output / f"{archive.name.split('.tar')[0]}.txt", text.encode("utf8"))
        facts = {"source": repository, "commit": commit, "licence": licence}
        report.append({**facts, "words": len(text.split()), "shared_paragraphs": shared})
        print(report[-1])
    srsly.write_json(output / "report.json", report)


if __name__ == "__main__":
    typer.run(main)

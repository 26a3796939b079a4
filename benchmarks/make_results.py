"""Write ``docs/results/`` and the first pages' table from ``benchmarks/results/*.json``.

python -m benchmarks.make_results
python -m benchmarks.make_results --check
"""

from pathlib import Path
from typing import Annotated

import typer

from spacy_structparse.files import write_atomically

from .pages import PAGES
from .pages.front import FILES, with_table
from .pages.page import chart, render
from .record import RESULTS, ROOT

FOLDER = ROOT / "docs" / "results"


def main(
    folder: Annotated[Path, typer.Option(help="Where the pages are")] = FOLDER,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if a page is out of date")
    ] = False,
) -> None:
    """Write the pages, or check that they are up to date."""
    shown = {name for page in PAGES for name in page.results()}
    unused = sorted({path.stem for path in RESULTS.glob("*.json")} - shown)
    if unused:
        raise SystemExit(
            f"No page shows {', '.join(unused)}: remove it from {RESULTS}, or add it to a page in "
            "benchmarks/pages."
        )
    stale = []
    contents = {folder / f"{page.name}.md": render(page) for page in PAGES}
    for page in PAGES:
        for name, picture in chart(page).items():
            contents[ROOT / "docs" / "images" / name] = picture
    for path in (ROOT / name for name in FILES):
        contents[path] = with_table(path.read_text(encoding="utf8"))
    for path, content in contents.items():
        if check:
            if not path.exists() or path.read_text(encoding="utf8") != content:
                stale.append(path.name)
        else:
            write_atomically(path, content.encode())
    if stale:
        raise SystemExit(f"Out of date: {', '.join(stale)}; run python -m benchmarks.make_results.")


if __name__ == "__main__":
    typer.run(main)

"""Names of pages that Sphinx writes itself, in place of a page of that name."""

from tests.helpers.paths import ROOT

RESERVED = {"search", "genindex", "modindex", "py-modindex"}


def test_no_page_has_a_name_of_sphinx() -> None:
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert "index" in pages
    assert not pages & RESERVED

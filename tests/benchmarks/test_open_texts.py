"""`benchmarks.open_texts`: paragraphs of archives, without those of dev and test parts."""

import io
import tarfile

import spacy
import srsly
from spacy.tokens import DocBin

from benchmarks import open_texts

FILES = {
    "book-1a2b/text/one.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><body><h2>I</h2>'
    '<p>She read <i>all</i> of\n it.<a epub:type="noteref" xmlns:epub="e">1</a></p>'
    '<p>Energy is <math xmlns="http://www.w3.org/1998/Math/MathML">E</math> here.</p>'
    "</body></html>",
    "book-1a2b/text/colophon.xhtml": "<p>Nobody reads the colophon of a book.</p>",
    "book-1a2b/posts/two.md": "---\ntitle: Not text at all here\n---\n\n"
    "# A heading of many words\n\nWe *like* the [old\nhouse](x.html) here.\n\n"
    "{{ box }} fills this in later.\n\nToo short.\n\n"
    "And so they all lived there for many years, in peace.\n",
}


def test_paragraphs_become_lines(tmp_path, monkeypatch):
    source = ("1a2b", r"(text|posts)/.*", "CC0")
    monkeypatch.setattr(open_texts, "SOURCES", {"owner/book": source})
    (tmp_path / "in").mkdir()
    with tarfile.open(tmp_path / "in" / "owner+book.tar.gz", "w:gz") as archive:
        for name, text in FILES.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    doc = spacy.blank("en")("They say: and so they all lived there for many more.")
    DocBin(docs=[doc]).to_disk(tmp_path / "dev.spacy")
    open_texts.main(tmp_path / "in", tmp_path / "out", [tmp_path])
    text = (tmp_path / "out" / "owner+book.txt").read_text()
    assert text == "She read all of it.\nWe like the old house here.\n"
    (report,) = srsly.read_json(tmp_path / "out" / "report.json")
    assert report["shared_paragraphs"] == 1 and report["words"] == 11

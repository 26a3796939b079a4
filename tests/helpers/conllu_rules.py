"""The rules of the CoNLL-U format that outputs keep.

https://universaldependencies.org/format.html and /v2/enhanced-dependencies
"""

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from spacy_structparse.errors import ReadError
from spacy_structparse.scoring.conll18.reader import score_files

FEATS = re.compile(r"_|[A-Z][A-Za-z0-9\[\]]*=[^=|\s]+(\|[A-Z][A-Za-z0-9\[\]]*=[^=|\s]+)*")


def broken_rules(text: str) -> list[str]:
    """Each breach of the format's rules in a CoNLL-U text: what cannot be scored (as the official
    program decides, see `tests/scoring/test_conll18.py`), and what its reader does not look at."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.conllu"
        path.write_text(text, encoding="utf-8")
        try:
            score_files(path, path)
        except ReadError as error:
            return [str(error)]
    return [problem for block in text.split("\n\n")[:-1] for problem in _of_sentence(block)]


def _of_sentence(block: str) -> Iterator[str]:
    for key in ("sent_id", "text"):
        if len(re.findall(rf"^# {key} = ", block, re.MULTILINE)) != 1:
            yield f"not one {key}: {block}"
    for row in (line.split("\t") for line in block.split("\n") if not line.startswith("#")):
        is_word = row[0].isdigit()
        if not FEATS.fullmatch(row[5]):
            yield f"FEATS: {row}"
        if is_word and (row[6] == "0") != (row[7] == "root"):
            yield f"head 0 and relation root do not go together: {row}"
        if not is_word and row[6:8] != ["_", "_"]:
            yield f"annotation of no word: {row}"
        if any(value != value.strip() or not value for value in row):
            yield f"an empty value, or spaces around one: {row}"

"""A small corpus for `parse-corpus`, a pipeline that can fail in it, and what came of it."""

import json
from collections.abc import Callable
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from tests.helpers.paths import SAVED

WORDS = "the cook stirs a thick soup".split()
DO: dict[str, Callable[[], object]] = {}
"""What happens when a text is parsed, by the text."""
OUTPUTS = ("part-", "errors.jsonl")


def do_at_text(doc: Doc) -> Doc:
    DO.get(doc.text, int)()
    return doc


Language.component("test_do_at_text", func=do_at_text)


def make_model(folder: Path) -> Path:
    """A pipeline of both kinds of parsers, in which things can happen."""
    nlp = spacy.load(SAVED / "spa_bot_biaffine")
    nlp.add_pipe("seq2seq_constituency", source=spacy.load(SAVED / "trees_in_order_datt"))
    nlp.add_pipe("test_do_at_text", first=True)
    nlp.to_disk(folder)
    return folder


def text(number: int) -> str:
    """Every document is another one."""
    return f"{' '.join(WORDS[number % 3 :] + WORDS[: number // 2])} {number}"


def make_corpus(folder: Path) -> Path:
    """Texts 0 to 7 as a text file, and 8 to 11 as JSON lines."""
    folder.mkdir()
    (folder / "a.txt").write_text("".join(f"{text(n)}\n" for n in range(8)))
    lines = (json.dumps({"text": text(n), "id": n}) for n in range(8, 12))
    (folder / "b.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return folder


def outputs(folder: Path) -> dict[str, bytes]:
    """The files with parses and errors, which an undisturbed run has too, to the byte."""
    return {
        path.name: path.read_bytes()
        for path in sorted(folder.iterdir())
        if path.name.startswith(OUTPUTS)
    }

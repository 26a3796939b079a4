"""What a Doc keeps of the CoNLL-U that it was made of, where no attribute of spaCy holds it.

`doc.user_data[SOURCE]` is a dict: for the first token of a sentence, the sentence's lines in one
string. Comments and empty nodes are as they were, and multiword tokens whose line has more than
`doc.spans["multiword"]` says. A word's line is empty, or it has those columns that the Doc's
attributes do not spell, and the others empty. So what the Doc says costs one line end a word.
DocBin stores it, and `Doc.to_bytes`.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from spacy.tokens import Doc, Span

from .conllu_columns import COLUMNS, PLACE, is_range, sentence_rows

SOURCE = "spacy_structparse.conllu"


def keep_source(doc: Doc, sentences: Sequence[Sequence[str]]) -> None:
    """Keep CoNLL-U lines with a Doc that has their words and annotation.

    sentences: of each of the Doc's sentences, in order, the lines. Sentences may have none.
    """
    spans = list(doc.sents)
    assert len(spans) == len(sentences)
    kept = {
        span.start: _difference(lines, sentence_rows(span))
        for span, lines in zip(spans, sentences, strict=True)
        if lines
    }
    if kept:
        doc.user_data[SOURCE] = kept


def _difference(lines: Sequence[str], rows: Sequence[list[str]]) -> str:
    """The lines without what the Doc's own rows say already."""
    remaining = iter(rows)
    different: list[str] = []
    for line in lines:
        if not is_word_line(line):
            different.append(line)
            continue
        row = next(remaining)
        if is_range(row):
            if different and different[-1].split("\t") == row:
                different.pop()
            row = next(remaining)
        different.append(_word_difference(line, row))
    return "\n".join(different)


def is_word_line(line: str) -> bool:
    """Whether a line is a word's, and no comment, multiword token or empty node."""
    return line.partition("\t")[0].isdigit()


def comment_key(line: str) -> str:
    """The name in a comment, `sent_id` in `# sent_id = 1`; empty for a line that is none."""
    return line[1:].partition("=")[0].strip() if line.startswith("#") else ""


def _word_difference(line: str, word: list[str]) -> str:
    columns = line.split("\t")
    if columns == word:
        return ""
    different = [
        own if own != said else "" for own, said in zip(columns[1:], word[1:], strict=True)
    ]
    return "\t".join(["", *different]) if any(different) else ""


def sentence_source(sentence: Span, n_words: int) -> list[str] | None:
    """The lines kept of a sentence, or None where there are none, or none for this many words.

    Words' lines begin with a tab or are empty. A component that merges, splits or adds tokens
    leaves lines that do not fit.
    """
    kept: Any = sentence.doc.user_data.get(SOURCE)
    block = kept.get(sentence.start) if isinstance(kept, Mapping) else None
    if not isinstance(block, str):
        return None
    lines = block.split("\n")
    words = sum(not line or line[0] == "\t" for line in lines)
    whole = all(
        not line or line[0] == "#" or line.count("\t") == len(COLUMNS) - 1 for line in lines
    )
    return lines if words == n_words and whole else None


def forget_columns(doc: Doc, names: Collection[str]) -> None:
    """Leave out of the lines kept what they say of columns, which the Doc's attributes now say."""
    kept: Any = doc.user_data.get(SOURCE)
    if isinstance(kept, Mapping):
        places = [PLACE[name] for name in names]
        doc.user_data[SOURCE] = {start: _without(block, places) for start, block in kept.items()}


def _without(block: Any, places: Collection[int]) -> Any:
    if not isinstance(block, str) or "\n\t" not in f"\n{block}":
        return block
    lines = block.split("\n")
    for number, line in enumerate(lines):
        if line.startswith("\t"):
            columns = line.split("\t")
            for place in places:
                if place < len(columns):
                    columns[place] = ""
            lines[number] = "\t".join(columns) if any(columns) else ""
    return "\n".join(lines)


def copy_source(sentence: Span, target: Doc) -> None:
    """Keep with a Doc, made of a part of another one, the lines of the sentences in that part."""
    kept: Any = sentence.doc.user_data.get(SOURCE)
    if isinstance(kept, Mapping):
        start = sentence.start
        found = {
            place - start: kept[place] for place in range(start, sentence.end) if place in kept
        }
        if found:
            target.user_data[SOURCE] = found

"""The ten columns of CoNLL-U that the attributes of tokens spell, and the lines of the source.

`doc.user_data[SOURCE]` keeps what no attribute of spaCy holds. It is a dict: for the first token of
a sentence, the sentence's lines in one string. Comments and empty nodes are as they were, and
multiword tokens whose line has more than `doc.spans["multiword"]` says. A word's line is empty, or
it has those columns that the Doc's attributes do not spell, and the others empty. So what the Doc
says costs one line end a word. DocBin stores it, and `Doc.to_bytes`.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from spacy.tokens import Doc, Span, Token

from ..extensions.multiword import surface_units
from ..trees.words import is_word, words_of

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
PLACE = {name: place for place, name in enumerate(COLUMNS)}
EMPTY = "_"
REPLACED = "replaced"
"""The count, in the notes of a writer, of values that lost tabs, line breaks or spaces."""

# Tabs, and all that any reader of lines takes for the end of one.
_BREAKS = re.compile("[\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_SPACES = re.compile(r"\s+")


def sentence_rows(sentence: Span, notes: Counter[str] | None = None) -> list[list[str]]:
    """The lines of a sentence, each as ten columns: words, and ranges before their first word.

    Whitespace tokens have no line; a word that hangs on one hangs on the token's head. A head
    outside of the sentence, or none, is 0. Tabs and line breaks within a form or a lemma become a
    space, spaces within another value `_`, since the format cannot hold them.

    notes: counts the values that were changed in this way, as `REPLACED`.
    """
    notes = Counter() if notes is None else notes
    number = {token.i: place for place, token in enumerate(words_of(sentence), start=1)}
    rows = []
    for unit in surface_units(sentence):
        members = [token for token in sentence.doc[unit.start : unit.end] if token.i in number]
        in_range = len(members) > 1
        if in_range:
            limits = f"{number[members[0].i]}-{number[members[-1].i]}"
            form = _fitted(unit.form, _BREAKS, " ", notes)
            rows.append([limits, form, *[EMPTY] * 7, _misc(members[-1])])
        for token in members:
            # All words of a multiword token may have been merged into one.
            form = token.text if in_range else unit.form
            label = token.dep_ if token.dep_ != "ROOT" else "root"
            rows.append(
                [
                    str(number[token.i]),
                    _fitted(form, _BREAKS, " ", notes),
                    _fitted(token.lemma_, _BREAKS, " ", notes) or EMPTY,
                    _fitted(token.pos_, _SPACES, EMPTY, notes) or EMPTY,
                    _fitted(token.tag_, _SPACES, EMPTY, notes) or EMPTY,
                    _fitted(str(token.morph), _SPACES, EMPTY, notes) or EMPTY,
                    str(_head(token, number)) if token.has_dep() else EMPTY,
                    _fitted(label, _SPACES, EMPTY, notes) or EMPTY,
                    EMPTY,
                    EMPTY if in_range else _misc(token),
                ]
            )
    return rows


def is_range(row: list[str]) -> bool:
    """Return True for the row of a multiword token."""
    return "-" in row[0]


def _head(token: Token, number: dict[int, int]) -> int:
    head = token.head
    while not is_word(head) and head.head.i != head.i:
        head = head.head
    return number.get(head.i, 0) if head.i != token.i else 0


def _misc(token: Token) -> str:
    is_followed = token.i + 1 == len(token.doc) or not is_word(token.nbor())
    return EMPTY if token.whitespace_ or is_followed else "SpaceAfter=No"


def _fitted(value: str, pattern: re.Pattern[str], space: str, notes: Counter[str]) -> str:
    """The value with another space for what the format cannot hold."""
    if not pattern.search(value):
        return value
    notes[REPLACED] += 1
    return pattern.sub(space, value).strip()


SOURCE = "spacy_structparse.conllu"


def keep_source(doc: Doc, sentences: Sequence[Sequence[str]]) -> None:
    """Keep CoNLL-U lines with a Doc that has their words and annotation.

    sentences: of each of the Doc's sentences, in order, the lines. Sentences may have none.
    """
    blocks = {
        span.start: _difference(lines, sentence_rows(span))
        for span, lines in zip(doc.sents, sentences, strict=True)
        if lines
    }
    if blocks:
        doc.user_data[SOURCE] = blocks


def _difference(lines: Sequence[str], rows: Sequence[list[str]]) -> str:
    """The lines without what the Doc's own rows say already."""
    remaining = iter(rows)
    different: list[str] = []
    for line in lines:
        if line.partition("\t")[0].isdigit():  # no comment, multiword token or empty node
            row = next(remaining)
            if is_range(row):
                if different and different[-1].split("\t") == row:
                    different.pop()
                row = next(remaining)
            columns = zip(line.split("\t")[1:], row[1:], strict=True)
            own = ["", *(value if value != said else "" for value, said in columns)]
            line = "\t".join(own) if any(own) else ""
        different.append(line)
    return "\n".join(different)


def comment_key(line: str) -> str:
    """The name in a comment, `sent_id` in `# sent_id = 1`; empty for a line that is none."""
    return line[1:].partition("=")[0].strip() if line.startswith("#") else ""


def _blocks(doc: Doc) -> Mapping[int, Any]:
    """The lines kept of each sentence, by its first token. They may be damaged."""
    blocks: Any = doc.user_data.get(SOURCE)
    return blocks if isinstance(blocks, Mapping) else {}


def sentence_source(sentence: Span, n_words: int) -> list[list[str]] | None:
    """The lines kept of a sentence, or None where there are none, or none for this many words.

    Lines are columns, a comment a single one, and those of words begin with an empty one. A
    component that merges, splits or adds tokens leaves lines that do not fit.
    """
    block = _blocks(sentence.doc).get(sentence.start)
    if not isinstance(block, str):
        return None
    lines = [[line] if line.startswith("#") else line.split("\t") for line in block.split("\n")]
    lines = [line if line[0] or len(line) > 1 else [""] * len(COLUMNS) for line in lines]
    n_lines_of_words = sum(not line[0] for line in lines)
    is_whole = all(len(line) == len(COLUMNS) for line in lines if not is_comment(line))
    return lines if n_lines_of_words == n_words and is_whole else None


def is_comment(row: list[str]) -> bool:
    """Return True for a comment among the lines of a sentence."""
    return row[0].startswith("#")


def forget_columns(doc: Doc, names: Collection[str]) -> None:
    """Leave out of the lines kept what they say of columns, which the Doc's attributes now say."""
    places = [PLACE[name] for name in names]
    if blocks := _blocks(doc):
        doc.user_data[SOURCE] = {start: _without(block, places) for start, block in blocks.items()}


def _without(block: Any, places: Collection[int]) -> Any:
    if not isinstance(block, str) or "\n\t" not in f"\n{block}":
        return block
    lines = block.split("\n")
    for number, line in enumerate(lines):
        if line.startswith("\t"):
            columns = line.split("\t")
            own = ["" if place in places else value for place, value in enumerate(columns)]
            lines[number] = "\t".join(own) if any(own) else ""
    return "\n".join(lines)


def copy_source(sentence: Span, target: Doc) -> None:
    """Keep with a Doc, made of a part of another one, the lines of the sentences in that part."""
    blocks = _blocks(sentence.doc)
    start, end = sentence.start, sentence.end
    own = {place - start: blocks[place] for place in range(start, end) if place in blocks}
    if own:
        target.user_data[SOURCE] = own

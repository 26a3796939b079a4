"""The rules of the CoNLL-U format that outputs keep, written from its description.

https://universaldependencies.org/format.html and /v2/enhanced-dependencies
"""

import re

N_COLUMNS = 10
WORD, RANGE, NODE = (re.compile(rule) for rule in (r"[1-9]\d*", r"[1-9]\d*-[1-9]\d*", r"\d+\.\d+"))
FEATS = re.compile(r"_|[A-Z][A-Za-z0-9\[\]]*=[^=|\s]+(\|[A-Z][A-Za-z0-9\[\]]*=[^=|\s]+)*")


def broken_rules(text: str) -> list[str]:
    """Each breach of the format's rules in a CoNLL-U text, with the number of its line."""
    if text and not text.endswith("\n\n"):
        return ["the last sentence does not end in an empty line"]
    broken, start = [], 1
    for block in text.split("\n\n")[:-1]:
        lines = block.split("\n")
        broken += [f"line {start + place}: {rule}" for place, rule in _of_sentence(lines)]
        start += len(lines) + 1
    return broken


def _of_sentence(lines):
    comments = [line for line in lines if line.startswith("#")]
    for key in ("sent_id", "text"):
        if sum(line.startswith(f"# {key} = ") for line in comments) != 1:
            yield 0, f"not one {key}"
    if lines[: len(comments)] != comments:
        yield 0, "a comment behind a word"
    rows = [line.split("\t") for line in lines[len(comments) :]]
    ids = {row[0] for row in rows if not RANGE.fullmatch(row[0])}
    expected, covered, roots = 1, 0, 0
    for place, row in enumerate(rows, start=len(comments)):
        if len(row) != N_COLUMNS:
            yield place, f"{len(row)} columns"
            continue
        for column, value in enumerate(row):
            if not value:
                yield place, f"column {column + 1} is empty"
            elif value != value.strip() or (column not in (1, 2, 9) and re.search(r"\s", value)):
                yield place, f"space in column {column + 1}"
        if not FEATS.fullmatch(row[5]):
            yield place, "FEATS"
        for dependency in row[8].split("|") if row[8] != "_" else ():
            head, _, relation = dependency.partition(":")
            if not relation or (head not in ids and head != "0"):
                yield place, f"DEPS {dependency}"
        if WORD.fullmatch(row[0]):
            if row[0] != str(expected):
                yield place, f"id {row[0]} where {expected} was expected"
            expected += 1
            if row[6] != "_" and (row[6] not in ids | {"0"} or "." in row[6] or row[6] == row[0]):
                yield place, f"head {row[6]}"
            if (row[6] == "0") != (row[7] == "root"):
                yield place, f"head {row[6]} with the relation {row[7]}"
            roots += row[6] == "0"
        elif RANGE.fullmatch(row[0]):
            first, last = map(int, row[0].split("-"))
            if first != expected or not first < last or first <= covered:
                yield place, f"range {row[0]} before word {expected}"
            if set(row[2:9]) != {"_"}:
                yield place, "a range with annotation"
            covered = last
        elif NODE.fullmatch(row[0]):
            if row[0].partition(".")[0] != str(expected - 1) or row[6:8] != ["_", "_"]:
                yield place, f"empty node {row[0]}"
        else:
            yield place, f"id {row[0]}"
    if covered >= expected:
        yield 0, "a range behind the last word"
    if roots > 1:
        yield 0, f"{roots} roots"

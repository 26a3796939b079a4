"""A gold CoNLL-U text as a parser might get it wrong: other tokens, words, sentences, labels and
heads over the same characters, from a seed."""

from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random

from spacy_structparse.cycles import find_cycle

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL = range(8)
NEW_RELATIONS = ["nsubj", "obj", "nsubj:pass", "case", "det", "aux", "punct", "dep", "other", "_"]


@dataclass
class Item:
    """A word: its columns, a number of its own, and that of its head (0: root)."""

    columns: list[str]
    key: int
    head: int


@dataclass
class Token:
    form: str
    items: list[Item]
    is_range: bool


def read_tokens(path: Path) -> list[list[Token]]:
    """The tokens of each sentence of a valid file; empty nodes and comments are left out."""
    sentences = []
    first = 1
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line[0] != "#"]
        tokens: list[Token] = []
        last = 0
        n_words = 0
        for row in rows:
            if "." in row[ID]:
                continue
            if "-" in row[ID]:
                last = int(row[ID].split("-")[1])
                tokens.append(Token(row[FORM], [], True))
                continue
            n_words = int(row[ID])
            head = int(row[HEAD])
            item = Item(row, first + n_words - 1, first + head - 1 if head else 0)
            if n_words <= last:
                tokens[-1].items.append(item)
            else:
                tokens.append(Token(row[FORM], [item], False))
        first += n_words
        sentences.append(tokens)
    return sentences


def perturbed(path: Path, seed: int, segmentation: float, labels: float) -> str:
    """The text of a system's file.

    Args:
        path: The gold file.
        seed: Seed of the changes.
        segmentation: The share of tokens and of ends of sentences that change.
        labels: The share of words of which a label or the head changes.
    """
    rng = Random(seed)
    sentences = read_tokens(path)
    keys = count(1 + sum(len(token.items) for tokens in sentences for token in tokens))
    changed: list[list[Token]] = [[]]
    for tokens in sentences:
        for token in tokens:
            if rng.random() < segmentation:
                _resegment(changed[-1], token, rng, keys)
            else:
                changed[-1].append(token)
            if rng.random() < segmentation / 10:
                changed.append([])
        if rng.random() >= segmentation:
            changed.append([])
    return "".join(_written(tokens, rng, labels) for tokens in changed if tokens)


def _resegment(before: list[Token], token: Token, rng: Random, keys: count) -> None:
    """Add a token that is cut, joined with the one before it, made a range or made one word."""
    kind = rng.choice(["cut", "join", "range", "word", "forms"])
    first = token.items[0]
    if kind == "cut" and len(token.form) > 1:
        place = rng.randrange(1, len(token.form))
        rest = Item(first.columns.copy(), next(keys), first.key)
        before.append(Token(token.form[:place], [first], False))
        before.append(Token(token.form[place:], [rest], False))
    elif kind == "join" and before:
        last = before.pop()
        items = last.items + token.items if rng.random() < 0.5 else last.items[:1]
        before.append(Token(last.form + token.form, items, len(items) > 1))
    elif kind == "range":
        rest = Item(first.columns.copy(), next(keys), first.key)
        before.append(Token(token.form, [*token.items, rest], True))
    elif kind == "forms" and token.is_range:
        for item in token.items:
            item.columns[FORM] = rng.choice([str.upper, str.lower, str.title])(item.columns[FORM])
        before.append(Token(token.form, token.items, len(token.items) > 1))
    else:
        before.append(Token(token.form, [first], False))


def _written(tokens: list[Token], rng: Random, labels: float) -> str:
    items = [item for token in tokens for item in token.items]
    heads = _tree([item.head for item in items], [item.key for item in items])
    for index in range(len(items)):
        if rng.random() < labels:
            moved = [*heads[:index], rng.randrange(len(items)), *heads[index + 1 :]]
            # A root heads itself: it stays one, and no other word becomes one.
            if heads[index] != index != moved[index] and find_cycle(moved) is None:
                heads = moved
    lines = []
    number = 0
    for token in tokens:
        if token.is_range:
            ids = f"{number + 1}-{number + len(token.items)}"
            lines.append("\t".join([ids, token.form, *"_" * 8]))
        for item in token.items:
            head = 0 if heads[number] == number else heads[number] + 1
            number += 1
            columns = item.columns.copy()
            columns[ID], columns[HEAD] = str(number), str(head)
            columns[8:] = ["_", "_"]
            if not token.is_range:
                columns[FORM] = token.form
            if rng.random() < labels:
                _relabel(columns, rng)
            lines.append("\t".join(columns))
    return "\n".join(lines) + "\n\n"


def _relabel(columns: list[str], rng: Random) -> None:
    place = rng.choice([LEMMA, UPOS, XPOS, FEATS, DEPREL, DEPREL])
    columns[place] = {
        LEMMA: rng.choice(["_", columns[LEMMA].upper(), "x"]),
        UPOS: rng.choice(["NOUN", "VERB", "X"]),
        XPOS: rng.choice(["_", "NN"]),
        FEATS: rng.choice(["_", "Number=Sing", "Typo=Yes", f"Style=Arch|{columns[FEATS]}"]),
        DEPREL: rng.choice([*NEW_RELATIONS, columns[DEPREL].split(":")[0]]),
    }[place]


def _tree(heads: list[int], keys: list[int]) -> list[int | None]:
    """Positions of heads; the first word whose head is not in the sentence is the root (it heads
    itself), and the others of this kind hang on it."""
    place = {key: index for index, key in enumerate(keys)}
    root = next(index for index, head in enumerate(heads) if head not in place)
    found: list[int | None] = [place.get(head, root) for head in heads]
    return found

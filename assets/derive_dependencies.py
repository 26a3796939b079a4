"""Derive the sample treebank's dependencies (.conllu) from its trees (.ptb).

    python assets/derive_dependencies.py [OUTPUT_FOLDER]

The folder is ``assets/sample`` unless one is given. Heads come from ``phrases.py``, labels from
``labels.py``; moved phrases take the head and the label of their trace; what the rules get wrong is
put right by ``sample/corrections.tsv``.
"""

from __future__ import annotations

import csv
import os
import sys
from itertools import pairwise
from pathlib import Path

from conllu_text import spaced, universal_tag
from labels import phrase_label, token_label
from phrases import Node, conjuncts, head_child, head_token, split_label

from spacy_structparse.trees import Tree, read_trees

SAMPLE = Path(__file__).parent / "sample"
SPLITS = ("train", "dev", "test")

Arc = tuple[int, str]
"""Head (a token number, 0 for the root) and label."""


def build(tree: Tree) -> Node:
    """The tree as nodes with parents, its overt tokens numbered from 1."""
    number = 0

    def convert(part: Tree, parent: Node | None) -> Node:
        nonlocal number
        category, functions, index = split_label(part.label)
        node = Node(category, functions, index, part.word or "", parent=parent)
        if node.is_token and not node.is_empty:
            number += 1
            node.i = number
        node.children = [convert(child, node) for child in part.children]
        return node

    return convert(tree, None)


def traces(root: Node, kinds: tuple[str, ...] = ("*T*", "*ICH*")) -> dict[str, Node]:
    """Index to the phrase that holds nothing but the (first) trace with that index."""
    found: dict[str, Node] = {}
    for node in root.walk():
        if node.label == "-NONE-" and node.parent and node.form.startswith(kinds):
            phrase = node.parent
            while phrase.parent and phrase.parent.is_empty:
                phrase = phrase.parent
            found.setdefault(node.form.rpartition("-")[2], phrase)
    return found


def _label(child: Node, parent: Node, head: Node) -> str:
    if child.is_token:
        return token_label(child, parent, head)
    return phrase_label(child, parent, head)


def _attach_group(parent: Node, group: list[Node], arcs: dict[int, Arc]) -> Node:
    """Attach the members of a phrase, or of one conjunct of it, to its head child."""
    head = head_child(parent, group)
    for child in group:
        if child is not head:
            arcs[head_token(child).i] = (head_token(head).i, _label(child, parent, head))
    return head


def _attach_coordination(parent: Node, groups: list[list[Node]], arcs: dict[int, Arc]) -> None:
    """Chain the conjuncts; conjunctions and commas hang on the conjunct before them."""
    heads = [_attach_group(parent, group, arcs) for group in groups]
    for left, right in pairwise(heads):
        arcs[head_token(right).i] = (head_token(left).i, "conj")
    members = [child for group in groups for child in group]
    order = {id(child): i for i, child in enumerate(parent.overt)}
    last = order[id(heads[-1])]
    for child in parent.overt:
        if any(child is member for member in members):
            continue
        earlier = [h for h in heads if order[id(h)] < order[id(child)]]
        links = child.label in ("CC", "CONJP") or (child.is_token and order[id(child)] < last)
        target = earlier[-1] if earlier and links else heads[0]
        arcs[head_token(child).i] = (head_token(target).i, _label(child, parent, heads[0]))


def _attach_moved(root: Node, arcs: dict[int, Arc]) -> None:
    """Give each overt phrase that left a trace the head and label of the trace's place."""
    places = traces(root)
    for filler in root.walk():
        place = places.get(filler.index) if filler.index else None
        if place is None or place.parent is None or filler.is_empty or filler.is_token:
            continue
        site = place.parent
        head = head_child(site)
        governor, moved = head_token(site), head_token(filler)
        if any(token is governor for token in filler.tokens()):
            continue
        arcs[moved.i] = (governor.i, phrase_label(place, site, head, filler))


def derive(root: Node) -> list[Arc]:
    """Head and label of every overt token, in order."""
    arcs: dict[int, Arc] = {head_token(root).i: (0, "root")}
    for node in root.walk():
        if node.is_token or node.is_empty:
            continue
        groups = conjuncts(node)
        if groups:
            _attach_coordination(node, groups, arcs)
        else:
            _attach_group(node, node.overt, arcs)
    _attach_moved(root, arcs)
    return [arcs[token.i] for token in root.tokens()]


def read_corrections(path: Path) -> dict[tuple[str, int], tuple[str, Arc]]:
    """(sent_id, token number) to the token's form, its head and its label."""
    with path.open(encoding="utf8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return {
        (row["sent_id"], int(row["token"])): (row["form"], (int(row["head"]), row["label"]))
        for row in rows
    }


def conllu_block(
    sent_id: str, root: Node, corrections: dict[tuple[str, int], tuple[str, Arc]]
) -> str:
    """One sentence in CoNLL-U.

    RAISES: ValueError where a correction names a token that the sentence does not have.
    """
    tokens = list(root.tokens())
    arcs = derive(root)
    for (name, number), (form, arc) in corrections.items():
        if name == sent_id:
            if number > len(tokens) or tokens[number - 1].form != form:
                raise ValueError(f"corrections.tsv: token {number} of {name} is not {form!r}")
            arcs[number - 1] = arc
    space = spaced(tokens)
    text = "".join(t.form + " " * s for t, s in zip(tokens, space, strict=True)).strip()
    lines = [f"# sent_id = {sent_id}", f"# text = {text}"]
    for token, (head, label), after in zip(tokens, arcs, space, strict=True):
        upos = universal_tag(token, label)
        misc = "_" if after else "SpaceAfter=No"
        columns = (token.i, token.form, "_", upos, token.label, "_", head, label, "_", misc)
        lines.append("\t".join(map(str, columns)))
    return "\n".join(lines) + "\n\n"


def main(output: Path = SAMPLE) -> None:
    """Write the three .conllu files into ``output``."""
    corrections = read_corrections(SAMPLE / "corrections.tsv")
    output.mkdir(parents=True, exist_ok=True)
    for split in SPLITS:
        blocks = [
            conllu_block(f"sample-{split}-{number:04d}", build(tree), corrections)
            for number, tree in enumerate(read_trees(SAMPLE / f"{split}.ptb"), 1)
        ]
        temporary = output / f"{split}.conllu.tmp"
        temporary.write_text("".join(blocks), encoding="utf8", newline="\n")
        os.replace(temporary, output / f"{split}.conllu")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))

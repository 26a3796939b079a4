"""Corrections by hand: heads and labels in a table, brackets in a box, and files to download."""

from typing import Any

import streamlit as st

from ....viz.sentences import bracketed, head_places
from ..corrections import correct_arcs, correct_tree
from ..marks import different_nodes
from ..parsing import Parse
from .pipelines import show_problem
from .sentence import draw


def show_corrections(parse: Parse, number: int) -> None:
    """A table of the arcs of a sentence and its brackets, to be changed and downloaded."""
    sentence = parse.sentences[number]
    if not (sentence.has_dependencies or sentence.tree):
        st.info("This sentence has neither a tree nor dependencies.")
    if sentence.has_dependencies:
        _show_arcs(parse, number)
    if sentence.tree is not None:
        _show_brackets(parse, number)


def _show_arcs(parse: Parse, number: int) -> None:
    sentence = parse.sentences[number]
    heads = [0 if head == i else head + 1 for i, head in enumerate(head_places(sentence.words))]
    labels = [token.dep_ for token in sentence.words]
    rows: dict[str, list[Any]] = {
        "#": list(range(1, len(heads) + 1)),
        "word": [token.text for token in sentence.words],
        "head": heads,
        "label": labels,
    }
    table, picture = st.columns([2, 3])
    with table:
        st.caption("Change a head, by the number of its word (0: the root), or a label.")
        edited = st.data_editor(rows, hide_index=True, disabled=["#", "word"], height=300)
    with picture:
        try:
            corrected, text = correct_arcs(parse, number, edited["head"], edited["label"])
        except ValueError as error:
            show_problem("These dependencies cannot be drawn", error)
            return
        old = zip(heads, labels, strict=True)
        new = zip(edited["head"], edited["label"], strict=True)
        draw(corrected, [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b])
        st.download_button("CoNLL-U", text, f"corrected-{number + 1}.conllu", on_click="ignore")


def _show_brackets(parse: Parse, number: int) -> None:
    sentence = parse.sentences[number]
    assert sentence.tree is not None  # the caller has looked
    box, picture = st.columns([2, 3])
    with box:
        st.caption("Change brackets or labels, and press Ctrl+Enter.")
        brackets = st.text_area("Brackets", sentence.tree.pretty(60), height=300)
    with picture:
        try:
            corrected = correct_tree(sentence, brackets)
        except ValueError as error:
            show_problem("These brackets cannot be drawn", error)
            return
        draw(corrected, (), different_nodes(corrected, sentence), only_tree=True)
        file = f"corrected-{number + 1}.ptb"
        st.download_button("Brackets", f"{bracketed(corrected)}\n", file, on_click="ignore")

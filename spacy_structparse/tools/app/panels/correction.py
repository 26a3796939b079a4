"""Corrections by hand: heads and labels in a table, brackets in a box, and files to download."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from ....viz.sentences import ParsedSentence, head_places
from ..corrections import correct_arcs, correct_tree
from ..parsing import Parse
from .pipelines import show_drawing, show_problem

HEIGHT = 300


def show_corrections(parse: Parse, number: int) -> None:
    """A table of the arcs of a sentence and its brackets, to be changed and downloaded."""
    sentence = parse.sentences[number]
    file = f"corrected-{number + 1}"
    if sentence.has_dependencies:
        box, picture = st.columns([2, 3])
        with box:
            st.caption("Change a head, by the number of its word (0: the root), or a label.")
            rows = _rows(sentence)
            given = st.data_editor(rows, hide_index=True, disabled=["#", "word"], height=HEIGHT)
            arcs = given["head"], given["label"]
        with picture:
            _show(lambda: correct_arcs(parse, number, *arcs), sentence, f"{file}.conllu")
    if sentence.tree is not None:
        box, picture = st.columns([2, 3])
        with box:
            st.caption("Change brackets or labels, and press Ctrl+Enter.")
            brackets = st.text_area("Brackets", sentence.tree.pretty(60), height=HEIGHT)
        with picture:
            _show(lambda: correct_tree(sentence, brackets), sentence, f"{file}.ptb")


def _rows(sentence: ParsedSentence) -> dict[str, list[Any]]:
    words = sentence.words
    heads = enumerate(head_places(words))
    return {
        "#": list(range(1, len(words) + 1)),
        "word": [token.text for token in words],
        "head": [0 if head == place else head + 1 for place, head in heads],
        "label": [token.dep_ for token in words],
    }


def _show(correct: Callable[[], tuple[str, str]], sentence: ParsedSentence, file: str) -> None:
    try:
        svg, text = correct()
    except ValueError as error:
        show_problem("This cannot be drawn", error)
        return
    show_drawing(svg, sentence)
    st.download_button(file, text, file, on_click="ignore", icon=":material/download:")

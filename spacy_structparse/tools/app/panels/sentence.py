"""The choice of a sentence, and its drawings."""

from collections.abc import Collection

import streamlit as st

from ....escaping import escape_control
from ....viz.sentences import ParsedSentence
from ..drawings import arcs_svg, confidence_drawings, files_of, tree_svg
from ..marks import differing_arcs, differing_nodes, facts_of
from ..parsing import MAX_DRAWN, Parse
from .pipelines import show_drawing

LONGEST_TITLE = 70


def choose_sentence(parse: Parse) -> int:
    """The number of the sentence to look at, from 0."""

    def title(number: int) -> str:
        text = escape_control(parse.sentences[number].text)
        short = text if len(text) <= LONGEST_TITLE else f"{text[:LONGEST_TITLE]}…"
        return f"{number + 1}. {short}"

    numbers = range(len(parse.sentences))
    if len(numbers) == 1:
        return 0
    return st.selectbox(f"Sentence (of {len(numbers)})", numbers, format_func=title)


def show_sentence(parse: Parse, number: int) -> None:
    """Draw a sentence, with the confidence of the parser if the reader wants it."""
    sentence = parse.sentences[number]
    drawings = confidence_drawings(sentence, parse.outputs.spans_key)
    if drawings and st.sidebar.toggle(
        "Confidence", help="In percent; orange where the parser is in doubt."
    ):
        if not _is_too_long(sentence):
            for svg in drawings:
                show_drawing(svg, sentence)
    else:
        _draw(sentence)
    _show_downloads(parse, number)


def compare_sentences(parse: Parse, number: int, other: Parse, names: tuple[str, str]) -> None:
    """Draw a sentence as two pipelines parse it, one beside the other.

    Args:
        parse: The first parse.
        number: The number of the sentence.
        other: The other parse, of which all sentences are drawn that share words with it.
        names: The names of the pipelines.
    """
    sentence = parse.sentences[number]
    theirs = other.overlapping(*parse.limits(sentence))
    facts = facts_of(other), facts_of(parse)
    both_heads = parse.outputs.heads and other.outputs.heads
    both_trees = parse.outputs.trees and other.outputs.trees
    n_arcs = n_nodes = 0
    note = st.empty()
    for column, name, facts_there, shown in zip(
        st.columns(2), names, facts, ([sentence], theirs), strict=True
    ):
        with column:
            st.text(escape_control(name))
            for one in shown:
                arcs = differing_arcs(one, facts_there) if both_heads else set()
                nodes = differing_nodes(one, facts_there) if both_trees else set()
                n_arcs, n_nodes = n_arcs + len(arcs), n_nodes + len(nodes)
                _draw(one, arcs, nodes)
    counts = [f"{n_arcs} arcs"] * both_heads + [f"{n_nodes} constituents and tags"] * both_trees
    if not counts:
        note.caption("The two pipelines have no annotation in common that could be compared.")
    elif n_arcs or n_nodes:
        differ = " and ".join(counts)
        note.caption(f"In only one of the two: {differ}. They are orange and underlined.")
    else:
        note.caption("Both parses are the same.")
    _show_downloads(parse, number)


def _draw(
    sentence: ParsedSentence, arcs: Collection[int] = (), nodes: Collection[int] = ()
) -> None:
    """Draw what a sentence has of arcs and tree, some of them marked."""
    if _is_too_long(sentence):
        return
    if sentence.has_dependencies:
        show_drawing(arcs_svg(sentence, arcs), sentence)
    if (tree := tree_svg(sentence, nodes)) is not None:
        show_drawing(tree, sentence)
    elif not sentence.has_dependencies:
        st.info("This sentence has neither a tree nor dependencies.")


def _is_too_long(sentence: ParsedSentence) -> bool:
    """Return whether a sentence has too many words to be drawn, and say so."""
    if len(sentence.words) <= MAX_DRAWN:
        return False
    st.info(
        f"This sentence has {len(sentence.words)} words, and at most {MAX_DRAWN} are drawn. "
        "The downloads have it."
    )
    return True


def _show_downloads(parse: Parse, number: int) -> None:
    """A button for each file. The browser makes that of PNG, by `drawing.js`."""
    icon = ":material/download:"
    with st.container(horizontal=True):
        st.button("PNG", key="png", icon=icon, help="The drawings")
        for title, name, text in files_of(parse, number):
            held = "The drawings" if title == "SVG" else "The whole text"
            st.download_button(title, text, name, on_click="ignore", icon=icon, help=held)

"""The choice of a sentence, and its drawings."""

from collections.abc import Collection

import streamlit as st

from ....escaping import escape_control
from ....viz.sentences import ParsedSentence
from ..drawings import (
    DEPENDENCIES,
    TREE,
    Download,
    arcs_svg,
    confidence_drawings,
    drawings_of,
    files_of_text,
    picture,
    tree_svg,
)
from ..marks import differing_arcs, differing_nodes, facts_of
from ..parsing import MAX_DRAWN, Parse

LONGEST_TITLE = 70


def choose_sentence(parse: Parse) -> int:
    """The number of the sentence to look at, from 0."""

    def title(number: int) -> str:
        text = escape_control(parse.sentences[number].text)
        short = text if len(text) <= LONGEST_TITLE else f"{text[:LONGEST_TITLE]}…"
        return f"{number + 1}. {short}"

    numbers = range(len(parse.sentences))
    return st.selectbox(f"Sentence (of {len(parse.sentences)})", numbers, format_func=title)


def show_sentence(parse: Parse, number: int) -> None:
    """Draw a sentence, with the confidence of the parser if the reader wants it."""
    sentence = parse.sentences[number]
    drawings = confidence_drawings(sentence, parse.outputs.spans_key)
    if drawings and st.checkbox("Show confidence", help="In percent; orange where it is in doubt."):
        if not _is_too_long(sentence):
            for kind, svg in drawings:
                st.html(picture(svg, sentence, kind))
    else:
        _draw(sentence)


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
        st.caption("The two pipelines have no annotation in common that could be compared.")
    elif n_arcs or n_nodes:
        differ = " and ".join(counts)
        st.caption(f"In only one of the two: {differ}. They are orange and underlined.")
    else:
        st.caption("Both parses are the same.")


def _draw(
    sentence: ParsedSentence, arcs: Collection[int] = (), nodes: Collection[int] = ()
) -> None:
    if _is_too_long(sentence):
        return
    if sentence.has_dependencies:
        st.html(picture(arcs_svg(sentence, arcs), sentence, DEPENDENCIES))
    tree = tree_svg(sentence, nodes)
    if tree is not None:
        st.html(picture(tree, sentence, TREE))
    if tree is None and not sentence.has_dependencies:
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


def show_downloads(parse: Parse, number: int) -> None:
    """A button for each file of the text, and of the sentence."""
    st.markdown("The whole text:")
    _buttons(files_of_text(parse))
    sentence = parse.sentences[number]
    if len(sentence.words) <= MAX_DRAWN:
        st.markdown(f"Sentence {number + 1}:")
        _buttons(drawings_of(sentence, number + 1))


def _buttons(files: list[Download]) -> None:
    for file in files:
        st.download_button(file.title, file.text, file.name, file.mime, on_click="ignore")

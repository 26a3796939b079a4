"""The work of parsers besides the best parse: other parses, and attention step by step."""

from collections.abc import Callable, Collection
from typing import Any

import streamlit as st

from ....escaping import escape_control
from ...figures.attention import AttentionMap
from ...figures.attention_page import attention_part
from ...figures.partial_trees import attention_map
from ..drawings import draw_alternative
from ..parsing import MAX_DRAWN, Parse
from .pipelines import KEPT, load, parsed, show_drawing, show_problem


def show_alternatives(model: str, text: str, parse: Parse, number: int) -> None:
    """A list of the best parses of a sentence, and one of them.

    Args:
        model: The pipeline.
        text: The text.
        parse: The pipeline's parse of it.
        number: The number of the sentence, from 0.
    """
    found = _of_component(
        load(model).k_best_parsers(), parse, "k-best parses", lambda name: _found(model, text, name)
    )
    if found is None:
        return
    sentence, parses = parse.sentences[number], found[number]
    drawn = [draw_alternative(sentence, one, parses[0]) for one in parses]
    place = st.selectbox(
        f"Parse (of the {len(drawn)} best)", range(len(drawn)), format_func=lambda i: drawn[i][0]
    )
    if place:
        st.caption("What the best parse does not have is orange and underlined.")
    show_drawing(drawn[place][1], sentence)


@st.cache_resource(max_entries=KEPT, show_spinner="Parsing …")
def _found(model: str, text: str, name: str) -> list[list[Any]]:
    parse = parsed(model, text)
    return [] if parse is None else load(model).find_alternatives(parse, name)


def show_attention(model: str, text: str, parse: Parse, number: int) -> None:
    """A table of the steps of a sentence, with the stack after each."""
    maps = _of_component(
        load(model).tracers(), parse, "attention", lambda name: _traced(model, text, name)
    )
    if maps is None:
        return
    if number >= len(maps):
        st.info("This component parsed other sentences.")
        return
    st.html(attention_part([maps[number]]))


@st.cache_resource(max_entries=KEPT, show_spinner="Parsing step by step …")
def _traced(model: str, text: str, name: str) -> list[AttentionMap]:
    """The attention over each sentence of a text."""
    parser, parse = load(model), parsed(model, text)
    if parse is None:
        return []
    pipe = parser.tracers()[name]
    [traces] = parser.alone(lambda: pipe.trace([parse.doc]))
    return [attention_map(trace, pipe.linearization, "") for trace in traces]


def _of_component(
    names: Collection[str], parse: Parse, shown: str, compute: Callable[[str], list[Any]]
) -> list[Any] | None:
    """Results of a component for each sentence; the reader chooses it where there are several.

    Args:
        names: The components that there are.
        parse: The parse of the text.
        shown: What the panel shows, for messages.
        compute: Gives it, by the name of a component.

    Returns:
        None: there is nothing, and the page says why.
    """
    if not names:
        st.info(f"No component of this pipeline gives {shown}.")
        return None
    if max(len(sentence.words) for sentence in parse.sentences) > MAX_DRAWN:
        st.info(f"This needs sentences of at most {MAX_DRAWN} words.")
        return None
    [name, *others] = names
    if others:
        name = st.selectbox("Component", [name, *others], format_func=escape_control)
    try:
        return compute(name)
    except ValueError as error:
        show_problem(f"There is no result: {shown}", error)
        return None

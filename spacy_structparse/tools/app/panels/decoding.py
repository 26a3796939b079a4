"""The work of parsers besides the best parse: other parses, and attention step by step."""

from typing import Any

import streamlit as st

from ....errors import ReadError
from ...figures.attention import AttentionMap
from ...figures.attention_page import attention_part
from ...figures.partial_trees import attention_map
from ..drawings import draw_alternative, picture
from ..parsing import Parse
from .pipelines import KEPT, choose_component, load, parsed, show_problem


def show_alternatives(model: str, text: str, parse: Parse, number: int) -> None:
    """A list of the best parses of a sentence, and one of them.

    Args:
        model: The pipeline.
        text: The text.
        parse: The pipeline's parse of it.
        number: The number of the sentence, from 0.
    """
    names = list(load(model).k_best_parsers())
    lacking = "This pipeline has no parser that gives more than the best parse."
    name = choose_component(names, parse, lacking, "Other parses are")
    if name is None:
        return
    try:
        found = _found(model, text, name)
    except ReadError as error:
        show_problem("There are no other parses to show", error)
        return
    sentence, parses = parse.sentences[number], found[number]
    drawn = [draw_alternative(sentence, one, parses[0]) for one in parses]
    place = st.selectbox(
        f"Parse (of the {len(drawn)} best)",
        range(len(drawn)),
        format_func=lambda i: f"{i + 1}. probability {drawn[i].shown_probability}",
    )
    if place:
        st.caption("What the best parse does not have is orange and underlined.")
    st.html(picture(drawn[place].svg, sentence, drawn[place].kind))


@st.cache_resource(max_entries=KEPT, show_spinner="Parsing …")
def _found(model: str, text: str, name: str) -> list[list[Any]]:
    parse = parsed(model, text)
    return [] if parse is None else load(model).find_alternatives(parse, name)


def show_attention(model: str, text: str, parse: Parse, number: int) -> None:
    """A table of the steps of a sentence, with the stack after each."""
    names = list(load(model).tracers())
    lacking = "This pipeline has no constituency parser, whose attention could be shown."
    name = choose_component(names, parse, lacking, "Attention is")
    if name is None:
        return
    try:
        maps = _traced(model, text, name)
    except ValueError as error:
        show_problem("There is no attention to show", error)
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

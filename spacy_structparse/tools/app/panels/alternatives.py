"""The choice among the best parses of a sentence."""

from typing import Any

import streamlit as st

from ..drawings import (
    draw_alternative,
    find_alternatives,
    k_best_parsers,
    picture,
)
from ..parsing import Parse, ParsingError
from .pipelines import KEPT, choose_component, load, parsed, show_problem


def show_alternatives(model: str, text: str, parse: Parse, number: int) -> None:
    """A list of the best parses of a sentence, and one of them.

    Args:
        model: The pipeline.
        text: The text.
        parse: The pipeline's parse of it.
        number: The number of the sentence, from 0.
    """
    names = list(k_best_parsers(load(model)))
    lacking = "This pipeline has no parser that gives more than the best parse."
    name = choose_component(names, parse, lacking, "Other parses are")
    if name is None:
        return
    try:
        found = _found(model, text, name)
    except ParsingError as error:
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
    return [] if parse is None else find_alternatives(load(model), parse, name)

"""The choice among the best parses of a sentence."""

from typing import Any

import streamlit as st

from ..alternatives import draw_alternative, find_alternatives, k_best_parsers
from ..drawings import picture
from ..parsing import Parse, ParsingError
from .components import choose_component
from .pipelines import KEPT, load, parsed
from .problems import show_problem


def show_alternatives(model: str, text: str, parse: Parse, number: int) -> None:
    """A list of the best parses of a sentence, and one of them."""
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
        format_func=lambda i: f"{i + 1}. probability {drawn[i].probability:.1%}",
    )
    if place:
        st.caption("What the best parse does not have is orange and underlined.")
    st.html(picture(drawn[place].svg, sentence, drawn[place].kind))


@st.cache_resource(max_entries=KEPT, show_spinner="Parsing …")
def _found(model: str, text: str, name: str) -> list[list[Any]]:
    parse = parsed(model, text)
    return [] if parse is None else find_alternatives(load(model), parse, name)

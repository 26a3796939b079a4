"""The choice among the best parses of a sentence."""

from typing import Any

import streamlit as st

from ..alternatives import draw_alternative, find_alternatives, k_best_parsers
from ..choices import Choices
from ..drawings import picture
from ..parsing import Parse, ParsingError
from .choices import choose_parse
from .components import choose_component
from .pipelines import KEPT, load, parsed
from .problems import show_problem


def show_alternatives(
    model: str,
    text: str,
    parse: Parse,
    number: int,
    choices: Choices,
    shown: Parse,
) -> None:
    """A list of the best parses of a sentence, and one of them, to look at or to use.

    Args:
        model: The pipeline.
        text: The text.
        parse: The pipeline's parse of it.
        number: The number of the sentence, from 0.
        choices: The parses that the reader chose.
        shown: The parse with them.
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
    in_use = choices.get((number, drawn[0].kind))
    place = st.selectbox(
        f"Parse (of the {len(drawn)} best)",
        range(len(drawn)),
        index=parses.index(in_use.parse) if in_use and in_use.parse in parses else 0,
        format_func=lambda i: f"{i + 1}. probability {drawn[i].shown_probability}",
    )
    choose_parse(choices, number, shown, parses[place], place)
    if place:
        st.caption("What the best parse does not have is orange and underlined.")
    st.html(picture(drawn[place].svg, sentence, drawn[place].kind))


@st.cache_resource(max_entries=KEPT, show_spinner="Parsing …")
def _found(model: str, text: str, name: str) -> list[list[Any]]:
    parse = parsed(model, text)
    return [] if parse is None else find_alternatives(load(model), parse, name)

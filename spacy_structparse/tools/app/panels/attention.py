"""What a constituency parser attended to, step by step."""

import streamlit as st

from ...figures.attention import AttentionMap
from ...figures.attention_page import attention_part
from ...figures.partial_trees import attention_map
from ..parsing import Parse, ParsingError
from .pipelines import KEPT, choose_component, load, parsed, show_problem


def show_attention(model: str, text: str, parse: Parse, number: int) -> None:
    """A table of the steps of a sentence, with the stack after each."""
    names = list(load(model).tracers())
    lacking = "This pipeline has no constituency parser, whose attention could be shown."
    name = choose_component(names, parse, lacking, "Attention is")
    if name is None:
        return
    try:
        maps = _traced(model, text, name)
    except (ParsingError, ValueError) as error:
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

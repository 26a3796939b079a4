"""The parses that the reader chose under "Other parses", and the ways to choose and to go back."""

import streamlit as st

from ....pipeline.k_best import ScoredDependencies, ScoredTree
from ..choices import Choice, Choices, is_shown, kind_of, told, with_choices
from ..parsing import Parse, ParsingError
from .problems import show_problem

KEY = "choices"
USE, BACK = "Use this parse", "Back to the pipeline's parse"


def choices_of(model: str, text: str) -> Choices:
    """What the reader chose for a text. What was chosen with another text or model is forgotten."""
    kept = st.session_state.get(KEY)
    if kept is None or kept[0] != (model, text):
        kept = st.session_state[KEY] = ((model, text), {})
    choices: Choices = kept[1]
    return choices


def chosen(parse: Parse, choices: Choices) -> Parse:
    """The parse with what the reader chose. A choice that does not fit is forgotten, and said."""
    try:
        return with_choices(parse, choices)
    except ParsingError as error:
        choices.clear()
        show_problem("The chosen parse cannot be shown", error)
        return parse


def show_choices(choices: Choices, number: int) -> None:
    """Say which parses are chosen ones, with a button that goes back for a sentence."""
    said = told(choices, number)
    if said:
        st.info(said)
    kinds = [kind for sentence, kind in choices if sentence == number]
    if kinds:
        st.button(BACK, on_click=_forget, args=(choices, number, kinds))


def choose_parse(
    choices: Choices,
    number: int,
    shown: Parse,
    one: ScoredDependencies | ScoredTree,
    place: int,
) -> None:
    """A button that chooses a parse, or goes back from it if it is the one that is shown.

    Args:
        choices: What the reader chose.
        number: The number of the sentence, from 0.
        shown: The parse of the text, with what was chosen.
        one: The parse of the sentence.
        place: Its place in the list of the best parses, from 0.
    """
    kind = kind_of(one)
    if is_shown(shown.sentences[number], one):
        st.caption("Parse, Search and Downloads show this parse.")
    else:
        choice = Choice(place + 1, one)
        st.button(USE, on_click=choices.__setitem__, args=((number, kind), choice))
    if (number, kind) in choices:
        st.button(BACK, on_click=_forget, args=(choices, number, [kind]))


def _forget(choices: Choices, number: int, kinds: list[str]) -> None:
    for kind in kinds:
        choices.pop((number, kind), None)

"""The choice of pipelines, and what they parse."""

import gc
from collections.abc import Sequence

import streamlit as st

from ....cli.loading import load_pipeline
from ....errors import ReadError, WeightsError
from ....escaping import escape_control
from ..parsing import MAX_DRAWN, Parse, Parser, checked_text


def show_problem(title: str, error: Exception | str) -> None:
    """Show what went wrong.

    Streamlit reads messages as Markdown, in which a text could show pictures and links. So what may
    hold words of the reader stands below, as it is.

    Args:
        title: In our words alone.
        error: What was wrong, and what to do.
    """
    st.error(title)
    st.code(escape_control(str(error), keep="\n"), language=None, wrap_lines=True)


def choose_component(names: Sequence[str], parse: Parse, lacking: str, shown: str) -> str | None:
    """The component, chosen by the reader where there are several.

    Args:
        names: The components that there are.
        parse: The parse of the text.
        lacking: What to say if there is none.
        shown: What the panel shows and a verb, such as "Attention is".

    Returns:
        Its name. None: there is none, or a sentence is too long to be drawn, and the page says so.
    """
    if not names:
        st.info(lacking)
        return None
    if max(len(sentence.words) for sentence in parse.sentences) > MAX_DRAWN:
        st.info(f"{shown} shown of texts whose sentences have at most {MAX_DRAWN} words.")
        return None
    if len(names) == 1:
        return names[0]
    return st.selectbox("Component", names, format_func=escape_control)


KEPT = 16
"""Parses that are kept for all readers of the page."""


def choose_pipelines(models: Sequence[str]) -> tuple[str, str | None]:
    """The pipeline, and the other one that it is compared with, if any."""
    left, right = st.columns(2)
    first = left.selectbox("Pipeline", models, format_func=escape_control)
    others = [model for model in models if model != first]
    second = right.selectbox(
        "Compare with",
        [None, *others],
        format_func=lambda model: "none" if model is None else escape_control(model),
        disabled=not others,
    )
    return first, second


@st.cache_resource(show_spinner="Loading the pipeline …")
def load(model: str) -> Parser:
    """A pipeline, loaded once for all readers."""
    parser = Parser(load_pipeline(model))
    # Streamlit collects garbage at every change of the page. Looking through the objects of a
    # pipeline, which stay, takes a quarter of a second.
    gc.freeze()
    return parser


def parsed(model: str, text: str) -> Parse | None:
    """The parse of a text; None if there is none, which is said."""
    try:
        return _parse(model, text)
    except WeightsError as error:
        show_problem("The pipeline cannot be loaded", error)
    except ReadError as error:
        show_problem("The text cannot be parsed", error)
    return None


@st.cache_resource(max_entries=KEPT, show_spinner="Parsing …")
def _parse(model: str, text: str) -> Parse:
    return load(model).parse(text)


EXAMPLE = "The cook stirs the soup. The boy who kicked the ball ran away."


def ask_for_text(most: int) -> str | None:
    """The text to parse; None if there is none that can be, which is said.

    Args:
        most: The characters that are taken.
    """
    with st.form("text", border=False):
        typed = st.text_area("Text", EXAMPLE, height=100)
        st.form_submit_button("Parse", type="primary")
    try:
        return checked_text(typed, most)
    except ReadError as error:
        show_problem("Nothing was parsed", error)
        return None

"""The choice of pipelines, and what they parse."""

import gc
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from ....cli.loading import load_pipeline
from ....errors import ReadError, WeightsError
from ....escaping import escape_control
from ....trees.svg import scrolling
from ....viz.sentences import ParsedSentence
from ..parsing import Parse, Parser, checked_text, examples


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


_DRAWING = st.components.v2.component(
    "structparse_drawing",
    html='<div class="drawing"></div>',
    css=Path(__file__).parents[1].joinpath("drawing.css").read_text(encoding="utf8"),
    js=Path(__file__).parents[1].joinpath("drawing.js").read_text(encoding="utf8"),
    isolate_styles=False,
)


def show_drawing(svg: str, sentence: ParsedSentence) -> None:
    """Show a drawing, in whose SVG all words and labels are escaped. Wide ones scroll."""
    html = scrolling(svg, [token.text for token in sentence.words])
    # Streamlit takes no two elements of equal data, and two pipelines may agree.
    _DRAWING(data={"html": html, "of": [id(sentence.span.doc), sentence.span.start]})


KEPT = 16
"""Parses that are kept for all readers of the page."""


def choose_pipelines(models: Sequence[str]) -> tuple[str, str | None]:
    """The pipeline, and the other one that it is compared with, if any.

    They are in the page's address, as the text is.
    """
    first = st.selectbox(
        "Pipeline", models, format_func=escape_control, key="pipeline", bind="query-params"
    )
    others = [model for model in models if model != first]
    second = None
    if others:
        second = st.selectbox(
            "Compare with",
            [None, *others],
            format_func=lambda model: "none" if model is None else escape_control(model),
            key="compare",
            bind="query-params",
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


def language_of(model: str) -> str:
    """The code of a pipeline's language; of one that cannot be loaded, English."""
    try:
        return load(model).nlp.lang or "en"
    except WeightsError:  # `parsed` says so
        return "en"


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


def ask_for_text(language: str, most: int) -> str | None:
    """The text to parse; None if there is none that can be, which is said.

    Args:
        language: The code of its language, for examples.
        most: The characters that are taken.
    """
    choices = examples(language)
    state = st.session_state
    if "text" not in state and "text" not in st.query_params:
        state["text"] = choices[0]

    def take_example() -> None:
        if state["example"]:
            state["text"] = state["example"]

    st.selectbox(
        "Example",
        choices,
        None,
        escape_control,
        key="example",
        on_change=take_example,
        placeholder="Choose a sentence",
    )
    with st.form("text_form", border=False):
        typed = st.text_area("Text", height=120, key="text", bind="query-params")
        st.form_submit_button("Parse", type="primary")
    try:
        return checked_text(typed or "", most)
    except ReadError as error:
        show_problem("Nothing was parsed", error)
        return None

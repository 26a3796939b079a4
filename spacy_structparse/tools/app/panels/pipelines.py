"""The choice of pipelines, and what they parse."""

import gc
from collections.abc import Sequence

import streamlit as st

from ....cli.loading import LoadingError
from ....printable import printable
from ..parsing import Parse, Parser, ParsingError
from .problems import show_problem

NONE = "none"
KEPT = 16
"""Parses that are kept for all readers of the page."""


def choose_pipelines(models: Sequence[str]) -> tuple[str, str | None]:
    """The pipeline, and the other one that it is compared with, if any."""
    left, right = st.columns(2)
    first = left.selectbox("Pipeline", models, format_func=printable)
    others = [model for model in models if model != first]
    second = right.selectbox(
        "Compare with",
        [None, *others],
        format_func=lambda model: NONE if model is None else printable(model),
        disabled=not others,
    )
    return first, second


@st.cache_resource(show_spinner="Loading the pipeline …")
def load(model: str) -> Parser:
    """A pipeline, loaded once for all readers."""
    parser = Parser.load(model)
    # Streamlit collects garbage at every change of the page. Looking through the objects of a
    # pipeline, which stay, takes a quarter of a second.
    gc.freeze()
    return parser


def parsed(model: str, text: str) -> Parse | None:
    """The parse of a text; None if there is none, which is said."""
    try:
        return _parse(model, text)
    except LoadingError as error:
        show_problem("The pipeline cannot be loaded", error)
    except ParsingError as error:
        show_problem("The text cannot be parsed", error)
    return None


@st.cache_resource(max_entries=KEPT, show_spinner="Parsing …")
def _parse(model: str, text: str) -> Parse:
    return load(model).parse(text)

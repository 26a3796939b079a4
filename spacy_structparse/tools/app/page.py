"""The script that Streamlit runs for every reader, and again at every change.

python -m streamlit run page.py -- MODEL...
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from spacy.cli._util import import_code

from spacy_structparse.tools.app.marks import HAS_SEARCH
from spacy_structparse.tools.app.panels.correction import show_corrections
from spacy_structparse.tools.app.panels.decoding import show_alternatives, show_attention
from spacy_structparse.tools.app.panels.pipelines import (
    ask_for_text,
    choose_pipelines,
    language_of,
    parsed,
)
from spacy_structparse.tools.app.panels.search import show_search
from spacy_structparse.tools.app.panels.sentence import (
    choose_sentence,
    compare_sentences,
    show_sentence,
)
from spacy_structparse.tools.app.parsing import MAX_CHARACTERS

ZOOM_STEPS = (50, 75, 100, 150, 200)
PARSE, ALTERNATIVES, ATTENTION = "Parse", "Other parses", "Attention"
SEARCH, CORRECT = "Search", "Correct"
# The style of a drawing at each step of the zoom. Streamlit would show a docstring of it.
ZOOMS = {"fit": "max-width: 100%; height: auto", **{f"{n}%": f"zoom: {n}%" for n in ZOOM_STEPS}}


def show_page(models: Sequence[str], most: int) -> None:
    """The whole page.

    Args:
        models: Paths or names of pipelines.
        most: The characters of the longest text that is parsed.
    """
    st.set_page_config(page_title="Parses", layout="wide")
    with st.sidebar:
        model, other = choose_pipelines(models)
        text = ask_for_text(language_of(model), most)
        zoom = st.select_slider("Zoom", ZOOMS, "100%")
    st.html(f"<style>.parse svg {{ {ZOOMS[zoom]} }}</style>")
    parse = None if text is None else parsed(model, text)
    if text is None or parse is None:
        return
    search = [SEARCH] if HAS_SEARCH else []
    views = [PARSE, ALTERNATIVES, ATTENTION, *search, CORRECT]
    view = st.segmented_control(
        "View",
        views,
        default=PARSE,
        required=True,
        key="view",
        bind="query-params",
        label_visibility="collapsed",
    )
    number = choose_sentence(parse)
    if view == ALTERNATIVES:
        show_alternatives(model, text, parse, number)
    elif view == ATTENTION:
        show_attention(model, text, parse, number)
    elif view == SEARCH:
        show_search(parse, number)
    elif view == CORRECT:
        show_corrections(parse, number)
    elif other is None:
        show_sentence(parse, number)
    else:
        theirs = parsed(other, text)
        if theirs is not None:
            compare_sentences(parse, number, theirs, (model, other))


def main() -> None:
    """Read the arguments, and show the page."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("models", nargs="+")
    arguments.add_argument("--max-characters", type=int, default=MAX_CHARACTERS)
    arguments.add_argument("--code", type=Path)
    given = arguments.parse_args()
    # Once: the script is run again and again.
    st.cache_resource(show_spinner=False)(import_code)(given.code)
    show_page(given.models, given.max_characters)


if __name__ == "__main__":
    main()

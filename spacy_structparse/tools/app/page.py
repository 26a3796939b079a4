"""The script that Streamlit runs for every reader, and again at every change.

python -m streamlit run page.py -- MODEL...
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from spacy.cli._util import import_code

from spacy_structparse.tools.app.marks import HAS_SEARCH
from spacy_structparse.tools.app.panels.decoding import show_alternatives, show_attention
from spacy_structparse.tools.app.panels.pipelines import ask_for_text, choose_pipelines, parsed
from spacy_structparse.tools.app.panels.search import show_search
from spacy_structparse.tools.app.panels.sentence import (
    choose_sentence,
    compare_sentences,
    show_downloads,
    show_sentence,
)
from spacy_structparse.tools.app.parsing import MAX_CHARACTERS

PARSE, ALTERNATIVES, ATTENTION = "Parse", "Other parses", "Attention"
SEARCH, DOWNLOADS = "Search", "Downloads"


def show_page(models: Sequence[str], most: int) -> None:
    """The whole page.

    Args:
        models: Paths or names of pipelines.
        most: The characters of the longest text that is parsed.
    """
    st.set_page_config(page_title="Parses", layout="wide")
    st.title("Parses")
    model, other = choose_pipelines(models)
    text = ask_for_text(most)
    if text is None:
        return
    parse = parsed(model, text)
    if parse is None:
        return
    number = choose_sentence(parse)
    search = [SEARCH] if HAS_SEARCH else []
    views = [PARSE, ALTERNATIVES, ATTENTION, *search, DOWNLOADS]
    view = st.segmented_control("View", views, default=PARSE, required=True)
    if view == ALTERNATIVES:
        show_alternatives(model, text, parse, number)
    elif view == ATTENTION:
        show_attention(model, text, parse, number)
    elif view == SEARCH:
        show_search(parse, number)
    elif view == DOWNLOADS:
        show_downloads(parse, number)
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

"""Buttons that download the parse."""

import streamlit as st

from ..downloads import Download, drawings_of, files_of_text
from ..limits import MAX_DRAWN
from ..parsing import Parse


def show_downloads(parse: Parse, number: int) -> None:
    """A button for each file of the text, and of the sentence."""
    st.markdown("The whole text:")
    _buttons(files_of_text(parse))
    sentence = parse.sentences[number]
    if len(sentence.words) <= MAX_DRAWN:
        st.markdown(f"Sentence {number + 1}:")
        _buttons(drawings_of(sentence, number + 1))


def _buttons(files: list[Download]) -> None:
    for file in files:
        st.download_button(file.title, file.data, file.name, file.mime, on_click="ignore")

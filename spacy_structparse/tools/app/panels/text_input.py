"""The text: typed, or uploaded as a file."""

import streamlit as st

from ..limits import RefusedTextError, checked_text, uploaded_text
from .problems import show_problem

EXAMPLE = "The cook stirs the soup. The boy who kicked the ball ran away."


def ask_for_text(most: int) -> str | None:
    """The text to parse; None if there is none that can be, which is said.

    Args:
        most: The characters that are taken.
    """
    with st.form("text", border=False):
        typed = st.text_area("Text", EXAMPLE, height=100)
        with st.expander("Upload a file instead"):
            file = st.file_uploader("Text file, UTF-8", type=["txt"])
        st.form_submit_button("Parse", type="primary")
    try:
        if file is not None:
            return uploaded_text(file.name, file.getvalue(), most)
        return checked_text(typed, most)
    except RefusedTextError as error:
        show_problem("Nothing was parsed", error)
        return None

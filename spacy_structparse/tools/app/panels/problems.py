"""Messages to the reader of the page."""

import streamlit as st

from ....printable import printable


def show_problem(title: str, error: Exception | str) -> None:
    """Show what went wrong.

    Streamlit reads messages as Markdown, in which a text could show pictures and links. So what may
    hold words of the reader stands below, as it is.

    Args:
        title: In our words alone.
        error: What was wrong, and what to do.
    """
    st.error(title)
    st.code(printable(str(error), keep="\n"), language=None, wrap_lines=True)

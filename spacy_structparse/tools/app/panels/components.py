"""The choice of the component whose output a panel shows."""

from collections.abc import Sequence

import streamlit as st

from ....printable import printable
from ..limits import MAX_DRAWN
from ..parsing import Parse


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
    return st.selectbox("Component", names, format_func=printable)

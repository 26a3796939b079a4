"""Search with Tregex patterns."""

from html import escape

import streamlit as st

from ..drawings import tree_svg
from ..marks import MAX_SHOWN, Finding, find
from ..parsing import MAX_DRAWN, Parse
from .pipelines import show_drawing, show_problem

LONGEST_PATTERN = 500
PLACEHOLDER = "NP < DT"


def show_search(parse: Parse, number: int) -> None:
    """A box for a pattern, its matches in the text, and those of a sentence in its tree."""
    if not parse.outputs.trees:
        st.info("This pipeline has no constituency parser, whose trees could be searched.")
        return
    pattern = st.text_input(
        "Tregex pattern", placeholder=PLACEHOLDER, max_chars=LONGEST_PATTERN
    ).strip()
    if not pattern:
        st.caption(
            "For example `NP < DT`, a noun phrase with a determiner, or `VP < (/^VB/ $+ NP=object)`"
        )
        return
    try:
        findings = find(parse, pattern)
    except (ValueError, RuntimeError) as error:
        show_problem("Nothing was searched", error)
        return
    first = f"; the first {MAX_SHOWN} are listed" if findings.n > MAX_SHOWN else ""
    st.markdown(f"Matches: {findings.n}{first}")
    if findings.shown:
        st.html(_list(findings.shown))
    sentence = parse.sentences[number]
    marked = findings.marked(sentence)
    if marked and len(sentence.words) <= MAX_DRAWN:
        tree = tree_svg(sentence, marked)
        assert tree is not None  # a node of it is marked
        show_drawing(tree, sentence)


def _list(findings: list[Finding]) -> str:
    rows = "".join(
        f'<li value="{one.sentence + 1}" dir="auto">{escape(one.left)} '
        f"<mark>{escape(one.match)}</mark> {escape(one.right)}"
        f"{f' <small>({escape(one.named)})</small>' if one.named else ''}</li>"
        for one in findings
    )
    return f'<ol aria-label="Matches, by sentence">{rows}</ol>'

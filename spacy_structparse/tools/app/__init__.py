"""The page of `spacy structparse app`: parses in a browser, drawn by Streamlit.

`page.py` is what Streamlit runs. The files in `panels/` are its parts, and alone import Streamlit
with it. The others have what the parts show, and need no browser.
"""

"""Sphinx settings of the documentation.

python -m sphinx -W -b html docs build/docs
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import spacy_structparse

project = "spacy-structparse"
author = "the spacy-structparse developers"
copyright = f"2026, {author}"
version = release = spacy_structparse.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]

# `[text](page.md#heading)` finds headings down to the fourth level.
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 4
smartquotes_action = "D"  # dashes, no curly quotes

# Docstrings: Google style, types from the signatures.
default_role = "code"  # of `a name` in a docstring
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

# Appearance
html_theme = "furo"
html_title = "spacy-structparse"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["narrow.js"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
copybutton_selector = "div:not(.highlight-text) > div.highlight pre"  # code, not its output

"""Labels of nodes that treebanks use for structure alone."""

EMPTY_TAG = "-NONE-"
"""The tag of traces and other leaves without a word in the text."""

WRAPPER_LABELS = frozenset({"", "TOP", "ROOT", "S1", "VROOT"})
"""Labels of the bracket that some treebanks put around every sentence."""

UNKNOWN_TAG = "XX"
"""The tag of a leaf whose token has none."""

"""``doc._.translation``: the words of a Doc's translation with spaces between them.

The value is None where there is no translation. It is serialized with the Doc's ``user_data``.
"""

from spacy.tokens import Doc

if not Doc.has_extension("translation"):
    Doc.set_extension("translation", default=None)

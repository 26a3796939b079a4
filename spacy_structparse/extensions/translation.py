"""``doc._.translation``: the words of a Doc's translation with spaces between them.

The value is None where there is no translation. It is serialized with the Doc's ``user_data``.
"""

from spacy.tokens import Doc

from .free_names import set_where_free

set_where_free(Doc, "translation", default=None)

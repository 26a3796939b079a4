"""``doc._.translation``: the words of a Doc's translation with spaces between them, or None where
there is none. It is kept with the Doc, and serialized with its ``user_data``."""

from spacy.tokens import Doc


def register_extension() -> None:
    """Set the attribute unless somebody has set one of that name."""
    if not Doc.has_extension("translation"):
        Doc.set_extension("translation", default=None)


register_extension()

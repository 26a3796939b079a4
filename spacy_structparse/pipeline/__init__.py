"""The components, and the attributes of Docs that each of them brings."""

from .. import extensions  # noqa: F401

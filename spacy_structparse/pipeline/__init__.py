"""The components, and the attributes of Docs that each of them brings."""

from ..extensions import search  # noqa: F401

"""The command of `tools.agreement`."""

from . import silver

__all__ = ["silver"]

"""Pictures and pages of what parsers do, made from plain data."""

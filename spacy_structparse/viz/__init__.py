"""Pictures and pages of parsers' decisions, made from plain data."""

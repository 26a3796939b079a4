"""Trainable constituency and dependency parsers for spaCy."""

__version__ = "1.0.0rc1"

"""Tokenizers: they make the Docs that components read."""

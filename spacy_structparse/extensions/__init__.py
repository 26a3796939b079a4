"""Attributes on Doc, Span and Token, one file a subject; `trees.extensions` has those of trees."""

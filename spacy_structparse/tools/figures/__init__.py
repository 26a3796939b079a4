"""Figures of attention, of pyramids, of errors and of confidence."""

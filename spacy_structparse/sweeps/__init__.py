"""Training runs over a grid of settings: several at a time, resumable, in one table."""

"""Belief about the probabilities behind a table."""

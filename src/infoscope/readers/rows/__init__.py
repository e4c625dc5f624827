"""Rows of a source as they are: the first ones, a sample, and those behind a number."""

"""Foundations that know no table: declared checks of arguments, numerics, files, and the embedded database."""

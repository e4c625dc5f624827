"""Formats of track files, one file a format: text or values in, a ``Reading`` for each sequence out."""

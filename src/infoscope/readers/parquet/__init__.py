"""Parquet by its packed codes: layout, dictionaries, the compiled part, and which of them reads a file."""

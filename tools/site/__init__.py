"""The documentation site: reference pages written from the code, and the build of the whole."""

__all__ = ["GENERATED"]

GENERATED = ("metrics", "commands.md", "documents.md", "findings.md", "glossary.md", "python.md")
"""What is written into docs/reference before each build and not under version control; the others are by hand."""

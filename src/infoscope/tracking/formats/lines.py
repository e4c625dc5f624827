"""Lines of a text file: where they begin and what separates their fields."""

__all__ = ["delimiter_of", "first_line"]

_DELIMITERS = (",", ";", "\t")


def first_line(text: str) -> str:
    r"""The first line that says something; comments start with #.

    >>> first_line("# made today\n\n1,2,3\n4,5,6")
    '1,2,3'
    """
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end].strip()
        if line and not line.startswith("#"):
            return line
        start = end + 1
    return ""


def delimiter_of(line: str) -> str | None:
    """The character between the fields of a line; None for blanks."""
    return next((mark for mark in _DELIMITERS if mark in line), None)

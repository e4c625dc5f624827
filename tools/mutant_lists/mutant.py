"""A fault put in on purpose."""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["Mutant"]


@dataclass(frozen=True)
class Mutant:
    """A snippet that occurs once in a file, what it becomes, and the tests that must fail then."""

    name: str
    path: str
    snippet: str
    replacement: str
    tests: tuple[str, ...]
    """Each as file::function; of a file in src/, the function whose docstring has the example."""

    def places(self, root: Path) -> int:
        """How often the snippet occurs; anything but once means that the mutant is stale."""
        file = root / self.path
        return file.read_text(encoding="utf-8").count(self.snippet) if file.is_file() else 0

    def mutated(self, root: Path) -> str:
        """The text of the file with the fault in it."""
        return (root / self.path).read_text(encoding="utf-8").replace(self.snippet, self.replacement)

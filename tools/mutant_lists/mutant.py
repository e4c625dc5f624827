"""A fault put in on purpose."""

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["Mutant"]


@dataclass(frozen=True)
class Mutant:
    """A snippet that occurs once in a function, class or constant, what it becomes, and the tests that must fail then.

    The file is looked up, so that code can move without a word here.
    """

    name: str
    within: str
    snippet: str
    replacement: str
    tests: tuple[str, ...]
    """Each as file::function; of a file in src/, the function whose docstring has the example."""

    def files(self, root: Path) -> list[Path]:
        """Return the source files in which the snippet stands, once for each time; anything but one file is stale."""
        return [
            file
            for file in sorted((root / "src").rglob("*.py"))
            for line in _lines_of(file.read_text(encoding="utf-8"), self.snippet)
            if self.within in _definitions_at(file.read_text(encoding="utf-8"), line)
        ]

    def mutate(self, source: str) -> str:
        """Return the text of the file with the fault in it."""
        lines = source.split("\n")
        for line in _lines_of(source, self.snippet):
            if self.within in _definitions_at(source, line):
                lines[line - 1] = lines[line - 1].replace(self.snippet, self.replacement)
        return "\n".join(lines)


def _lines_of(source: str, snippet: str) -> list[int]:
    if snippet not in source:
        return []
    return [n for n, line in enumerate(source.split("\n"), start=1) for _ in range(line.count(snippet))]


@cache
def _definitions_at(source: str, line: int) -> list[str]:
    """Return the names of the functions and classes around a line, or of the constant that it defines."""
    tree = ast.parse(source)
    names = [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.lineno - len(node.decorator_list) <= line <= (node.end_lineno or 0)
    ]
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.lineno <= line <= (node.end_lineno or 0):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names += [ast.unparse(target) for target in targets]
    return names

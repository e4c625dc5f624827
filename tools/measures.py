"""Measures of the package itself: how long functions and files are, and how many it takes from rows to a page.

``python -m tools.measures`` prints them; nothing enforces them.
"""

from __future__ import annotations

import ast
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import TypeGuard

import infoscope as ifs

__all__ = [
    "function_lines",
    "internal_lazy_imports",
    "internal_loads_by_name",
    "longest_file",
    "most_parameters",
    "percentile_90",
    "touched",
]

PACKAGE = Path(ifs.__file__).parent
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BY_NAME = re.compile(r"""importlib\.import_module\(f?['"]infoscope""")
_ROWS = "gold,svm,knn\n" + "cat,cat,cat\ncat,dog,cat\ndog,dog,cat\nbird,bird,bird\n" * 20


def internal_lazy_imports(package: Path = PACKAGE) -> list[str]:
    """Places where a function imports another part of the package."""
    found = {
        f"{path.relative_to(package)}:{node.lineno}"
        for path, function in _functions(package)
        for node in ast.walk(function)
        if _is_internal(node)
    }
    return sorted(found)


def internal_loads_by_name(package: Path = PACKAGE) -> list[str]:
    """Places where a function loads another part of the package by its name: registers, and steps upwards."""
    found = {
        f"{path.relative_to(package)}:{node.lineno}"
        for path, function in _functions(package)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and _BY_NAME.match(ast.unparse(node))
    }
    return sorted(found)


def _is_internal(node: ast.AST) -> TypeGuard[ast.Import | ast.ImportFrom]:
    if isinstance(node, ast.ImportFrom):
        return node.level > 0 or (node.module or "").split(".")[0] == "infoscope"
    return isinstance(node, ast.Import) and any(name.name.split(".")[0] == "infoscope" for name in node.names)


def most_parameters(package: Path = PACKAGE) -> tuple[int, str]:
    """The longest list of parameters, without ``self``, and whose it is; keywords behind ``**`` count as none."""
    found = []
    for path, function in _functions(package):
        given = [each.arg for each in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
        names = [name for name in given if name not in ("self", "cls")]
        found.append((len(names), f"{path.relative_to(package)}: {function.name}"))
    return max(found)


def function_lines(package: Path = PACKAGE) -> list[int]:
    """The lines of every function, with its docstring, the shortest first."""
    return sorted((node.end_lineno or node.lineno) - node.lineno + 1 for _, node in _functions(package))


def longest_file(package: Path = PACKAGE) -> tuple[int, str]:
    """Lines and name of the longest file."""
    return max((_lines(path), str(path.relative_to(package))) for path in package.rglob("*.py"))


def percentile_90(sorted_numbers: list[int]) -> int:
    """The number that nine of ten do not exceed."""
    return sorted_numbers[int(0.9 * len(sorted_numbers))]


def touched(action: Callable[[], object]) -> tuple[int, int]:
    """Files and functions of the package that run in a call; comprehensions and lambdas belong to their function."""
    seen: set[CodeType] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(PACKAGE)) and not code.co_name.startswith("<"):
            seen.add(code)

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return len({code.co_filename for code in seen}), len(seen)


@cache
def _functions(package: Path) -> tuple[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef], ...]:
    """Every function and its file: read once for all measures of a run."""
    return tuple(
        (path, node)
        for path in sorted(package.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, _FUNCTIONS)
    )


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _to_a_page() -> Iterator[str]:
    """Yield the costs from a file and from a table to a page, once everything is loaded."""
    with tempfile.TemporaryDirectory() as folder:
        source, page = Path(folder) / "log.csv", Path(folder) / "page.html"
        source.write_text(_ROWS, encoding="utf-8")
        table = ifs.read(source, truth="gold", system="svm")
        actions: dict[str, Callable[[], object]] = {
            "a CSV": lambda: ifs.evaluate(source, truth="gold", system="svm").to_html(page, force=True),
            "a table": lambda: ifs.evaluate({"svm": table}).to_html(page, force=True),
        }
        for title, action in actions.items():
            action()
            files, functions = touched(action)
            yield f"from {title} to a page: {files} files, {functions} functions"
        files, functions = touched(lambda: ifs.metrics.registry.find("proficiency").score(table))
        yield f"from a table to a number: {files} files, {functions} functions"


def main() -> None:
    """Print all of them."""
    lengths = function_lines()
    files = list(PACKAGE.rglob("*.py"))
    shown = [path for folder in ("reports", "results") for path in (PACKAGE / folder).rglob("*.py")]
    print(f"{len(files)} files, {sum(map(_lines, files)):,} lines; the longest: {' '.join(map(str, longest_file()))}")
    print(f"reports and results: {len(shown)} files, {sum(map(_lines, shown)):,} lines")
    print(f"{len(lengths):,} functions; nine of ten have at most {percentile_90(lengths)} lines")
    print(f"most parameters: {' '.join(map(str, most_parameters()))}")
    lazy = internal_lazy_imports()
    print(f"imports of the package inside functions: {len(lazy)} ({', '.join(lazy)})")
    by_name = internal_loads_by_name()
    print(f"parts of the package that functions load by name: {len(by_name)} ({', '.join(by_name)})")
    print("\n".join(_to_a_page()))


if __name__ == "__main__":
    main()

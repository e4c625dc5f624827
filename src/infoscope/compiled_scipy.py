"""Functions of SciPy from its compiled files, which are loaded by themselves.

Loading ``scipy.special``, ``scipy.sparse`` or ``scipy.optimize`` takes a tenth to a quarter of a second each, nearly
all of it for array libraries other than NumPy and for functions that nobody calls here. Some of their compiled files
stand alone. Where a release of SciPy has arranged them in another way, the public module is loaded.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["compiled_file", "scipy_function"]


@cache
def compiled_file(package: str, name: str) -> ModuleType | None:
    """A compiled file of one of SciPy's packages; None where there is none of this name that stands alone."""
    scipy = find_spec("scipy")
    folders = [Path(place, package) for place in (scipy and scipy.submodule_search_locations) or ()]
    files = [folder / f"{name}{end}" for folder in folders for end in EXTENSION_SUFFIXES]
    path = next(filter(Path.is_file, files), None)
    spec = path and spec_from_file_location(f"scipy.{package}.{name}", path)
    if not spec or spec.loader is None:
        return None
    try:
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError:
        return None
    return module


def scipy_function(package: str, file: str, name: str) -> Callable[..., Any]:
    """A public function of one of SciPy's packages, from the compiled file that has it where that is found.

    >>> assign = scipy_function("optimize", "_lsap", "linear_sum_assignment")
    >>> assign([[2, 1], [1, 3]])[1].tolist()
    [1, 0]
    """
    found = getattr(compiled_file(package, file), name, None)
    function: Callable[..., Any] = found or getattr(import_module(f"scipy.{package}"), name)
    return function

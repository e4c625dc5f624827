"""Every public function says its arguments once: in its signature, and in the sections of its docstring."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import infoscope as ifs

MODULES = (
    "clustering",
    "datasets",
    "experiments",
    "latent",
    "metrics",
    "mlflow",
    "multilabel",
    "operating_points",
    "sklearn",
    "tracking",
)
"""Modules whose functions users call by name; those of ``torch`` are classes."""

OPEN = {"mlflow.metric", "sklearn.scorer"}
"""Functions that hand ``**options`` to any registered metric, which checks their names; packages add metrics."""


def list_public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield public functions by the names that users write after ``infoscope``."""
    for name in sorted(ifs.__all__):
        if name == "torch":
            continue
        value = getattr(ifs, name)
        if inspect.isfunction(value):
            yield name, value
        elif isinstance(value, types.ModuleType) and name in MODULES:
            for inner in getattr(value, "__all__", None) or [inner for inner in vars(value) if inner[0] != "_"]:
                if inspect.isfunction(getattr(value, inner)):
                    yield f"{name}.{inner}", getattr(value, inner)


def read_sections(docstring: str) -> dict[str, str]:
    """Return the text of each numpydoc section by its heading."""
    parts = re.split(r"(?m)^(\w[\w ]*)\n-{3,}$\n", docstring)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def find_gaps(function: Callable[..., Any]) -> Iterator[str]:
    """Yield what a reader of ``help(function)`` does not learn about its call."""
    sections = read_sections(inspect.getdoc(function) or "")
    entries = re.findall(r"(?m)^(\*{0,2}\w[\w, *]*?)(?: : .*)?$", sections.get("Parameters", ""))
    documented = {name.strip(" *") for entry in entries for name in entry.split(",")}
    parameters = inspect.signature(function).parameters
    for parameter in parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            yield f"**{parameter.name} hides keywords"
        elif parameter.name not in documented:
            yield f"parameter {parameter.name} is not in the section Parameters"
    for name in sorted(documented - set(parameters)):
        yield f"{name} is documented and is no parameter"
    if "Returns" not in sections and "Yields" not in sections and function.__annotations__.get("return") != "None":
        yield "there is no section Returns"


FUNCTIONS = dict(list_public_functions())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signature_and_docstring_say_the_same(name):
    gaps = [gap for gap in find_gaps(FUNCTIONS[name]) if name not in OPEN or gap != "**options hides keywords"]
    assert not gaps


def test_gaps_are_noticed():
    def study(source: str, level: float = 0.95, **options: int) -> object:
        """Return a number.

        Parameters
        ----------
        source, other : str
            Rows.
        """
        return source, level, options

    assert list(find_gaps(study)) == [
        "parameter level is not in the section Parameters",
        "**options hides keywords",
        "other is documented and is no parameter",
        "there is no section Returns",
    ]

"""Pages of sweeps and tunings: reports register themselves here, since they lie above."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from infoscope.page_files import write_page

__all__ = ["renders", "shown"]

Renderer = Callable[..., str]
_RENDERERS: dict[str, Renderer] = {}


def renders(kind: str) -> Callable[[Renderer], Renderer]:
    """File a function as the page of a kind of result; reports do this when they are loaded."""

    def file(renderer: Renderer) -> Renderer:
        _RENDERERS[kind] = renderer
        return renderer

    return file


def shown(kind: str, path: str | Path | None, force: bool, *given: Any, **options: Any) -> str | Path:
    """The page's text, or the file it was written to."""
    importlib.import_module("infoscope").load_renderers()  # the one upward step: reports register themselves
    page = _RENDERERS[kind](*given, **options)
    return page if path is None else write_page(path, page, force=force)

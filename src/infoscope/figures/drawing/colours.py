"""Colours by role, for light and dark; the ramps of maps; all safe for colour-blind readers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["DARK", "LIGHT", "accuracy_colour", "hexadecimal", "is_dark", "on_colour", "ramp", "rgb", "series"]

LIGHT = {
    "ink": "#16181d",
    "dim": "#5a6070",
    "faint": "#c9ced8",
    "grid": "#e1e5eb",
    "plane": "#f5f6f8",
    "paper": "#ffffff",
    "accent": "#0068a8",
    "captured": "#0068a8",
    "missed": "#cf9200",
    "false": "#c24a00",
    "on-captured": "#ffffff",
    "on-missed": "#16181d",
    "on-false": "#ffffff",
    "gold": "#b8860b",
    "series0": "#0068a8",
    "series1": "#b84300",
    "series2": "#00795a",
    "series3": "#a3406f",
    "series4": "#8f6200",
    "series5": "#007c8a",
    "series6": "#6a4c93",
    "series7": "#7a5230",
}
DARK = {
    "ink": "#e9e7e2",
    "dim": "#a9afbb",
    "faint": "#454c58",
    "grid": "#2a2f38",
    "plane": "#181b21",
    "paper": "#101216",
    "accent": "#6dbbec",
    "captured": "#4aa8e0",
    "missed": "#e0a93a",
    "false": "#f08049",
    "on-captured": "#0b0d10",
    "on-missed": "#0b0d10",
    "on-false": "#0b0d10",
    "gold": "#f0c54a",
    "series0": "#6dbbec",
    "series1": "#f59a6b",
    "series2": "#4cc9a0",
    "series3": "#e391bd",
    "series4": "#e0b04a",
    "series5": "#5fd0dd",
    "series6": "#b79ce0",
    "series7": "#d0a27f",
}
"""The same roles on a dark page."""

VIRIDIS = ("#440154", "#482878", "#3e4a89", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725")
ERRORS = ("#f5f6f8", "#f6d7c4", "#e99c6f", "#cf6226", "#8f3500")
HITS = ("#e2edf6", "#a9cde6", "#5aa0d0", "#0068a8", "#004a78")


def series(at: int) -> str:
    """The role of the n-th of several things of a kind."""
    return f"series{at % 8}"


def rgb(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of ``#rrggbb``."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def hexadecimal(parts: Iterable[float]) -> str:
    """``#rrggbb`` of red, green and blue."""
    return "#" + "".join(f"{round(float(part)):02x}" for part in parts)


def ramp(stops: Sequence[str], share: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Colours between the stops, (..., 3), for shares from 0 to 1."""
    table = np.array([rgb(stop) for stop in stops], dtype=np.float64)
    where = np.clip(np.asarray(share, dtype=np.float64), 0.0, 1.0) * (len(stops) - 1)
    return np.stack([np.interp(where, np.arange(len(stops)), table[:, part]) for part in range(3)], axis=-1)


def accuracy_colour(accuracy: float | None) -> str:
    """Dark for never right, bright for always right; grey where there is no accuracy."""
    return "#8a8f99" if accuracy is None or not np.isfinite(accuracy) else hexadecimal(ramp(VIRIDIS, accuracy))


def on_colour(colour: str) -> str:
    """Black or white, whichever reads better on a colour (by WCAG contrast)."""
    return "#ffffff" if 1.05 / (_luminance(colour) + 0.05) > (_luminance(colour) + 0.05) / 0.05 else "#000000"


def is_dark(colour: str) -> bool:
    """Whether a page of this colour needs light ink."""
    return on_colour(colour) == "#ffffff"


def _luminance(colour: str) -> float:
    parts = [part / 255 for part in rgb(colour)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

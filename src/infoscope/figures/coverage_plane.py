"""The plane of the coverage plot: lines of equal error, and the line on which as much is said as there is to say."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan, degrees, hypot

from infoscope.figures.scene import Line, Mark, Point, Words

__all__ = ["INNER", "iso_lines"]

INNER = (394.0, 372.0)
"""Width and height between the axes."""
_SAID = "says as much as there is to say"


def iso_lines(x: Point, y: Point, points: Sequence[Point]) -> list[Mark]:
    """Lines of equal erroneous information, and the one where as much is said as there is to say."""
    marks: list[Mark] = []
    pixel = (x[1] - x[0]) / INNER[0]
    words = list(points)
    step = 0.25 if y[1] - y[0] > 0.5 else 0.1 if y[1] - y[0] > 0.2 else 0.05
    named = False
    for count in range(1, round((1.0 + x[1]) / step) + 1):
        error = count * step
        start = max(x[0], y[0] + error - 1.0)
        end = min(x[1], y[1] + error - 1.0)
        if end <= start:
            continue
        line = ((start, start + 1.0 - error), (end, end + 1.0 - error))
        marks.append(Line(line, "faint", dash=(2.0, 4.0)))
        corner = abs(line[0][1] - y[0]) / (y[1] - y[0]) + abs(start - x[0]) / (x[1] - x[0])
        if end - start > 0.08 * (x[1] - x[0]) and corner > 0.05:
            text = f"{error:.2f}".rstrip("0").rstrip(".")
            told = text if named else f"erroneous {text}"
            marks.append(Words(*line[0], told, "dim", "small", shift=(5.0, -7.0), halo="paper"))
            words += [(start + away * pixel, line[0][1]) for away in (5.0, 45.0, 85.0)] if not named else []
            named = True
    said = ((max(x[0], 1.0 - y[1]), min(1.0 - x[0], y[1])), (min(x[1], 1.0 - y[0]), max(1.0 - x[1], y[0])))
    if said[1][0] > said[0][0]:
        marks.append(Line(said, "dim", dash=(6.0, 3.0), tip="the output says as much as there is to say, H(S) = H(T)"))
        marks += _said(said, x, y, words)
    return marks


def _said(line: tuple[Point, Point], x: Point, y: Point, points: Sequence[Point]) -> list[Mark]:
    """The name of the line, where it is farthest from the points."""
    across, up = INNER[0] / (x[1] - x[0]), INNER[1] / (y[1] - y[0])
    (x0, y0), (x1, y1) = line
    length = hypot((x1 - x0) * across, (y1 - y0) * up)
    if length < 260.0:
        return []
    half = 108.0 / length
    tries = [half + (1.0 - 2.0 * half) * at / 20 for at in range(21)]

    def room(share: float) -> float:
        """To the nearest point, from five places along the words."""
        steps = [share + half * (at - 2) / 2 for at in range(5)]
        places = [(x0 + at * (x1 - x0), y0 + at * (y1 - y0)) for at in steps]
        away = [hypot((px - qx) * across, (py - qy) * up) for px, py in places for qx, qy in points]
        return min(away, default=0.0)

    share = max(tries, key=room)
    if points and room(share) < 22.0:
        return []
    angle = degrees(atan((y1 - y0) * up / ((x1 - x0) * across)))
    at = (x0 + share * (x1 - x0), y0 + share * (y1 - y0))
    return [Words(*at, _SAID, "dim", "small", "middle", (-8.0, 8.0), angle, italic=True)]

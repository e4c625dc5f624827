"""Settings of a tracker, or of the gate, as curves in the coverage plane; and the settings that no other beats."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

__all__ = ["CurvePoint", "GateSweep", "tuning_curves"]

_SETTING = re.compile(r"^(?P<base>.+)@(?P<parameter>[^=@]+)=(?P<value>.+)$")


@dataclass(frozen=True)
class GateSweep:
    """Information figures at each gate, and their mean over the gates."""

    points: tuple[Mapping[str, float | None], ...]

    @property
    def mean(self) -> dict[str, float | None]:
        """The mean over gates, a figure that does not depend on one of them; None where one is undefined."""
        return {name: _mean([point[name] for point in self.points]) for name in self.points[0] if name != "gate"}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None and not isnan(value)]
    return sum(known) / len(known) if len(known) == len(values) else None


@dataclass(frozen=True)
class CurvePoint:
    """One setting of a tracker in the coverage plane."""

    value: float | str
    name: str
    false_information_ratio: float | None
    proficiency: float | None


def tuning_curves(places: Mapping[str, tuple[float, float]]) -> dict[str, tuple[CurvePoint, ...]]:
    """Systems named ``tracker@parameter=value``, joined by tracker and parameter in the order of the value.

    >>> curves = tuning_curves({"t@gate=0.5": (0.2, 0.8), "t@gate=0.3": (0.1, 0.7)})
    >>> [point.value for point in curves["t@gate"]]
    [0.3, 0.5]
    """
    curves: dict[str, list[CurvePoint]] = {}
    for name, (false, captured) in places.items():
        found = _SETTING.match(name)
        if found:
            point = CurvePoint(_number(found["value"]), name, false, captured)
            curves.setdefault(f"{found['base']}@{found['parameter']}", []).append(point)
    return {
        title: tuple(sorted(points, key=lambda point: (isinstance(point.value, str), point.value)))
        for title, points in curves.items()
    }


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text

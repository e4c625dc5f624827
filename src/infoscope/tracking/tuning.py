"""Settings of a tracker, or of the gate, as curves in the coverage plane; and which settings nobody beats."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

__all__ = ["GateSweep", "pareto_front", "tuning_curves"]

_SETTING = re.compile(r"^(?P<base>.+)@(?P<parameter>[^=@]+)=(?P<value>.+)$")


@dataclass(frozen=True)
class GateSweep:
    """Information figures at each gate, and their mean over the gates."""

    points: tuple[dict[str, float], ...]

    @property
    def mean(self) -> dict[str, float]:
        """The mean over gates: a figure that does not hang on one of them."""
        return {
            name: sum(point[name] for point in self.points) / len(self.points)
            for name in self.points[0]
            if name != "gate"
        }

    def to_dict(self) -> dict[str, Any]:
        """The points and their mean; an undefined number is null."""
        points = [*self.points, self.mean]
        plain = [{name: None if isnan(value) else value for name, value in each.items()} for each in points]
        return {"points": plain[:-1], "mean": plain[-1]}


def pareto_front(places: Mapping[str, tuple[float, float]]) -> tuple[str, ...]:
    """The systems that no other beats in both false and captured information, by rising false information.

    >>> pareto_front({"a": (0.1, 0.5), "b": (0.2, 0.9), "c": (0.3, 0.8)})
    ('a', 'b')
    """
    front: list[str] = []
    best = float("-inf")
    defined = {name: place for name, place in places.items() if not any(map(isnan, place))}
    for name, (_, captured) in sorted(defined.items(), key=lambda item: (item[1][0], -item[1][1])):
        if captured > best:
            front.append(name)
            best = captured
    return tuple(front)


def tuning_curves(places: Mapping[str, tuple[float, float]]) -> dict[str, list[dict[str, Any]]]:
    """Systems named ``tracker@parameter=value``, joined by tracker and parameter in the order of the value.

    >>> curves = tuning_curves({"t@gate=0.5": (0.2, 0.8), "t@gate=0.3": (0.1, 0.7)})
    >>> [point["value"] for point in curves["t@gate"]]
    [0.3, 0.5]
    """
    curves: dict[str, list[dict[str, Any]]] = {}
    for name, (false, captured) in places.items():
        found = _SETTING.match(name)
        if found:
            point = {
                "value": _number(found["value"]),
                "name": name,
                "false_information_ratio": false,
                "proficiency": captured,
            }
            curves.setdefault(f"{found['base']}@{found['parameter']}", []).append(point)
    for points in curves.values():
        points.sort(key=lambda point: (isinstance(point["value"], str), point["value"]))
    return curves


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text

"""The maps of all systems: entropy triangle, coverage, split triangle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from infoscope.evaluation import Evaluation, SystemResult
from infoscope.figures.coverage import CoverageDisplay, CoveragePoint, Spread
from infoscope.figures.display import Display
from infoscope.figures.split_triangle import SplitPoint, SplitTriangleDisplay
from infoscope.figures.svg import svg
from infoscope.figures.triangle import EntropyTriangleDisplay, Shares, TrianglePoint
from infoscope.report.html.elements import Html, element
from infoscope.report.html.verdict import ABSENT

__all__ = ["coverage_points", "maps", "split_points", "triangle_points"]

MOST_SPLIT = 8
"""Joined pairs that one split triangle can show apart."""


def _known(system: SystemResult, names: Sequence[str]) -> list[float] | None:
    values = [system.number(name) for name in names]
    return None if any(value is None for value in values) else [float(value) for value in values if value is not None]


def coverage_points(systems: Sequence[SystemResult]) -> list[CoveragePoint]:
    """Places in the coverage plot; undefined ones are left out.

    The covariance of captured and false information follows from the spread of their difference, the erroneous
    information: Var(1 − f + r) = Var f + Var r − 2 Cov(f, r).
    """
    points = []
    for system in systems:
        place = _known(system, ("false_information_ratio", "proficiency"))
        if place is not None:
            points.append(CoveragePoint(system.title, place[0], place[1], system.number("accuracy"), _spread(system)))
    return points


def _spread(system: SystemResult) -> Spread | None:
    false, captured, all_errors = (
        system.metrics.get(name, ABSENT)
        for name in ("false_information_ratio", "proficiency", "erroneous_information_ratio")
    )
    if None in (false.sd, captured.sd, all_errors.sd, false.mean, captured.mean):
        return None
    r, f, s = float(false.sd or 0.0), float(captured.sd or 0.0), float(all_errors.sd or 0.0)
    shared = float(np.clip((f * f + r * r - s * s) / 2.0, -f * r, f * r))
    return Spread((float(false.mean or 0.0), float(captured.mean or 0.0)), np.array([[r * r, shared], [shared, f * f]]))


def triangle_points(systems: Sequence[SystemResult]) -> list[TrianglePoint]:
    """Places in the entropy triangle; undefined ones are left out."""
    points = []
    for system in systems:
        shares = _known(system, ("triangle_divergence", "triangle_transfer", "triangle_variation"))
        if shares is not None:
            points.append(TrianglePoint(system.title, Shares(*shares), system.number("accuracy")))
    return points


def split_points(systems: Sequence[SystemResult]) -> list[SplitPoint]:
    """Both ends of each system in the split triangle; undefined ones are left out."""
    points = []
    for system in systems:
        sides = [
            _known(system, [f"split_{side}_{part}" for part in ("divergence", "transfer", "remainder")])
            for side in ("truth", "system")
        ]
        if sides[0] is not None and sides[1] is not None:
            points.append(SplitPoint(system.title, Shares(*sides[0]), Shares(*sides[1])))
    return points


def maps(evaluation: Evaluation) -> Html:
    """The section with its figures; empty where no system has a place."""
    figures = list(_figures(list(evaluation.ranking)))
    if not figures:
        return Html("")
    note = (
        "Touch a dot or a row: the system lights up everywhere. Drag across a map to pick several."
        if len(evaluation.systems) > 1
        else ""
    )
    return element(
        "section",
        element("h2", "Maps"),
        element("p", note, class_="note js") if note else Html(""),
        element("div", *figures, class_="two maps"),
        id="maps",
    )


def _figures(systems: Sequence[SystemResult]) -> Iterator[Html]:
    triangle, coverage, split = triangle_points(systems), coverage_points(systems), split_points(systems)
    if triangle:
        yield _figure(
            "Entropy triangle",
            EntropyTriangleDisplay(triangle),
            "High is good; left is lost to imbalance, right to error.",
        )
    if coverage:
        yield _figure(
            "Information coverage",
            CoverageDisplay(coverage),
            "The star is all of the truth and nothing but the truth; dotted lines join equal error.",
        )
    near = [point for point in coverage if point.captured >= 0.5 * max(p.captured for p in coverage)]
    if len(near) > 1 and any(point.spread is not None for point in near):
        yield _figure(
            "Coverage, the best enlarged",
            CoverageDisplay(near, zoom=True),
            "Ellipses hold the true place with 95% probability.",
        )
    if split:
        some = split[:MOST_SPLIT]
        rest = f" The best {MOST_SPLIT} of {len(split)}." if len(split) > MOST_SPLIT else ""
        yield _figure(
            "Split triangle",
            SplitTriangleDisplay(some),
            f"Truth and output, each against its own number of classes.{rest}",
        )


def _figure(title: str, display: Display, caption: str) -> Html:
    return element(
        "figure",
        element("figcaption", element("b", title), " ", element("span", caption, class_="dim")),
        Html(svg(display.panel())),
        class_="map",
    )

"""The information surface and the bounds, as data."""

import mpmath
import numpy as np
import pytest

import infoscope as ifs
from infoscope import operating_points as points
from tests.api import SOLID_GRID, Dot, Line, project


def test_surface_is_the_information_of_the_rates():
    surface = points.information_surface(0.9, points=21)

    for i, j in [(0, 0), (3, 17), (10, 4), (20, 20), (20, 0)]:
        tpr, tnr = surface.tpr[i], surface.tnr[j]
        cells = [[0.9 * tpr, 0.9 * (1 - tpr)], [0.1 * (1 - tnr), 0.1 * tnr]]
        joint = [mpmath.mpf(p) for row in cells for p in row]
        columns = [mpmath.mpf(cells[0][c]) + mpmath.mpf(cells[1][c]) for c in (0, 1)]
        log2 = lambda p: mpmath.log(p, 2) if p > 0 else mpmath.mpf(0)  # noqa: E731
        missed = -sum(p * (log2(p) - log2(columns[at % 2])) for at, p in enumerate(joint) if p > 0)
        truth = -(mpmath.mpf("0.9") * log2(mpmath.mpf("0.9")) + mpmath.mpf("0.1") * log2(mpmath.mpf("0.1")))
        assert surface.proficiency[i, j] == pytest.approx(float(1 - missed / truth), abs=1e-9)


def test_surface_is_zero_on_the_worthless_line_and_symmetric_about_it():
    surface = points.information_surface(0.7, points=41)

    np.testing.assert_allclose(np.diag(surface.proficiency[:, ::-1]), 0, atol=1e-12)
    np.testing.assert_allclose(surface.proficiency, surface.proficiency[::-1, ::-1], atol=1e-12)


def test_bounds_enclose_the_bayes_error_and_meet_the_metrics():
    rng = np.random.default_rng(0)
    tables = [(str(i), ifs.Contingency.from_matrix(rng.integers(1, 30, (4, 4)))) for i in range(20)]
    curves = points.bound_curves(tables, points=2001)

    for point, (_, table) in zip(curves.points, tables, strict=True):
        lower = np.interp(point.missed, curves.missed, curves.tight_fano)
        assert lower == pytest.approx(float(ifs.metrics.tight_fano_bound(table)), abs=1e-4)
        assert lower - 1e-4 <= point.bayes_error <= np.interp(point.missed, curves.missed, curves.hellman_raviv) + 1e-12
        assert point.bayes_error <= point.error
        weak = np.interp(point.missed, curves.missed, curves.fano)
        assert weak == pytest.approx(float(ifs.metrics.fano_bound(table)), abs=5e-3)
    assert curves.tight_fano[-1] == pytest.approx(0.75)


def test_hellman_raviv_does_not_bound_the_observed_error():
    """Hu & Wang's M4 breaks it: the bound is about the best decision, not the system's own."""
    curves = points.bound_curves([("M4", ifs.Contingency.from_matrix([[78, 12], [0, 10]]))])

    assert curves.points[0].error > curves.points[0].missed / 2
    assert curves.points[0].bayes_error <= curves.points[0].missed / 2


@pytest.mark.slow
def test_the_surface_in_space_stands_where_its_systems_are():
    """Heights by the projection: raising a point by its information moves it straight up the page."""
    table = ifs.Contingency.from_matrix([[9, 1, 0], [10, 80, 0]], reject=2, positive=0)
    solid = ifs.SurfaceDisplay.from_table({"svm": table}, three_d=True).panel()
    (dot,) = [mark for mark in solid.marks if isinstance(mark, Dot)]
    below = project(0.9, 80 / 90)

    assert dot.x == pytest.approx(below[0])
    top = project(1.0, 1.0, 1.0)[1] - project(1.0, 1.0)[1]
    assert (dot.y - below[1]) / top == pytest.approx(float(ifs.metrics.proficiency(table)), abs=1e-12)
    patches = [mark for mark in solid.marks if isinstance(mark, Line) and mark.closed and mark.fill]
    assert len(patches) == (SOLID_GRID - 1) ** 2
    assert ifs.SurfaceDisplay.at_prevalence(0.3, three_d=True).to_svg().startswith("<svg")


def test_a_reject_column_has_no_place_on_the_map_unless_it_is_empty():
    empty = ifs.Contingency.from_matrix([[90, 0, 0], [1, 9, 0]], reject=2)
    bare = ifs.Contingency.from_matrix([[90, 0], [1, 9]])
    assert ifs.SurfaceDisplay.from_table(empty).systems == ifs.SurfaceDisplay.from_table(bare).systems

"""Which tracker is better: differences on the same sequences or the same truth tracks, and the Pareto front."""

import itertools
from collections.abc import Sequence as Sequences
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from infoscope.core.numerics import Real, pareto_front
from infoscope.errors import InputError
from infoscope.results.estimate import Difference, Estimate, Verdict
from infoscope.studies.tracking.measures import measures, values_of
from infoscope.studies.tracking.options import TrackingOptions
from infoscope.studies.tracking.result import TrackerComparison
from infoscope.studies.tracking.sums import TrackSums, join, stack
from infoscope.studies.tracking.tuning import tuning_curves
from infoscope.studies.tracking.uncertainty import FEWEST

if TYPE_CHECKING:
    from infoscope.studies.tracking.score import EvaluatedTracker

__all__ = ["COMPARED", "compare_systems"]

COMPARED = (
    "erroneous_information_ratio", "proficiency", "false_information_ratio", "information_jaccard",
    "mota", "idf1", "hota",
)  # fmt: skip
"""The metrics whose differences are reported, the deciding one first."""

_EXACT = 12
"""Up to this many units every pattern of signs is tried; beyond, some are drawn."""

_DRAWN = 9999


def compare_systems(systems: Sequences["EvaluatedTracker"], rng: np.random.Generator) -> TrackerComparison:
    """Every pair of systems on the truth they share."""
    _check_same_truth(systems)
    pairs = [difference for a, b in itertools.combinations(systems, 2) for difference in _differences(a, b, rng)]
    places = {each.name: (_plug_in(each, "false_information_ratio"), _plug_in(each, "proficiency")) for each in systems}
    worst_last = sorted(places, key=lambda name: (1 - places[name][1] + places[name][0], name))
    unit = _units(systems[0]).kind
    names, (false, captured) = list(places), np.array(list(places.values())).T
    front = tuple(names[at] for at in pareto_front(captured, false).tolist())
    return TrackerComparison(tuple(pairs), tuple(worst_last), front, tuning_curves(places), unit)


class _Units(NamedTuple):
    """What was drawn independently: sequences, or truth tracks with the false tracks beside them."""

    kind: str
    rows: TrackSums
    others: TrackSums | None


def _differences(a: "EvaluatedTracker", b: "EvaluatedTracker", rng: np.random.Generator) -> list[Difference]:
    per, level = a.settings.per, a.settings.level
    units = [_units(each) for each in (a, b)]
    cards = {each.name: each.card for each in measures(per)}
    parts = [_contributions(each, system.total, a.settings) for each, system in zip(units, (a, b), strict=True)]
    found = []
    for metric in COMPARED:
        difference = _plug_in(a, metric) - _plug_in(b, metric)
        paired = parts[0][metric][0] - parts[1][metric][0]
        alone = parts[0][metric][1] + parts[1][metric][1]
        size = len(paired)
        known = size >= FEWEST and np.isfinite(difference) and np.isfinite(paired).all()
        sd = float(np.sqrt(size * np.var(paired, ddof=1) + alone)) if known else float("nan")
        reach = float(stdtrit(size - 1, 0.5 + level / 2)) * sd if known else float("nan")
        sign = -1.0 if cards[metric].better == "lower" else 1.0
        better = _probability(sign * difference, sd, size - 1)
        p_value = _sign_flip(paired, rng) if known and units[0].kind == "sequence" else float("nan")
        found.append(
            Difference(
                a=a.name,
                b=b.name,
                metric=metric,
                estimate=_estimate(difference, sd, reach),
                probability_a_better=better if np.isfinite(better) else None,
                paired=True,
                verdict=_verdict(better, level),
                tests={"sign_flip_p_value": p_value} if np.isfinite(p_value) else {},
            )
        )
    return found


def _plug_in(tracker: "EvaluatedTracker", metric: str) -> float:
    value = tracker.estimates[metric].value
    return float("nan") if value is None else value


def _estimate(difference: float, sd: float, reach: float) -> Estimate:
    if not np.isfinite(sd):
        return Estimate.of(difference, "one of the two is undefined")
    return Estimate(difference, difference, sd, difference - reach, difference + reach)


def _verdict(better: float, level: float) -> Verdict:
    tail = (1 - level) / 2
    return "better" if better > 1 - tail else "worse" if better < tail else "inconclusive"


def _units(system: "EvaluatedTracker") -> _Units:
    if len(system.sequences) >= FEWEST:
        return _Units("sequence", stack([each.total for each in system.sequences]), None)
    return _Units(
        "truth track",
        join([each.truth_rows for each in system.sequences]),
        join([each.system_rows for each in system.sequences]),
    )


def _contributions(units: _Units, whole: TrackSums, settings: TrackingOptions) -> dict[str, tuple[Real, float]]:
    """What each unit contributes to each metric, and the variance that false tracks add by themselves."""
    value, left_out = values_of(whole, settings.per), values_of(units.rows.among(whole), settings.per)
    share = (units.rows.tracks - 1) / units.rows.tracks
    found = {name: (value[name] - share * left_out[name], 0.0) for name in COMPARED}
    if units.others is None:
        return found
    come = values_of(units.others.among(whole), settings.per)
    alone = {name: float(np.nansum((come[name] - value[name]) ** 2)) for name in COMPARED}
    found = {name: (each, alone[name]) for name, (each, _) in found.items()}
    if settings.per == "truth" and whole.truth_bits > 0:
        found |= _ledger_contributions(units.rows, units.others, float(whole.truth_bits))
    return found


def _ledger_contributions(rows: TrackSums, others: TrackSums, truth: float) -> dict[str, tuple[Real, float]]:
    """Bits of each truth track over the truth's, which both systems share."""
    lost, false = (rows.missed_bits + rows.confused_bits) / truth, rows.fragmented_bits / truth
    spurious = float(np.sum((others.spurious_bits / truth) ** 2))
    return {
        "proficiency": (-lost, 0.0),
        "false_information_ratio": (false, spurious),
        "erroneous_information_ratio": (lost + false, spurious),
    }


def _probability(gain: float, sd: float, degrees: int) -> float:
    """The probability that the gain is real, by Student's t around it."""
    if not np.isfinite(sd):
        return float("nan")
    if sd == 0:
        return 0.5 + 0.5 * float(np.sign(gain))
    return float(stdtr(degrees, gain / sd))


def _sign_flip(differences: Real, rng: np.random.Generator) -> float:
    """How often the sum would be as far from 0 if each unit's difference had come out either way."""
    size = len(differences)
    if size <= _EXACT:
        signs = np.array(list(itertools.product((-1.0, 1.0), repeat=size)))
        extreme = np.abs(signs @ differences) >= np.abs(differences.sum()) * (1 - 1e-12)
        return float(np.mean(extreme))
    signs = rng.choice((-1.0, 1.0), size=(_DRAWN, size))
    extreme = np.abs(signs @ differences) >= np.abs(differences.sum()) * (1 - 1e-12)
    return float((1 + extreme.sum()) / (1 + _DRAWN))


def _check_same_truth(systems: Sequences["EvaluatedTracker"]) -> None:
    first = systems[0]
    names = [(each.name, each.tracks.truth.ids) for each in first.sequences]
    for other in systems[1:]:
        if [(each.name, each.tracks.truth.ids) for each in other.sequences] != names:
            raise InputError(
                f"{first.name} and {other.name} were not evaluated on the same sequences and truth tracks; compare"
                " systems on one truth"
            )

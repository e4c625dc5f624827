"""Every metric of a tracker, one file per family."""

from infoscope.core.numerics import Real
from infoscope.metrics.registry import Metric
from infoscope.metrics.registry import register as register_metric
from infoscope.studies.tracking.measures.continuity import CONTINUITY
from infoscope.studies.tracking.measures.conventional import CONVENTIONAL, COUNTS, curve
from infoscope.studies.tracking.measures.information import captured_bits, information_measures
from infoscope.studies.tracking.sums import TrackSums

__all__ = ["captured_bits", "curve", "measures", "values_of"]


def measures(per: str = "truth") -> tuple[Metric, ...]:
    """All metrics under one convention of what false bits are counted per."""
    return (*information_measures(per), *CONVENTIONAL, *COUNTS, *CONTINUITY)


def values_of(tally: TrackSums, per: str = "truth") -> dict[str, Real]:
    """The value of every metric, for one tally or a batch."""
    return {each.name: each.score(tally) for each in measures(per)}


for _entry in measures():
    register_metric(_entry)

"""How often each truth track was followed by each system track, and how often by none."""

from dataclasses import dataclass

from infoscope.numeric import Real
from infoscope.tables.contingency import Contingency
from infoscope.tables.tracks import Ints, TrackId, sum_by

__all__ = ["Association"]


@dataclass(frozen=True, eq=False)
class Association:
    """Sparse counts truth track × system track, with the frames missed and the frames without a truth.

    ``counts`` and ``mirror`` are the same numbers when every detection has at most one partner. Where a
    detection is shared among several, ``counts`` holds the shares of truth detections and ``mirror``
    those of system detections, so that each side's total stays its own number of detections.
    """

    truth_ids: tuple[TrackId, ...]
    system_ids: tuple[TrackId, ...]
    rows: Ints
    columns: Ints
    counts: Real
    mirror: Real
    missed: Real
    false: Real

    @property
    def truth_matched(self) -> Real:
        """Matched frames of each truth track."""
        return sum_by(self.rows, self.counts, len(self.truth_ids))

    @property
    def system_matched(self) -> Real:
        """Matched frames of each system track, counted in truth detections."""
        return sum_by(self.columns, self.counts, len(self.system_ids))

    def to_contingency(self) -> Contingency:
        """The matched frames as a table, truth tracks in rows: what Holt et al. call the association matrix.

        Ids of the two sides are unrelated even where they look alike, so each side keeps its own.
        """
        return Contingency.from_cells(
            self.truth_ids,
            self.system_ids,
            self.rows,
            self.columns,
            self.counts,
            declared=True,
        )

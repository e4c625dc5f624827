"""When to read a posterior with care."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infoscope.posterior.exact.dirichlet import DirichletBelief, ExactBelief, MixtureBelief
from infoscope.tables import Contingency

if TYPE_CHECKING:
    from infoscope.posterior.posterior import Posterior

__all__ = ["correction_cautions", "few", "prior_cautions", "tree_cautions"]

_PER_CELL = 5  # samples per occupied cell below which the prior matters; a judgement, not fitted
_PER_CLASS = 5  # samples per class below which the levels of a tree are learnt from next to nothing; a judgement too


def few(table: Contingency) -> tuple[str, ...]:
    """A sentence about a lack of data, where it is lacking."""
    occupied = int(np.count_nonzero(table.cells))
    if not 0 < table.total < _PER_CELL * occupied:
        return ()
    return (
        f"{table.total:g} samples for {occupied} occupied cells: fewer than {_PER_CELL} each, so the prior matters",
    )


def prior_cautions(table: Contingency, prior: str, belief: object) -> tuple[str, ...]:
    """Sentences about a loud prior, or priors that disagree."""
    total = table.total
    if total == 0:
        return (f"the table has no data: everything here is the prior ({prior})",)
    found = []
    if isinstance(belief, ExactBelief) and belief.prior_mass > total:
        found.append(
            f"the prior ({prior}) is worth {belief.prior_mass:.3g} samples and speaks louder than the data ({total:g})"
        )
    k, m = table.shape
    if table.is_sparse and table.is_aligned:
        found.append(
            f"{k} × {m} classes are too many for the tree prior; with this one the information measures are likely "
            "too high wherever errors are spread thinly"
        )
    if isinstance(belief, DirichletBelief):
        mixed = MixtureBelief(table).moments
        gap = abs(belief.moments.mean_of("mutual") - mixed.mean_of("mutual"))
        if gap > mixed.sd_of("mutual") > 0:
            found.append(
                f"prior {prior} and a mixture of priors disagree about the mutual information by "
                f"{gap / mixed.sd_of('mutual'):.1f} sd ({k} × {m} classes): the interval depends on the prior"
            )
    return tuple(found)


def tree_cautions(posterior: Posterior) -> tuple[str, ...]:
    """A sentence where the tree, not the data, decides: it learns a rate for each class, which takes some samples."""
    table = posterior.origin
    classes, total = int(np.count_nonzero(table.row_totals)), float(table.total)
    if not 0 < total < _PER_CLASS * classes:
        return ()
    return (
        f"{total:g} samples for {classes} classes: fewer than {_PER_CLASS} each, so the prior ({posterior.prior}) "
        "speaks louder than the data",
    )


def correction_cautions(posterior: Posterior) -> tuple[str, ...]:
    """A sentence where the tree moves the proficiency by so much that its doubt about that widens the interval."""
    found = posterior.correction("proficiency")
    if found is None or not found.is_large:
        return ()
    return (f"proficiency is corrected for small-sample bias {found}; the interval allows for it",)

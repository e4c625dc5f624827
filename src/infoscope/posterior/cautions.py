"""When to read a posterior with care."""

import numpy as np

from infoscope.posterior.dirichlet import DirichletBelief
from infoscope.posterior.mixture import MixtureBelief
from infoscope.posterior.tree import Tree
from infoscope.tables import Contingency

__all__ = ["cautions"]

_PER_CELL = 5  # samples per occupied cell below which the prior matters; a judgement, not fitted


def cautions(table: Contingency, prior: str, belief: DirichletBelief | MixtureBelief | Tree) -> tuple[str, ...]:
    """Sentences about a lack of data, a loud prior, or priors that disagree."""
    total = table.total
    if total == 0:
        return (f"the table has no data: everything here is the prior ({prior})",)
    found = []
    occupied = int(np.count_nonzero(table.cells))
    if total < _PER_CELL * occupied:
        found.append(
            f"{total:g} samples for {occupied} occupied cells: fewer than {_PER_CELL} each, so the prior matters"
        )
    if not isinstance(belief, Tree) and belief.prior_mass > total:
        found.append(
            f"the prior ({prior}) is worth {belief.prior_mass:.3g} samples and speaks louder than the data ({total:g})"
        )
    k, m = table.shape
    if table.is_sparse and table.is_aligned:
        found.append(
            f"{k} × {m} classes are too many for the tree prior; with this one the information measures are likely "
            "too high wherever errors are spread thinly"
        )
    if not isinstance(belief, Tree) and isinstance(belief, DirichletBelief):
        mixed = MixtureBelief(table).moments
        gap = abs(belief.moments.mean_of("mutual") - mixed.mean_of("mutual"))
        if gap > mixed.sd_of("mutual") > 0:
            found.append(
                f"prior {prior} and a mixture of priors disagree about the mutual information by "
                f"{gap / mixed.sd_of('mutual'):.1f} sd ({k} × {m} classes): the interval depends on the prior"
            )
    return tuple(found)

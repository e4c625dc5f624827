"""Belief about the probabilities behind a table: exact moments, draws, intervals, priors.

``Posterior`` is where a reader starts: it chooses a belief (``prior``: Dirichlet, mixture, rows, or the ``tree`` with
its ``tree_levels`` and ``tree_rows``) and answers for each metric by exact moments (``exact_moments``, ``measures``),
by draws or by the counts of a proportion (``summary``). ``groups`` answers for rows that belong together,
``sample_size`` says how many more samples are needed.
"""

from infoscope.posterior.exact_moments import PartitionMoments, partition_covariance, partition_moments
from infoscope.posterior.measures import cramer_rao_efficiency, cramer_rao_sd
from infoscope.posterior.posterior import Posterior
from infoscope.posterior.sample_size import samples_to_halve
from infoscope.posterior.summary import Summary

__all__ = [
    "PartitionMoments",
    "Posterior",
    "Summary",
    "cramer_rao_efficiency",
    "cramer_rao_sd",
    "partition_covariance",
    "partition_moments",
    "samples_to_halve",
]

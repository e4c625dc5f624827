"""Belief about the probabilities behind a table: exact moments, draws, intervals, priors."""

from infoscope.posterior.exact.overlap import PartitionMoments, partition_covariance, partition_moments
from infoscope.posterior.first_order import cramer_rao_sd
from infoscope.posterior.posterior import Posterior
from infoscope.posterior.sample_size import samples_to_halve
from infoscope.posterior.summary import Summary

__all__ = [
    "PartitionMoments",
    "Posterior",
    "Summary",
    "cramer_rao_sd",
    "partition_covariance",
    "partition_moments",
    "samples_to_halve",
]

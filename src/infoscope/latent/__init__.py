"""Latent truth: what several systems say about a truth that nobody has labelled."""

from infoscope.latent.api import latent_truth
from infoscope.latent.label_plan import plan_labels
from infoscope.latent.model import NoLatentTruthError
from infoscope.latent.result import LatentSystem, LatentTruth

__all__ = [
    "LatentSystem",
    "LatentTruth",
    "NoLatentTruthError",
    "latent_truth",
    "plan_labels",
]

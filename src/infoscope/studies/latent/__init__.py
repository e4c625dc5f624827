"""Latent truth: what several systems say about a truth that nobody has labelled."""

from infoscope.studies.latent.api import latent_truth
from infoscope.studies.latent.label_plan import plan_labels
from infoscope.studies.latent.model import NoLatentTruthError
from infoscope.studies.latent.result import LatentSystem, LatentTruth

__all__ = [
    "LatentSystem",
    "LatentTruth",
    "NoLatentTruthError",
    "latent_truth",
    "plan_labels",
]

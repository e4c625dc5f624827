"""Latent truth: what several systems say about a truth that nobody has labelled."""

from infoscope.latent.api import latent_truth
from infoscope.latent.identifiability import TWO_SYSTEMS
from infoscope.latent.label_estimate import LabelledEstimate
from infoscope.latent.label_plan import LabelPlan, plan_labels
from infoscope.latent.result import LatentSystem, LatentTruth

__all__ = ["TWO_SYSTEMS", "LabelPlan", "LabelledEstimate", "LatentSystem", "LatentTruth", "latent_truth", "plan_labels"]

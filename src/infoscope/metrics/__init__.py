"""Metrics: pure functions of a table, one file a family."""

from infoscope.metrics.agreement import accuracy, error_rate, kappa, mcc, random_accuracy
from infoscope.metrics.coverage import (
    erroneous_information_ratio,
    error_information_ratio,
    false_information_ratio,
    information_precision,
    missed_information_ratio,
    proficiency,
)
from infoscope.metrics.shannon import (
    erroneous_information,
    false_information,
    joint_entropy,
    missed_information,
    mutual_information,
    system_entropy,
    truth_entropy,
)

__all__ = [
    "accuracy",
    "erroneous_information",
    "erroneous_information_ratio",
    "error_information_ratio",
    "error_rate",
    "false_information",
    "false_information_ratio",
    "information_precision",
    "joint_entropy",
    "kappa",
    "mcc",
    "missed_information",
    "missed_information_ratio",
    "mutual_information",
    "proficiency",
    "random_accuracy",
    "system_entropy",
    "truth_entropy",
]

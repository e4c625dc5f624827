"""Names of scikit-learn's own scorers: which metric each of them is here, and with which options."""

from __future__ import annotations

from collections.abc import Mapping

from infoscope.errors import UnknownNameError
from infoscope.integrations.sklearn.score_scorers import score_metric_named
from infoscope.metrics.registry import check_name, find

__all__ = ["LABEL_SET_NAMES", "metric_named"]

_WITH_OPTIONS: dict[str, tuple[str, Mapping[str, object]]] = {
    "brier_score_loss": ("brier_score", {"scale_by_half": "auto"}),
    **{f"{rate}_samples": (rate, {"average": "samples"}) for rate in ("f1", "jaccard", "precision", "recall")},
    "jaccard_micro": ("jaccard", {"average": "micro"}),
    "neg_brier_score": ("brier_score", {"scale_by_half": "auto"}),
    "precision_weighted": ("precision", {"average": "weighted"}),
    "roc_auc_ovo": ("roc_auc", {"multi_class": "ovo"}),
    "roc_auc_ovo_weighted": ("roc_auc", {"multi_class": "ovo", "average": "weighted"}),
    "roc_auc_ovr_weighted": ("roc_auc", {"average": "weighted"}),
}
LABEL_SET_NAMES = {
    "accuracy": "subset_accuracy",
    "f1_micro": "micro_f1",
    "precision_micro": "micro_precision",
    "recall_micro": "micro_recall",
}
"""Scorers that are another metric where an object has several labels."""
_ELSEWHERE = {
    "mutual_info_score": "mutual_information is the same in bits, and scikit-learn's is in nats",
    "top_k_accuracy": "the predicted class alone is judged here; use scikit-learn's own scorer",
}
"""Scorers that have no equal here."""


def metric_named(name: str) -> tuple[str, Mapping[str, object]]:
    """The metric that a name means, and options that belong to the name.

    >>> metric_named("roc_auc_ovo"), metric_named("neg_log_loss"), metric_named("proficiency")
    (('roc_auc', {'multi_class': 'ovo'}), ('log_loss', {}), ('proficiency', {}))
    """
    check_name(name)
    if name in _ELSEWHERE:
        raise UnknownNameError(f"there is no metric {name!r}: {_ELSEWHERE[name]}")
    return _WITH_OPTIONS[name] if name in _WITH_OPTIONS else (_without_sign(name), {})


def _without_sign(name: str) -> str:
    """The metric that scikit-learn's ``neg_`` stands before: a scorer of a loss is negative here without it, too."""
    plain = name.removeprefix("neg_")
    if plain == name:
        return name
    of_scores = score_metric_named(plain)
    try:
        entry = find(plain) if of_scores is None else of_scores
    except UnknownNameError:
        return name
    return entry.name if entry.card.better == "lower" else name

"""Names of metrics as people say them: ids, aliases, titles and symbols, and what other names stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator

import infoscope as ifs
from infoscope.errors import AmbiguousNameError, UnknownNameError

__all__ = ["COMPLEMENTS", "CURVES", "entries_named"]

COMPLEMENTS = {
    "fdr": "precision",
    "false discovery rate": "precision",
    "for": "npv",
    "false omission rate": "npv",
    "fnr": "recall",
    "false negative rate": "recall",
    "miss rate": "recall",
}
"""Rates that are 1 minus a metric."""

_AREA = "a number of the whole curve, from scores: `infoscope sweep`, or `areas` of `infoscope.sweep`"
_AVERAGE = "bits captured on average over the thresholds"
CURVES = {
    "auc": f"area under the ROC curve; {_AREA}",
    "roc auc": f"area under the ROC curve; {_AREA}",
    "area under the roc curve": f"area under the ROC curve; {_AREA}",
    "average precision": f"area under the precision-recall steps; {_AREA}",
    "average information": f"{_AVERAGE} that the samples' own scores set; {_AREA}",
    "nai": f"{_AVERAGE}, over those of a perfect ranker; {_AREA}",
    "normalized average information": f"{_AVERAGE}, over those of a perfect ranker; {_AREA}",
    "log loss": "cross-entropy of the probabilities (in bits here, times ln 2 in nats): "
    "`operating_points.probabilistic_scores`",
    "cross entropy": "−log2 of the probability given to the true class, on average: "
    "`operating_points.probabilistic_scores`",
    "joint proficiency": "proficiency of whole label sets as classes: `infoscope multilabel`",
    "cramer rao sd": "first-order standard error of a measure, beside the posterior sd in an evaluation",
}
"""What is not a metric of a table: what it is, and where it is computed."""

_COMMON = {"ppv": "precision", "tpr": "recall", "fpr": "false_alarm_rate", "tnr": "specificity", "npv": "npv"}
"""Names that a paper uses for a weighted average, and everybody else for two classes."""
_GREEK = {"alpha": "α", "alpha'": "α'", "xi": "ξ", "phi": "φ", "kappa": "κ", "mu": "μ", "delta": "δ"}


def entries_named(name: str) -> list[ifs.metrics.registry.Metric]:
    """The metrics of this name, the most usual first; an unknown name is refused with the nearest.

    A name may be followed by its symbol, or by a remark in brackets: "recall R", "NH (Hu & Wang eq. 17)".
    """
    try:
        known = ifs.metrics.registry.find(name)
    except AmbiguousNameError:
        raise
    except UnknownNameError:
        found = [*_matching(name)] or [*_without_symbol(name)]
        if not found:
            raise
        return found
    usual = _COMMON.get(_folded(name))
    return [known] if usual in (None, known.name) else [ifs.metrics.registry.find(usual), known]


def _folded(name: str) -> str:
    plain = name.casefold().replace("_", " ").replace("-", " ").replace("normalised", "normalized")
    return " ".join(re.sub(r"[’']s\b", "", plain).split())


def _everything() -> Iterator[ifs.metrics.registry.Metric]:
    yield from ifs.metrics.registry.all_metrics()
    yield from ifs.metrics.registry.all_metrics("label_sets")
    yield from ifs.metrics.registry.all_metrics("tracks")


def _names(entry: ifs.metrics.registry.Metric) -> Iterator[str]:
    yield entry.name
    yield from entry.card.aliases
    yield entry.card.title


def _matching(name: str) -> Iterator[ifs.metrics.registry.Metric]:
    """By title, or by id and title of label sets and trackers, else by symbol; scikit-learn's "_score" is left out."""
    wanted = {_folded(name), _folded(name).removesuffix(" score").replace("mutual info", "mutual information")}
    named = [entry for entry in _everything() if wanted & {_folded(each) for each in _names(entry)}]
    symbol = _GREEK.get(name, name)
    yield from named or [entry for entry in _everything() if entry.card.symbol == symbol]


def _without_symbol(name: str) -> Iterator[ifs.metrics.registry.Metric]:
    """A name before its symbol or before a remark, where that name is known and the symbol is its own."""
    plain = re.sub(r"\s*\([^()]* [^()]*\)$", "", name)
    if plain != name:
        yield from entries_named(plain)
        return
    first, _, last = name.rpartition(" ")
    if first:
        symbol = last[1:-1] if last.startswith("(") else last
        for entry in _exactly(first):
            if symbol in {entry.card.symbol, *entry.card.aliases} or _GREEK.get(symbol) == entry.card.symbol:
                yield entry


def _exactly(name: str) -> list[ifs.metrics.registry.Metric]:
    return [entry for entry in _everything() if _folded(name) in {_folded(each) for each in _names(entry)}]

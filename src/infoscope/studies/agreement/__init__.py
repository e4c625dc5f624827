"""Annotators: how much each tells about the others, who stands apart, and which categories they mix up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict, Unpack

import numpy as np

from infoscope.errors import InputError, check_keywords, check_level, check_seed
from infoscope.readers import ReadOptions
from infoscope.studies.agreement.annotations import Annotations, gather, with_others
from infoscope.studies.agreement.annotator_map import annotator_map
from infoscope.studies.agreement.coefficients import AgreementSums, coefficient_estimates
from infoscope.studies.agreement.findings import agreement_findings, items_left_out
from infoscope.studies.agreement.pairs import ConfusedCategories, PairAgreement, pair_agreements
from infoscope.studies.agreement.reliability import OddOneOut, ReliabilityDraws, Scale, annotation_scale
from infoscope.studies.agreement.result import Agreement, Annotator
from infoscope.tables import Label
from infoscope.tables.column_kinds import check_label_columns
from infoscope.tables.missing import warn_of
from infoscope.typing import LabelsByName, Source

__all__ = ["Agreement", "ConfusedCategories", "OddOneOut", "PairAgreement", "agreement"]


_WORK = 4e8
"""Resampling is cut down where draws times labels times annotators would exceed this, to fifty draws at least."""


class AgreementKeywords(TypedDict, total=False):
    """What labels mean, and how far they are apart."""

    clean: str | Iterable[str]
    scale: Scale | None
    ordinal: Sequence[Label] | str | None


def agreement(
    source: Source,
    y_pred: LabelsByName | None = None,
    *,
    system: Sequence[str] | None = None,
    read: ReadOptions | None = None,
    level: float = 0.95,
    draws: int = 500,
    seed: int = 0,
    **options: Unpack[AgreementKeywords],
) -> Agreement:
    """How annotators of the same items agree, without a truth.

    ``source`` holds labels by annotator: sequences of one category per item (None where there is no label), lists of
    sets, or label-list files. Or it holds rows in any form that ``read`` takes, and ``system`` names their columns,
    which are all columns of a frame unless they are named.
    Labels of two annotators may also be given as two sequences, ``y_pred`` being the second (or a mapping of names to
    the labels of others), or as their table.
    ``scale`` says how far labels are apart for Krippendorff's alpha: "nominal" (by default: the same or not), "ordinal"
    (by ranks; ``ordinal`` states the order from the lowest to the highest unless the labels are numbers) or "interval"
    (differences of numbers).

    >>> agreement({"ann": ["a", "a", "b", "b"], "bob": ["a", "a", "b", "a"]})
    Krippendorff's alpha of 2 annotators is 0.533 (−0.400 – 1.000).
    """
    check_keywords(options, AgreementKeywords)
    check_level(level)
    check_seed(seed)
    if draws < 0:
        raise InputError(f"draws is {draws}; give 0 to leave it out, or a positive number")
    labels = source if y_pred is None else with_others(source, y_pred)
    annotations = gather(labels, system, options.get("clean", ()), read)
    if annotations.patterns is not None and options.get("scale") in (None, "nominal"):
        check_label_columns(annotations.patterns, ", or say scale='interval' for numbers that measure")
    rng = np.random.default_rng(seed)
    labelled = sum(each.nnz for each in annotations.given)
    draws = min(draws, max(50, int(_WORK / max(labelled * len(annotations.names), 1))))
    lonely = annotations.lonely
    warn_of([items_left_out(lonely)] if lonely else [])
    scale = annotation_scale(annotations, options.get("scale"), options.get("ordinal"))
    reliability = ReliabilityDraws.of(annotations, draws, rng, scale)
    alpha, odd, without = reliability.alpha_estimate(level), reliability.odd_one_out(), reliability.alpha_without()
    raters = range(len(annotations.names))
    found = list(pair_agreements(annotations, level if draws else None))
    pairs = [pair for pair, _ in found]
    mixed = sorted((each for _, confused in found for each in confused), key=lambda each: -each.count)
    annotators = [_annotator(annotations, at, pairs, without) for at in raters]
    return Agreement(
        annotators=tuple(annotators),
        items=annotations.items,
        categories=tuple(map(str, annotations.categories)),
        multilabel=not annotations.single,
        krippendorff_alpha=alpha,
        odd_one_out=odd,
        pairs=tuple(pairs),
        confused=tuple(mixed),
        map=annotator_map(annotations),
        scale=scale.kind,
        coefficients=coefficient_estimates(annotations, _drawn_sums(annotations, draws, seed), level),
        left_out=lonely,
        findings=tuple(agreement_findings(annotators, alpha, odd, pairs, mixed, lonely)),
    )


def _drawn_sums(annotations: Annotations, draws: int, seed: int) -> AgreementSums | None:
    """Sums over resampled items, for the coefficients of one category per item."""
    if draws < 2 or not annotations.single:
        return None
    blocks = annotations.resampled(draws, np.random.default_rng(seed))
    parts = [AgreementSums.of(annotations, weights) for weights in blocks]
    agreeing, items, used = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("agreeing", "items", "used")
    )
    return AgreementSums(agreeing, items, used)


def _annotator(
    annotations: Annotations, at: int, pairs: Sequence[PairAgreement], without: Mapping[str, float]
) -> Annotator:
    name = annotations.names[at]
    close = [pair.proficiency for pair in pairs if name in (pair.truth, pair.system) and pair.proficiency is not None]
    return Annotator(
        name,
        int(annotations.counts[annotations.labelled[at]].sum()),
        sum(close) / len(close) if close else None,
        without.get(name),
        dict(zip(map(str, annotations.categories), _counts(annotations, at), strict=True)),
    )


def _counts(annotations: Annotations, rater: int) -> list[int]:
    given = annotations.given[rater]
    of_row = np.repeat(annotations.counts, np.diff(given.indptr))
    return [int(count) for count in np.bincount(given.indices, of_row, len(annotations.categories))]

"""The metrics of a categorization: pure functions of its sums, each with its card."""

from __future__ import annotations

import numpy as np

from infoscope.core.numerics import Real, at_most_one, ratio
from infoscope.metrics.binary_information import binary_entropy
from infoscope.metrics.registry import Card, Metric, all_metrics
from infoscope.studies.multilabel.arguments import label_set_metric
from infoscope.studies.multilabel.sums import CategorySums

__all__ = ["MEASURES", "RENAMED", "adjusted_proficiency", "chance_proficiency", "proficiency", "values_of"]

_NO_ENTROPY = "each category belongs to all objects or to none, so the truth has no information"
_NO_SYSTEM = "the system gives no category to any object"
_NO_TRUTH = "no object has a category"
_NOTHING = "neither side gives a category to any object"


def _truth_bits(tally: CategorySums) -> Real:
    return tally.tables.truth_entropy.sum(axis=-1)


@label_set_metric(
    Card(
        title="Proficiency",
        biased=True,
        symbol="α",
        formula=r"\frac{\sum_i I(T_i;S_i)}{\sum_i H(T_i)}",
        source="steingold2016",
        undefined=_NO_ENTROPY,
        note="A category that all objects carry, or none, has no information and drops out of both sums.",
    )
)
def proficiency(tally: CategorySums) -> Real:
    """Fraction of the information in the true categories that the predicted categories carry."""
    return ratio(tally.information.sum(axis=-1), _truth_bits(tally))


@label_set_metric(
    Card(
        title="Permuted proficiency",
        biased=True,
        symbol="α'",
        formula=r"\max_\sigma\frac{\sum_i I(T_i;S_{\sigma(i)})}{\sum_i H(T_i)}",
        source="steingold2016",
        undefined=_NO_ENTROPY,
        note="Ties go to the category's own name. The best of many renamings is above 0 by chance.",
    )
)
def permuted_proficiency(tally: CategorySums) -> Real:
    """Proficiency after the best one-to-one renaming of the system's categories."""
    gain = (tally.renamed_tables.information - tally.information).sum(axis=-1)
    # cycle by cycle no renaming loses, so a negative sum is rounding
    bits = tally.information.sum(axis=-1) + gain
    return ratio(np.minimum(bits, _truth_bits(tally)), _truth_bits(tally))


@label_set_metric(
    Card(
        title="False information ratio",
        biased=True,
        symbol="r",
        formula=r"\frac{\sum_i H(S_i|T_i)}{\sum_i H(T_i)}",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        undefined=_NO_ENTROPY,
    )
)
def false_information_ratio(tally: CategorySums) -> Real:
    """False information relative to the truth's information."""
    said = binary_entropy(tally.system, tally.tables.total)
    return ratio(np.maximum(said - tally.information, 0.0).sum(axis=-1), _truth_bits(tally))


@label_set_metric(
    Card(
        title="Erroneous information ratio",
        biased=True,
        symbol="S_I/H(T)",
        formula=r"1-\alpha+r",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        undefined=_NO_ENTROPY,
    )
)
def erroneous_information_ratio(tally: CategorySums) -> Real:
    """Missed and false information relative to the truth's information."""
    return 1.0 - proficiency(tally) + false_information_ratio(tally)


@label_set_metric(
    Card(
        title="Micro precision",
        symbol="P_micro",
        formula=r"\frac{\sum_o|T_o\cap S_o|}{\sum_o|S_o|}",
        source="steingold2016",
        aliases=("precision (micro)",),
        undefined=_NO_SYSTEM,
    )
)
def micro_precision(tally: CategorySums) -> Real:
    """Fraction of the predicted pairs of object and category that are true."""
    return ratio(tally.both.sum(axis=-1), tally.system.sum(axis=-1))


@label_set_metric(
    Card(
        title="Micro recall",
        symbol="R_micro",
        formula=r"\frac{\sum_o|T_o\cap S_o|}{\sum_o|T_o|}",
        source="steingold2016",
        aliases=("recall (micro)",),
        undefined=_NO_TRUTH,
    )
)
def micro_recall(tally: CategorySums) -> Real:
    """Fraction of the true pairs of object and category that are predicted."""
    return ratio(tally.both.sum(axis=-1), tally.truth.sum(axis=-1))


@label_set_metric(
    Card(
        title="Micro F1",
        symbol="F1_micro",
        formula=r"\frac{2\sum_o|T_o\cap S_o|}{\sum_o|T_o|+|S_o|}",
        source="steingold2016",
        aliases=("F1 (micro)",),
        undefined=_NOTHING,
    )
)
def micro_f1(tally: CategorySums) -> Real:
    """Harmonic mean of micro precision and recall."""
    return ratio(2 * tally.both.sum(axis=-1), (tally.truth + tally.system).sum(axis=-1))


@label_set_metric(
    Card(
        title="Permuted precision",
        symbol="P'_micro",
        formula=r"\frac{\sum_i|T_i\cap S_{\sigma(i)}|}{\sum_i|S_i|}",
        source="steingold2016",
        aliases=("reassigned precision", "precision after reassignment"),
        undefined=_NO_SYSTEM,
        note="The renaming is the one of permuted proficiency; a pair that avoids each other may lower it.",
    )
)
def permuted_precision(tally: CategorySums) -> Real:
    """Micro precision after the system's categories are renamed as permuted proficiency does."""
    return at_most_one(ratio(tally.renamed_both.sum(axis=-1), tally.system.sum(axis=-1)))


@label_set_metric(
    Card(
        title="Permuted recall",
        symbol="R'_micro",
        formula=r"\frac{\sum_i|T_i\cap S_{\sigma(i)}|}{\sum_i|T_i|}",
        source="steingold2016",
        aliases=("reassigned recall", "recall after reassignment"),
        undefined=_NO_TRUTH,
    )
)
def permuted_recall(tally: CategorySums) -> Real:
    """Micro recall after the system's categories are renamed as permuted proficiency does."""
    return at_most_one(ratio(tally.renamed_both.sum(axis=-1), tally.truth.sum(axis=-1)))


@label_set_metric(
    Card(
        title="Permuted F1",
        symbol="F1'_micro",
        formula=r"\frac{2\sum_i|T_i\cap S_{\sigma(i)}|}{\sum_i|T_i|+|S_i|}",
        source="steingold2016",
        aliases=("reassigned F1", "F1 after reassignment"),
        undefined=_NOTHING,
    )
)
def permuted_f1(tally: CategorySums) -> Real:
    """Micro F1 after the system's categories are renamed as permuted proficiency does."""
    return at_most_one(ratio(2 * tally.renamed_both.sum(axis=-1), (tally.truth + tally.system).sum(axis=-1)))


@label_set_metric(
    Card(
        title="Object precision",
        symbol="P_obj",
        formula=r"\operatorname{mean}_{o:\,S_o\ne\emptyset}\frac{|T_o\cap S_o|}{|S_o|}",
        source="common",
        undefined=_NO_SYSTEM,
        note="Objects to which the system gives nothing have no precision and are left out of the mean.",
    )
)
def object_precision(tally: CategorySums) -> Real:
    """Mean over objects of the fraction of their predicted categories that are true."""
    return ratio(tally.precision, tally.with_system)


@label_set_metric(
    Card(
        title="Object recall",
        symbol="R_obj",
        formula=r"\operatorname{mean}_{o:\,T_o\ne\emptyset}\frac{|T_o\cap S_o|}{|T_o|}",
        source="common",
        undefined=_NO_TRUTH,
        note="Objects without a true category have no recall and are left out of the mean.",
    )
)
def object_recall(tally: CategorySums) -> Real:
    """Mean over objects of the fraction of their true categories that are predicted."""
    return ratio(tally.recall, tally.with_truth)


@label_set_metric(
    Card(
        title="Object F1",
        symbol="F1_obj",
        formula=r"\operatorname{mean}_{o:\,T_o\cup S_o\ne\emptyset}\frac{2|T_o\cap S_o|}{|T_o|+|S_o|}",
        source="common",
        undefined=_NOTHING,
        note="Objects with no category on either side are left out of the mean.",
    )
)
def object_f1(tally: CategorySums) -> Real:
    """Mean over objects of the F1 of their sets."""
    return ratio(tally.f1, tally.with_either)


@label_set_metric(
    Card(
        title="Subset accuracy",
        symbol="exact",
        formula=r"P(T_o=S_o)",
        source="common",
        aliases=("exact match ratio",),
    )
)
def subset_accuracy(tally: CategorySums) -> Real:
    """Fraction of the objects whose predicted set equals the true set."""
    return ratio(tally.exact, tally.total)


@label_set_metric(
    Card(
        title="Hamming loss",
        symbol="HL",
        formula=r"\frac{\sum_o|T_o\triangle S_o|}{n\,C}",
        source="common",
        better="lower",
        undefined="there is no category",
        note="C counts every category that either side uses, so naming more categories lowers it.",
    )
)
def hamming_loss(tally: CategorySums) -> Real:
    """Fraction of all yes/no predictions (object × category) that are wrong."""
    wrong = (tally.truth + tally.system - 2 * tally.both).sum(axis=-1)
    return at_most_one(ratio(wrong, tally.total * tally.both.shape[-1]))


def _met(tally: CategorySums) -> Real:
    return ratio(np.sum(tally.truth * tally.system, axis=-1), tally.total)


@label_set_metric(
    Card(
        title="Random precision",
        symbol="P_rnd",
        formula=r"\frac{\sum_i p_iq_i}{\sum_i q_i}",
        source="steingold2016",
        better="none",
        undefined=_NO_SYSTEM,
    )
)
def random_precision(tally: CategorySums) -> Real:
    """Expected micro precision if the system's sets are assigned to the objects at random."""
    return at_most_one(ratio(_met(tally), tally.system.sum(axis=-1)))


@label_set_metric(
    Card(
        title="Random recall",
        symbol="R_rnd",
        formula=r"\frac{\sum_i p_iq_i}{\sum_i p_i}",
        source="steingold2016",
        better="none",
        undefined=_NO_TRUTH,
    )
)
def random_recall(tally: CategorySums) -> Real:
    """Expected micro recall if the system's sets are assigned to the objects at random."""
    return at_most_one(ratio(_met(tally), tally.truth.sum(axis=-1)))


@label_set_metric(
    Card(
        title="Random labeler's F1",
        symbol="F1_rnd",
        formula=r"\frac{2\sum_i p_iq_i}{\sum_i p_i+q_i}",
        source="steingold2016",
        better="none",
        undefined=_NOTHING,
    )
)
def random_f1(tally: CategorySums) -> Real:
    """Expected micro F1 if the system's sets are assigned to the objects at random."""
    return at_most_one(ratio(2 * _met(tally), (tally.truth + tally.system).sum(axis=-1)))


MEASURES: tuple[Metric, ...] = all_metrics("label_sets")
RENAMED = ("permuted_proficiency", "permuted_precision", "permuted_recall", "permuted_f1")
"""Metrics that need a renaming of the categories."""


def values_of(tally: CategorySums) -> dict[str, Real]:
    """Every metric, for one tally or a batch."""
    return {each.name: each.score(tally) for each in MEASURES}


def chance_proficiency(tally: CategorySums) -> Real:
    """Proficiency to expect when the system's sets are dealt to the objects at random: exact, and above 0."""
    return ratio(tally.tables.expected_information.sum(axis=-1), _truth_bits(tally))


def adjusted_proficiency(tally: CategorySums) -> Real:
    """Proficiency without the part that chance explains: 0 for a random labeler on average, 1 for identity."""
    by_chance = tally.tables.expected_information.sum(axis=-1)
    return ratio(tally.information.sum(axis=-1) - by_chance, _truth_bits(tally) - by_chance)

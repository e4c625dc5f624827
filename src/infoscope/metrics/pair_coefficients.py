"""Coefficients of two groupings over pairs of samples that have an author, beyond the metrics of ``partitions``.

Albatineh, Niewiadomska-Bugaj and Mihalko (2006) and Warrens (2008) review them. To add one, add a line to
``pair_measures``; ``tests/test_pair_measures.py`` compares each with SciPy or scikit-learn over the pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan, sqrt
from typing import Any

import numpy as np

from infoscope.metrics.partitions import pair_confusion_matrix
from infoscope.tables.labels import Label
from infoscope.typing import ArrayLike


def pair_measures(
    *table: Any,
    sample_weight: ArrayLike | None = None,
    labels: Sequence[Label] | None = None,
    reject: Label | None = None,
) -> dict[str, float]:
    """Compute the coefficients of the literature over pairs of samples, for two groupings without common names.

    The Rand, Jaccard, Fowlkes-Mallows, Wallace, Hubert and Mirkin indices are metrics of their own.

    Parameters
    ----------
    *table : Contingency or labels
        A table of counts, or the labels of both sides.
    sample_weight : array-like, optional
        Weight of each sample, where labels are given.
    labels : sequence of labels, optional
        Labels that are counted, and their order, where labels are given.
    reject : label, optional
        Prediction that means "abstained", where labels are given.

    Returns
    -------
    dict of str to float
        Value by name; NaN where a coefficient divides by 0, and for weights.

    Examples
    --------
    >>> measures = pair_measures(["a", "a", "b", "b", "b"], [1, 1, 1, 2, 2])
    >>> print(f"{measures['dice']:.2f} {measures['yule_q']:.2f}")
    0.50 0.33

    References
    ----------
    A. N. Albatineh, M. Niewiadomska-Bugaj, D. Mihalko, "On similarity indices and correction for chance agreement",
    Journal of Classification 23 (2006). M. J. Warrens, "On association coefficients for 2 × 2 tables and properties
    that do not depend on the marginal distributions", Psychometrika 73 (2008).
    """
    # pairs that are together on both sides, in the truth only, in the system only, and on neither side
    given = {"sample_weight": sample_weight, "labels": labels, "reject": reject}
    options: Any = {name: value for name, value in given.items() if value is not None}
    (d, c), (b, a) = (np.asarray(pair_confusion_matrix(*table, **options), dtype=float) / 2).tolist()

    def divide(part: float, whole: float) -> float:
        return part / whole if whole else nan

    recall, precision = divide(a, a + b), divide(a, a + c)
    specificity, negative_value = divide(d, c + d), divide(d, b + d)
    excess = a * d - b * c  # over independent groupings
    return {
        "dice": divide(2 * a, 2 * a + b + c),  # Dice 1945, Czekanowski 1932
        "kulczynski": (recall + precision) / 2,  # Kulczynski 1927
        "johnson": recall + precision,  # Johnson 1967
        "mcconnaughey": recall + precision - 1,  # McConnaughey 1964
        "braun_blanquet": divide(a, a + max(b, c)),  # Braun-Blanquet 1932
        "simpson": divide(a, a + min(b, c)),  # Simpson 1943
        "sorgenfrei": recall * precision,  # Sorgenfrei 1958
        "sokal_sneath_1": divide(a, a + 2 * (b + c)),  # Sokal and Sneath 1963, as the next two
        "sokal_sneath_2": (recall + precision + specificity + negative_value) / 4,
        "sokal_sneath_3": sqrt(recall * precision * specificity * negative_value),
        "gower_legendre": divide(a + d, a + (b + c) / 2 + d),  # Gower and Legendre 1986
        "rogers_tanimoto": divide(a + d, a + 2 * (b + c) + d),  # Rogers and Tanimoto 1960
        "russell_rao": divide(a, a + b + c + d),  # Russell and Rao 1940
        "fager_mcgowan": sqrt(recall * precision) - divide(1, 2 * sqrt(a + max(b, c))),  # Fager and McGowan 1963
        "peirce_truth": recall + specificity - 1,  # Peirce 1884, as the next one
        "peirce_system": precision + negative_value - 1,
        "pearson": divide(excess, sqrt((a + b) * (a + c) * (b + d) * (c + d))),  # Pearson 1900
        "yule_q": divide(excess, a * d + b * c),  # Yule 1900
        "yule_y": divide(sqrt(a * d) - sqrt(b * c), sqrt(a * d) + sqrt(b * c)),  # Yule 1912
        "michael": divide(4 * excess, (a + d) ** 2 + (b + c) ** 2),  # Michael 1920
        "loevinger": divide(excess, min((a + b) * (b + d), (a + c) * (c + d))),  # Loevinger 1947
    }

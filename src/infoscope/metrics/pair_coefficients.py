"""Coefficients of two groupings over pairs of samples that have an author, beyond the metrics of ``partitions``.

Albatineh, Niewiadomska-Bugaj and Mihalko (2006) and Warrens (2008) review them. To add one, add a line to
``PAIR_COEFFICIENTS`` and to ``pair_measures``; ``tests/test_pair_measures.py`` compares each with its formula, and with
SciPy or scikit-learn over the pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan, sqrt
from typing import Any

import numpy as np

from infoscope.metrics.partitions import pair_confusion_matrix
from infoscope.tables.labels import Label
from infoscope.typing import ArrayLike

PAIR_COEFFICIENTS = {
    "dice": ("Dice 1945, Czekanowski 1932", "2*a / (2*a + b + c)"),
    "kulczynski": ("Kulczynski 1927", "(R + P) / 2"),
    "johnson": ("Johnson 1967", "R + P"),
    "mcconnaughey": ("McConnaughey 1964", "R + P - 1"),
    "braun_blanquet": ("Braun-Blanquet 1932", "a / (a + max(b, c))"),
    "simpson": ("Simpson 1943", "a / (a + min(b, c))"),
    "sorgenfrei": ("Sorgenfrei 1958", "R * P"),
    "sokal_sneath_1": ("Sokal and Sneath 1963", "a / (a + 2*(b + c))"),
    "sokal_sneath_2": ("Sokal and Sneath 1963", "(R + P + S + V) / 4"),
    "sokal_sneath_3": ("Sokal and Sneath 1963", "sqrt(R * P * S * V)"),
    "gower_legendre": ("Gower and Legendre 1986", "(a + d) / (a + (b + c)/2 + d)"),
    "rogers_tanimoto": ("Rogers and Tanimoto 1960", "(a + d) / (a + 2*(b + c) + d)"),
    "russell_rao": ("Russell and Rao 1940", "a / (a + b + c + d)"),
    "fager_mcgowan": ("Fager and McGowan 1963", "sqrt(R * P) - 1 / (2*sqrt(a + max(b, c)))"),
    "peirce_truth": ("Peirce 1884", "R + S - 1"),
    "peirce_system": ("Peirce 1884", "P + V - 1"),
    "pearson": ("Pearson 1900", "(a*d - b*c) / sqrt((a + b) * (a + c) * (b + d) * (c + d))"),
    "yule_q": ("Yule 1900", "(a*d - b*c) / (a*d + b*c)"),
    "yule_y": ("Yule 1912", "(sqrt(a*d) - sqrt(b*c)) / (sqrt(a*d) + sqrt(b*c))"),
    "michael": ("Michael 1920", "4*(a*d - b*c) / ((a + d)**2 + (b + c)**2)"),
    "loevinger": ("Loevinger 1947", "(a*d - b*c) / min((a + b) * (b + d), (a + c) * (c + d))"),
}
"""Author and formula of each coefficient.

Pairs of samples are together on both sides (a), in the truth only (b), in the system only (c) or on neither side (d);
R = a/(a + b), P = a/(a + c), S = d/(c + d), V = d/(b + d).
"""


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
        "dice": divide(2 * a, 2 * a + b + c),
        "kulczynski": (recall + precision) / 2,
        "johnson": recall + precision,
        "mcconnaughey": recall + precision - 1,
        "braun_blanquet": divide(a, a + max(b, c)),
        "simpson": divide(a, a + min(b, c)),
        "sorgenfrei": recall * precision,
        "sokal_sneath_1": divide(a, a + 2 * (b + c)),
        "sokal_sneath_2": (recall + precision + specificity + negative_value) / 4,
        "sokal_sneath_3": sqrt(recall * precision * specificity * negative_value),
        "gower_legendre": divide(a + d, a + (b + c) / 2 + d),
        "rogers_tanimoto": divide(a + d, a + 2 * (b + c) + d),
        "russell_rao": divide(a, a + b + c + d),
        "fager_mcgowan": sqrt(recall * precision) - divide(1, 2 * sqrt(a + max(b, c))),
        "peirce_truth": recall + specificity - 1,
        "peirce_system": precision + negative_value - 1,
        "pearson": divide(excess, sqrt((a + b) * (a + c) * (b + d) * (c + d))),
        "yule_q": divide(excess, a * d + b * c),
        "yule_y": divide(sqrt(a * d) - sqrt(b * c), sqrt(a * d) + sqrt(b * c)),
        "michael": divide(4 * excess, (a + d) ** 2 + (b + c) ** 2),
        "loevinger": divide(excess, min((a + b) * (b + d), (a + c) * (c + d))),
    }

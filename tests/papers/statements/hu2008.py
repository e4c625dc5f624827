"""Hu & Wang 2008: three theorems, seven properties, and what they say of sensitivities and bounds.

The reference data have the wording of Theorems 1 and 3 and of Properties 3, 5 and 6; the others are as we read them.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from tests.papers.small_tables import all_tables, random_tables, scored, shown
from tests.papers.statements.statement import Verdict, statement
from tests.papers.test_hu2008 import MATRICES, all_class_sizes, one_sample_moved

hu = partial(statement, "hu2008")
NI = partial(scored, "proficiency", reject=True)
SMALL = all_tables(5, 3, columns=3)
"""Two classes of 5 and 3 samples with a column of rejections: all 210 tables."""
SMALL_THREE = all_tables(4, 2, 2, columns=4)
TIE = 1e-12


@hu("Theorem 1", "If every sample is classified correctly, NI is 1.", Verdict.TRUE)
def exact_is_one() -> str:
    large, small = all_class_sizes(60)
    exact = np.zeros((large.size, 2, 3), dtype=int)
    exact[:, 0, 0], exact[:, 1, 1] = large, small
    assert np.all(NI(exact) == 1)
    return f"NI is 1 to the last digit for all {large.size:,} pairs of class sizes below 60, and for M1."


@hu("Theorem 1", "NI may be 1 although hardly any sample is classified correctly.", Verdict.TRUE)
def one_is_exact() -> str:
    assert NI(MATRICES["M11"]) == 1
    assert scored("accuracy", MATRICES["M11"], reject=True) == 0.15
    mixed = np.sum(np.count_nonzero(SMALL, axis=1) > 1, axis=1) > 0
    np.testing.assert_array_equal(NI(SMALL) > 1 - TIE, ~mixed)
    return (
        "M11 swaps the names of two classes: NI = 1, accuracy 0.15. NI is 1 if and only if no column has samples of "
        f"two classes (all {len(SMALL)} tables with classes of 5 and 3 samples)."
    )


@hu("Theorem 2", "NI is 0 if and only if predictions do not depend on the truth.", Verdict.TRUE)
def zero_is_independent() -> str:
    for counts in (SMALL, SMALL_THREE):
        rows = counts / counts.sum(axis=2, keepdims=True)
        independent = np.all(np.abs(rows - rows[:, :1]) < TIE, axis=(1, 2))
        np.testing.assert_array_equal(NI(counts) < TIE, independent)
    return (
        f"All {len(SMALL)} tables with classes of 5 and 3 samples and all {len(SMALL_THREE)} with 4, 2 and 2: NI is 0 "
        "if and only if the rows are proportional. For two classes this is the printed TP = C1 − TN·C1/C2 (eq. 32)."
    )


@hu("Theorem 3", "NI does not always rise when one more sample is classified correctly.", Verdict.TRUE)
def not_monotone() -> str:
    before, after = [[0, 2, 0], [1, 0, 0]], [[1, 1, 0], [1, 0, 0]]
    assert NI(before) == 1 > NI(after)
    assert NI(MATRICES["M20"]) > NI(MATRICES["M19"])
    assert scored("accuracy", MATRICES["M19"]) > scored("accuracy", MATRICES["M20"])
    return (
        f"{shown(before)} has NI 1 and no correct prediction. With one sample corrected, {shown(after)}: NI falls to "
        f"{NI(after):.3f}. The paper's own pair: M19 has 78 of 100 right and NI 0.735, M20 has 68 right and NI 0.746."
    )


@hu("Property 1", "NI lies between 0 and 1.", Verdict.TRUE)
def bounded() -> str:
    found = NI(random_tables(11, 4000, 4, 5))
    assert np.all((found >= 0) & (found <= 1))
    assert np.all((NI(SMALL) >= 0) & (NI(SMALL) <= 1))
    return f"All {len(SMALL)} tables with classes of 5 and 3 samples, and 4,000 random ones of four classes."


@hu("Property 2", "NI does not change if predicted classes are renamed one to one.", Verdict.TRUE)
def renaming() -> str:
    counts = random_tables(12, 1000, 4, 5)
    order = np.random.default_rng(13).permuted(np.tile(np.arange(4), (1000, 1)), axis=1)
    renamed = np.concatenate([np.take_along_axis(counts, order[:, None, :], axis=2), counts[:, :, 4:]], axis=2)
    np.testing.assert_allclose(NI(renamed), NI(counts), rtol=0, atol=TIE)
    return "1,000 random tables of four classes with their columns shuffled. NI ignores names: M11 has NI 1."


M18 = MATRICES["M18"]


@hu(
    "Property 3",
    "Rejecting loses no information if no accepted sample is wrong.",
    Verdict.ONLY_IF,
    "all rejected samples are of one class",
)
def rejecting_is_free() -> str:
    accepted_right = SMALL[np.all(SMALL[:, :, :2] * (1 - np.eye(2, dtype=int)) == 0, axis=(1, 2))]
    one_class = np.count_nonzero(accepted_right[:, :, 2], axis=1) <= 1
    np.testing.assert_array_equal(NI(accepted_right) > 1 - TIE, one_class)
    assert NI(MATRICES["M9"]) == 1
    assert abs(NI(MATRICES["M10"]) - 1) < TIE
    assert NI(M18) < 1 == scored("accepted_accuracy", M18, reject=True)
    return (
        f"Of the {len(accepted_right)} tables with classes of 5 and 3 samples and no accepted error, NI is 1 for the "
        f"{np.sum(one_class)} that reject at most one class (M9, M10), and for no other. M18 = {shown(M18)}, M17 with "
        f"its two errors rejected, is right on all accepted samples and has NI {NI(M18):.3f}."
    )


@hu("Property 4", "NI is not a function of accuracy.", Verdict.TRUE)
def equal_accuracy() -> str:
    assert scored("accuracy", MATRICES["M2"]) == scored("accuracy", MATRICES["M3"]) == 0.9
    assert NI(MATRICES["M2"]) == 0
    assert NI(MATRICES["M3"]) > 0.57
    return (
        "M2 and M3 both have 90 of 100 right. NI is 0 for M2, which always predicts the same class, and 0.574 for M3."
    )


def costs(counts: NDArray[np.int64], row: int, column: int) -> NDArray[np.float64]:
    """By how much NI falls when a hit of a class goes to another column; nan where the class has no hit."""
    moved = counts.copy()
    moved[:, row, row] -= 1
    moved[:, row, column] += 1
    fine = moved[:, row, row] >= 0
    return np.where(fine, NI(counts) - NI(np.maximum(moved, 0)), np.nan)


def first_table(where: NDArray[np.bool_], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first table that breaks a rule."""
    assert where.any()
    return counts[np.flatnonzero(where)[0]]


def useful(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Tables whose hits outnumber their errors in both classes."""
    return counts[(counts[:, 0, 0] > counts[:, 0, 1]) & (counts[:, 1, 1] > counts[:, 1, 0])]


MOVED = useful(all_tables(8, 4, columns=3))


@hu(
    "Property 5",
    "A wrong sample of the smaller class costs more than one of the larger.",
    Verdict.ONLY_IF,
    "the classification is exact otherwise",
)
def small_class_costs_more() -> str:
    assert np.all(one_sample_moved((1, 0)) < one_sample_moved((0, 1)))
    large, small = costs(MOVED, 0, 1), costs(MOVED, 1, 0)
    found = first_table((small < large - TIE) & (MOVED[:, :, 2].sum(axis=1) == 0), MOVED)
    return (
        "No exception for class sizes 1 ≤ C2 < C1 < 200 starting from the exact solution. From other tables it fails: "
        f"at {shown(found)} an error of the larger class costs {costs(found[None], 0, 1)[0]:.3f}, one of the smaller "
        f"{costs(found[None], 1, 0)[0]:.3f}."
    )


@hu(
    "Property 6",
    "A wrong sample costs more than a rejected one of the same class.",
    Verdict.ONLY_IF,
    "the classification is exact otherwise",
)
def errors_cost_more_than_rejections() -> str:
    for row in (0, 1):
        assert np.all(one_sample_moved((row, 1 - row)) < one_sample_moved((row, 2)))
    found = first_table(costs(MOVED, 0, 1) < costs(MOVED, 0, 2) - TIE, MOVED)
    return (
        "No exception for class sizes 1 ≤ C2 < C1 < 200 starting from the exact solution, where rejecting costs "
        f"nothing. From other tables it fails: at {shown(found)} a sample of the first class costs "
        f"{costs(found[None], 0, 1)[0]:.3f} wrong and {costs(found[None], 0, 2)[0]:.3f} rejected, because the "
        "rejections so far point to the other class."
    )


@hu(
    "Property 7",
    "A rejected sample of the smaller class costs more than one of the larger.",
    Verdict.FALSE,
)
def rejecting_the_small_class() -> str:
    for row in (0, 1):
        np.testing.assert_allclose(one_sample_moved((row, 2)), 1.0, rtol=0, atol=0)
    sizes = [(large, small) for large in range(6, 60, 3) for small in range(3, large, 3)]
    mixed = np.array([[[2 * a // 3, 0, a // 3], [0, 2 * b // 3, b // 3]] for a, b in sizes])
    assert np.all(costs(mixed, 1, 2) > costs(mixed, 0, 2) + TIE)
    return (
        "At the exact solution neither costs anything, for all 1 ≤ C2 < C1 < 200 (Property 3). If a third of each "
        f"class is already rejected, it holds for all {len(sizes)} pairs of sizes below 60 that were tried."
    )


@hu(
    "eqs. (27)-(30)",
    "The sensitivities with sgn() say by how much information changes when a sample moves.",
    Verdict.ONLY_IF,
    "none of the cells concerned is empty",
)
def sensitivities() -> str:
    _derivatives()
    counts = np.array(MATRICES["M7"])
    total, columns = counts.sum(), counts.sum(axis=0)

    def printed(row: int, column: int) -> float:
        share = counts[row, column] / columns[column] if counts[row, column] else 1.0
        return float(np.sign(counts[row, column]) * np.log2(share))

    rule = (printed(0, 1) - printed(0, 0)) / total
    moved = counts + np.array([[-1, 1, 0], [0, 0, 0]])
    truth = float(scored("mutual_information", moved) - scored("mutual_information", counts))
    assert rule > 0 > truth
    return (
        "With all cells positive they equal a central difference on 200 random tables. At empty cells even the sign "
        f"may be wrong: if one correct sample of M7's first class becomes an error, the rule says {rule:+.5f} bits and "
        f"the true change is {truth:+.4f} bits."
    )


def _derivatives() -> None:
    """Eq. (27) against a central difference where nothing is empty."""
    counts = np.random.default_rng(15).uniform(5, 100, (200, 2, 3))
    shares = counts[:, 0] / counts.sum(axis=1)
    printed = np.log2(shares[:, 0] / shares[:, 1]) / counts.sum(axis=(1, 2))
    step = np.array([[1e-3, -1e-3, 0], [0, 0, 0]])
    after, before = (scored("mutual_information", counts + sign * step, reject=True) for sign in (1, -1))
    np.testing.assert_allclose((after - before) / 2e-3, printed, rtol=0, atol=1e-9)


@hu(
    "eq. (10)",
    "Half of the missed information is an upper bound on the error.",
    Verdict.ONLY_IF,
    "the error is that of the best decision from the output, not the classifier's own",
)
def hellman_raviv() -> str:
    for counts in (SMALL, SMALL_THREE, random_tables(14, 2000, 4, 5)):
        assert np.all(scored("bayes_error", counts) <= scored("hellman_raviv_bound", counts) + TIE)
    broken = [
        name
        for name, matrix in MATRICES.items()
        if scored("error_rate", matrix, reject=True) > scored("hellman_raviv_bound", matrix, reject=True) + TIE
    ]
    assert broken == ["M4", "M11", "M19", "M20"]
    return (
        "It holds for the Bayes error of every table tried. The classifier's own error exceeds it for "
        f"{', '.join(broken)}."
    )


@hu("eq. (9)", "Fano's inequality bounds the error of the twenty models from below.", Verdict.TRUE)
def fano() -> str:
    for matrix in MATRICES.values():
        classes = len(matrix)
        missed = float(scored("missed_information", matrix, reject=True))
        printed = (missed - 1) / np.log2(classes)
        assert printed < 0
    return (
        f"But it is vacuous: with less than one bit missed, the printed bound is below 0 for all {len(MATRICES)} "
        "models. The tight form (`tight_fano_bound`) is not."
    )


@hu(
    "eq. (21)",
    "The accuracy in Tables 3 and 4 is the fraction of all samples that are right.",
    Verdict.ONLY_IF,
    "nothing is rejected",
)
def accuracy_among_accepted() -> str:
    m5 = MATRICES["M5"]
    over_all, accepted = (float(scored(name, m5, reject=True)) for name in ("accuracy", "accepted_accuracy"))
    assert (f"{over_all:.3f}", f"{accepted:.3f}") == ("0.830", "0.933")
    return (
        "M5 has 83 of 100 samples right; the table prints 0.933, which is 83 of the 89 that it accepts. This is "
        "`accepted_accuracy`; Infoscope has both."
    )

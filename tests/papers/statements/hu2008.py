"""Hu & Wang 2008: three theorems, seven properties, and what they say of sensitivities, bounds and examples."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from infoscope.metrics.registry import catalogue, scope_of
from tests.papers.small_tables import all_tables, random_tables, scored, shown
from tests.papers.statements.statement import Verdict, statement
from tests.papers.test_hu2008 import MATRICES, all_class_sizes, one_sample_moved

hu = partial(statement, "hu2008")
NI = partial(scored, "proficiency", reject=True)
SMALL = all_tables(5, 3, columns=3)
"""Two classes of 5 and 3 samples with a column of rejections: all 210 tables."""
SMALL_THREE = all_tables(4, 2, 2, columns=4)
TIE = 1e-12


def misclassified(counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether a sample of a table is outside the diagonal: wrong or rejected."""
    return counts.sum(axis=(1, 2)) > np.trace(counts, axis1=1, axis2=2)


TABLE_2 = {
    "TPR": ("recall", 1),
    "TNR": ("specificity", 1),
    "false alarm rate": ("false_alarm_rate", 1),
    "precision": ("precision", 2),
    "accuracy": ("accuracy", 2),
    "error rate": ("error_rate", 2),
}


@hu(
    "Definitions 4 and 5, Table 2",
    "With class sizes known, a measure of two classes has at most two independent variables, with rejections four. All "
    "of one operating point are partial; overall are those of all points, as areas under curves.",
    Verdict.TRUE,
)
def variables_of_measures() -> str:
    scopes = {name: scope_of(name) for name in catalogue}
    known = [scope for scope in scopes.values() if scope]
    assert {(len(scope.variables), scope.without_rejections) for scope in known} == {
        (0, 0),
        (1, 1),
        (2, 2),
        (4, 2),
        (2, 0),
    }
    assert not any(scope.is_overall for scope in known)
    found: dict[int, list[str]] = {1: [], 2: []}
    for name, (metric, variables) in TABLE_2.items():
        scope = scope_of(metric)
        assert scope is not None
        assert len(scope.variables) == scope.without_rejections == variables
        found[variables].append(name)
    ni, area = scope_of("proficiency"), scope_of("roc_auc")
    assert ni is not None
    assert area is not None
    assert area.is_overall
    return (
        "Found by moving samples between the columns of a class, as Table 2 has it: one variable in "
        f"{_list(found[1])}; two in {_list(found[2])}. NI has {ni.without_rejections}, with rejections "
        f"{len(ni.variables)}; no metric of the {len(known)} tried has more."
    )


def _list(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


@hu(
    "Theorem 1",
    "Without rejections, NI is 1 (and H(T|Y) is 0) if the classification is exact or becomes so when labels are "
    "exchanged, and only then. Of two classes, the second means that every sample is wrong (A = 0).",
    Verdict.TRUE,
)
def one_is_exact_or_exchanged() -> str:
    two, three = (every[every[:, :, -1].sum(axis=1) == 0] for every in (SMALL, SMALL_THREE))
    for counts in (two, three):
        square = counts[:, :, :-1]
        corrected = np.zeros(len(counts), dtype=bool)
        for order in product(range(square.shape[2]), repeat=square.shape[2]):
            if len(set(order)) == len(order):
                corrected |= ~misclassified(square[:, :, list(order)])
        np.testing.assert_array_equal(NI(counts) > 1 - TIE, corrected)
        np.testing.assert_allclose(scored("missed_information", counts[corrected], reject=True), 0, atol=TIE)
    assert sorted(scored("accuracy", two[NI(two) > 1 - TIE], reject=True)) == [0, 1]
    assert NI(MATRICES["M11"]) == 1
    return (
        f"All {len(two)} tables with classes of 5 and 3 samples and all {len(three)} with 4, 2 and 2, with every "
        f"exchange of labels tried. M11 is such a case: NI = 1, accuracy {scored('accuracy', MATRICES['M11']):.2f}."
    )


@hu(
    "Theorem 2",
    "If I(T,Y) is 0, or NH(T|Y) is 1, some sample is misclassified. A special case: all samples are assigned to one "
    "class, or all are rejected.",
    Verdict.TRUE,
)
def zero_is_misclassified() -> str:
    tried, special, independent = 0, 0, 0
    for counts in (SMALL, SMALL_THREE):
        zero = NI(counts) < TIE
        one_column = np.count_nonzero(counts.sum(axis=1), axis=1) == 1
        assert np.all(misclassified(counts[zero]))
        assert np.all(zero[one_column])
        rows = counts / counts.sum(axis=2, keepdims=True)
        np.testing.assert_array_equal(zero, np.all(np.abs(rows - rows[:, :1]) < TIE, axis=(1, 2)))
        tried, special, independent = tried + len(counts), special + one_column.sum(), independent + zero.sum()
    assert NI(MATRICES["M2"]) == 0
    return (
        f"All {tried} tables with classes of 5 and 3 or of 4, 2 and 2 samples: no exact one has I = 0, and all "
        f"{special} of the special case do, M2 among them. I is 0 for {independent} of the {tried}: those whose rows "
        "are proportional."
    )


@hu(
    "Theorem 3",
    "NI is not monotone: it may fall while diagonal terms grow at the cost of the others, because it has a local "
    "minimum where two rows of a block are proportional (eqs. 34 and 35).",
    Verdict.TRUE,
)
def not_monotone() -> str:
    hits = np.arange(41)
    counts = np.tile(np.array(MATRICES["M19"]), (41, 1, 1))
    counts[:, 1, 1], counts[:, 1, 2] = hits, 40 - hits
    change, lowest = np.diff(NI(counts)), int(MATRICES["M19"][1][1])
    assert np.all(change[:lowest] < 0)
    assert np.all(change[lowest:] > 0)
    assert scored("accuracy", MATRICES["M19"]) > scored("accuracy", MATRICES["M20"])
    assert NI(MATRICES["M20"]) > NI(MATRICES["M19"])
    return (
        f"M19 is such a minimum. If the hits of its second class go from 0 to 40, NI falls until {lowest}, which is "
        f"M19, and rises from there. M19 has 78 of 100 right and NI {NI(MATRICES['M19']):.3f}, M20 has 68 right and NI "
        f"{NI(MATRICES['M20']):.3f}."
    )


def equation_20(counts: NDArray[np.int64]) -> float:
    """NI, cell by cell as in the program of the paper's appendix."""
    total, rows, columns = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    over = sum(
        count * np.log2(count / rows[i] / (columns[j] / total)) for (i, j), count in np.ndenumerate(counts) if count
    )
    return float(-over / sum(row * np.log2(row / total) for row in rows))


@hu("Property 1", "The augmented confusion matrix determines NI and NH.", Verdict.TRUE)
def determined_by_the_matrix() -> str:
    random = random_tables(11, 1000, 4, 5)
    for tables in (SMALL, SMALL_THREE, random):
        np.testing.assert_allclose(NI(tables), [equation_20(table) for table in tables], rtol=0, atol=TIE)
        missed, entropy = (scored(name, tables, reject=True) for name in ("missed_information", "truth_entropy"))
        np.testing.assert_allclose(missed / entropy, 1 - NI(tables), rtol=0, atol=TIE)
    return (
        "Eq. (20), computed cell by cell from the counts as in the appendix, is NI, and NH is 1 − NI: all "
        f"{len(SMALL)} tables with classes of 5 and 3 samples, all {len(SMALL_THREE)} with 4, 2 and 2, and "
        f"{len(random)} random ones of four classes."
    )


@hu("Property 2", "NI (or NH) does not determine accuracy, nor the other conventional measures.", Verdict.TRUE)
def accuracy_is_open() -> str:
    m4, m6 = MATRICES["M4"], MATRICES["M6"]
    assert abs(NI(m4) - NI(m6)) < TIE
    right = [float(scored("accuracy", each, reject=True)) for each in (m4, m6)]
    rejected = [float(scored("rejection_rate", each, reject=True)) for each in (m4, m6)]
    assert right[0] > right[1]
    assert rejected[0] < rejected[1]
    exchanged = float(scored("accuracy", MATRICES["M11"], reject=True))
    return (
        f"M4 and M6 have the same NI, {NI(m4):.4f}, with {right[0]:.0%} and {right[1]:.0%} right and {rejected[0]:.0%} "
        f"and {rejected[1]:.0%} rejected; M1 and M11 both have NI 1, with 100% and {exchanged:.0%} right."
    )


@hu(
    "Property 3",
    "If no accepted sample is wrong (A = 1) and samples of one class are rejected (c_i(m+1) = Rej ≠ 0), NI is 1 all "
    "the same, which is not desirable.",
    Verdict.TRUE,
)
def rejecting_is_free() -> str:
    accepted_right = SMALL[np.all(SMALL[:, :, :2] * (1 - np.eye(2, dtype=int)) == 0, axis=(1, 2))]
    accepted_right = accepted_right[accepted_right[:, :, 2].sum(axis=1) > 0]
    one_class = np.count_nonzero(accepted_right[:, :, 2], axis=1) == 1
    np.testing.assert_array_equal(NI(accepted_right) > 1 - TIE, one_class)
    assert np.all(scored("proficiency_without_reject", accepted_right, reject=True) < 1 - TIE)
    m18 = MATRICES["M18"]
    assert NI(MATRICES["M9"]) == 1
    assert abs(NI(MATRICES["M10"]) - 1) < TIE
    assert NI(m18) < 1 == scored("accepted_accuracy", m18, reject=True)
    return (
        f"Of the {len(accepted_right)} tables with classes of 5 and 3 samples, rejections and no accepted error, NI is "
        f"1 for the {np.sum(one_class)} that reject samples of one class only (as M9 and M10), and for no other. "
        f"M18 = {shown(m18)} rejects samples of two classes, and its NI is "
        f"{NI(m18):.3f}. The index that the paper proposes instead (`proficiency_without_reject`) is below 1 for all "
        "of them."
    )


def sensitivities_of(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Eqs. (27) to (30) times n, of tables whose cells are all positive: by TP, TN, U1 and U2."""
    first, second = np.moveaxis(np.log2(counts / counts.sum(axis=-2, keepdims=True)), -2, 0)
    return np.stack(
        [
            first[..., 0] - first[..., 1],
            second[..., 1] - second[..., 0],
            first[..., 2] - first[..., 1],
            second[..., 2] - second[..., 0],
        ],
        axis=-1,
    )


STEPS = np.array([[[1, -1, 0], [0, 0, 0]], [[0, 0, 0], [-1, 1, 0]], [[0, -1, 1], [0, 0, 0]], [[0, 0, 0], [-1, 0, 1]]])
"""What one more of TP, TN, U1 and U2 does to a table whose class sizes are fixed."""


@hu(
    "Property 4",
    "The sensitivity analysis of two classes with rejections needs four independent equations, (27) to (30), as there "
    "are four independent parameters; without rejections (27) and (28) are enough.",
    Verdict.TRUE,
)
def four_independent_equations() -> str:
    counts = np.random.default_rng(16).uniform(5, 100, (200, 2, 3))
    assert np.linalg.matrix_rank(STEPS.reshape(4, 6)) == 4  # of 6 cells, 2 sums are fixed
    assert np.linalg.matrix_rank(sensitivities_of(counts)) == 4
    assert np.linalg.matrix_rank(STEPS[:2, :, :2].reshape(2, 4)) == 2  # of 4 cells, 2 sums are fixed
    return (
        "TP, TN, U1 and U2 change tables of fixed class sizes in four linearly independent directions, which is all "
        "there are; without the column of rejections there are two, TP and TN. On 200 random tables no linear relation "
        "holds between the values of the four equations."
    )


def near_exact(share: float) -> NDArray[np.float64]:
    """Tables of all class sizes 1 ≤ C2 < C1 < 200 with so much of a sample in each cell off the diagonal."""
    large, small = all_class_sizes()
    counts = np.full((large.size, 2, 3), share)
    counts[:, 0, 0], counts[:, 1, 1] = large - 2 * share, small - 2 * share
    return counts


SHARES = (1e-6, 1e-3, 0.1)


@hu(
    "Property 5",
    "Around the exact solution of two classes, a misclassified sample of the smaller class changes NI more than one of "
    "the larger; a sample taken from it by rejection does, too.",
    Verdict.TRUE,
)
def small_class_costs_more() -> str:
    assert np.all(one_sample_moved((1, 0)) < one_sample_moved((0, 1)))
    for share in SHARES:
        of_tp, of_tn, of_u1, of_u2 = np.abs(sensitivities_of(near_exact(share))).T
        assert np.all(of_tn > of_tp)
        assert np.all(of_u2 > of_u1)
    return (
        "No exception for class sizes 1 ≤ C2 < C1 < 200 if one sample of the exact solution is misclassified (to "
        "reject one costs nothing there), nor for the derivatives, eqs. (27) to (30), with 0.000001, 0.001 or 0.1 of a "
        "sample in each cell off the diagonal."
    )


@hu(
    "Property 6",
    "Around the exact solution of two classes, misclassifying a sample changes NI more than rejecting it.",
    Verdict.TRUE,
)
def errors_cost_more_than_rejections() -> str:
    for row in (0, 1):
        assert np.all(one_sample_moved((row, 1 - row)) < one_sample_moved((row, 2)))
    for share in SHARES:
        of_tp, of_tn, of_u1, of_u2 = np.abs(sensitivities_of(near_exact(share))).T
        assert np.all(of_tp > of_u1)
        assert np.all(of_tn > of_u2)
    return (
        "No exception for class sizes 1 ≤ C2 < C1 < 200, neither if one sample of the exact solution moves nor for the "
        "derivatives as in Property 5."
    )


@hu(
    "Property 7",
    "Without rejections, NI over TPR and TNR has two maxima, NI = 1, at the exact and at the completely wrong "
    "classification, and between them a valley with NI = 0 along TP = C1 − TN·C1/C2 (eqs. 31 and 32), so it is not "
    "monotone in the diagonal terms.",
    Verdict.TRUE,
)
def two_maxima_and_a_valley() -> str:
    hits, other = (grid.ravel() for grid in np.meshgrid(np.arange(91), np.arange(11), indexing="ij"))
    counts = np.stack([hits, 90 - hits, 10 - other, other], axis=-1).reshape(-1, 2, 2)
    found = scored("proficiency", counts)
    exact, wrong = (hits == 90) & (other == 10), (hits == 0) & (other == 0)
    valley = hits == 90 - 9 * other
    np.testing.assert_array_equal(found > 1 - TIE, exact | wrong)
    np.testing.assert_array_equal(found < TIE, valley)
    for column, change in enumerate(np.diff(found.reshape(91, 11), axis=0).T):
        assert np.all(change[: 90 - 9 * column] < 0)
        assert np.all(change[90 - 9 * column :] > 0)
    return (
        f"All {len(counts):,} tables with classes of 90 and 10 samples: NI is 1 at these two and at no other, 0 at the "
        f"{np.sum(valley)} of the line and at no other, and with TN fixed it falls with TP up to the line and rises "
        "beyond."
    )


@hu(
    "eqs. (27)-(30)",
    "They are the derivatives of I, where sgn() leaves out the terms of empty cells.",
    Verdict.ONLY_IF,
    "none of the cells concerned is empty",
)
def sensitivities() -> str:
    interior = np.random.default_rng(15).uniform(5, 100, (200, 2, 3))
    for step, printed in zip(STEPS, sensitivities_of(interior).T / interior.sum(axis=(1, 2)), strict=True):
        after, before = (scored("mutual_information", interior + sign * 1e-3 * step, reject=True) for sign in (1, -1))
        np.testing.assert_allclose((after - before) / 2e-3, printed, rtol=0, atol=1e-9)
    counts = np.array(MATRICES["M7"])
    total, columns = counts.sum(), counts.sum(axis=0)

    def printed_term(row: int, column: int) -> float:
        share = counts[row, column] / columns[column] if counts[row, column] else 1.0
        return float(np.sign(counts[row, column]) * np.log2(share))

    rule = (printed_term(0, 1) - printed_term(0, 0)) / total
    moved = counts - STEPS[0]
    truth = float(scored("mutual_information", moved) - scored("mutual_information", counts))
    assert rule > 0 > truth
    return (
        "With all cells positive they equal a central difference on 200 random tables. At empty cells even the sign "
        f"may be wrong: if one correct sample of M7's first class becomes an error, the rule says {rule:+.5f} bits and "
        f"the true change is {truth:+.4f} bits."
    )


@hu("eq. (9)", "Fano's inequality is a lower bound of the Bayes error.", Verdict.TRUE)
def fano() -> str:
    for counts in (SMALL, SMALL_THREE, random_tables(14, 2000, 4, 5)):
        assert np.all(scored("fano_bound", counts) <= scored("bayes_error", counts) + TIE)
    for matrix in MATRICES.values():
        missed = float(scored("missed_information", matrix, reject=True))
        assert (missed - 1) / np.log2(len(matrix)) < 0
    return (
        "It holds for every table tried. But with less than one bit missed it is vacuous: the printed bound is below 0 "
        f"for all {len(MATRICES)} models. The tight form (`tight_fano_bound`) is not."
    )


@hu("eq. (10)", "Half of H(T|Y) is an upper bound of the Bayes error.", Verdict.TRUE)
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
        "It holds for every table tried. It is no bound of a classifier's own error, which exceeds it for "
        f"{', '.join(broken)}."
    )


@hu("eq. (10)", "By Eriksson's condition, the bound is effective only if the Bayes error is at most 0.5.", Verdict.TRUE)
def eriksson() -> str:
    reached = np.array([[[2 * (100 - share), share], [0, share]] for share in range(101)])
    errors, bounds = (scored(name, reached) for name in ("bayes_error", "hellman_raviv_bound"))
    np.testing.assert_allclose(errors, bounds, rtol=0, atol=TIE)
    assert errors.max() == 0.5
    counts = random_tables(17, 20_000, 5, 2)
    errors, bounds = (scored(name, counts) for name in ("bayes_error", "hellman_raviv_bound"))
    beyond = errors > 0.5 + TIE
    assert np.all(bounds[beyond] - errors[beyond] > 0.75 * (errors[beyond] - 0.5))  # Kovalevskij: (6 log2(3/2) - 2)/2
    return (
        "Two classes that are indistinguishable in part of the samples reach the bound at every error from 0 to 0.5. "
        f"Above 0.5 the bound still holds, but is not reached: in none of {beyond.sum():,} random tables of five "
        "classes, and its distance grows with the error."
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
        "M5 has 83 of 100 samples right; the table prints 0.933, which is 83 of the 89 that it accepts, as the program "
        "in the appendix computes it. This is `accepted_accuracy`; Infoscope has both."
    )


@hu(
    "section 3",
    "Of two classes without rejections, accuracy, precision and recall determine NI.",
    Verdict.ONLY_IF,
    "some positive sample is found (TP > 0)",
)
def closed_form() -> str:
    counts = np.array(list(product(range(13), repeat=4))).reshape(-1, 2, 2)
    counts = counts[np.all(counts.sum(axis=2) > 0, axis=1) & (counts[:, :, 0].sum(axis=1) > 0)]
    counts, others = counts[counts[:, 0, 0] > 0], [[[0, 6], [12, 9]], [[0, 7], [7, 7]]]
    right, precision, recall, ni = (scored(name, counts) for name in ("accuracy", "precision", "recall", "proficiency"))
    wrong = right < 1 - TIE
    assert np.all(ni[~wrong] > 1 - TIE)
    # of a class with TP/R samples and TP/P alarms, A says how many there are: what is wrong is TP(1/P + 1/R - 2)
    hit = (1 - right[wrong]) / (1 / precision[wrong] + 1 / recall[wrong] - 2)
    missed, alarms = hit / recall[wrong] - hit, hit / precision[wrong] - hit
    again = np.stack([hit, missed, alarms, 1 - hit - missed - alarms], axis=-1).reshape(-1, 2, 2)
    np.testing.assert_allclose(scored("proficiency", np.maximum(again, 0)), ni[wrong], rtol=0, atol=1e-9)
    for name in ("accuracy", "precision", "recall"):
        assert np.ptp(scored(name, others)) < TIE
    first, second = scored("proficiency", others)
    assert first > second + 0.01
    return (
        f"Computed from A, P and R alone for all {len(counts):,} tables with cells up to 12 and TP > 0. Without a hit, "
        f"precision and recall are both 0: {shown(others[0])} and {shown(others[1])} have the same accuracy, and NI "
        f"{first:.3f} and {second:.3f}."
    )


@hu(
    "section 4, observation 1",
    "Of several classes, too, a misclassified sample of a smaller class changes NI more than one of a larger.",
    Verdict.ONLY_IF,
    "the two are taken for each other",
)
def errors_of_small_classes() -> str:
    sizes = np.array([each for each in product(range(1, 25), repeat=3) if each[0] < each[1]])
    assert np.all(after_one_error(sizes, 0, 1) < after_one_error(sizes, 1, 0) - TIE)
    np.testing.assert_allclose(after_one_error(sizes, 0, 2), after_one_error(sizes, 1, 2), rtol=0, atol=TIE)
    m12, m13, m16 = (float(NI(MATRICES[name])) for name in ("M12", "M13", "M16"))
    assert m12 > m13 > m16
    return (
        f"No exception for one sample of the exact solution of three classes, with all {len(sizes):,} triples of sizes "
        "below 25 whose first is below its second. Taken for the third class, samples of both change NI equally. M13 "
        f"loses five samples of the smallest class and M12 of the largest (NI {m13:.3f} and {m12:.3f}), but M16 of the "
        f"middle one, mostly to the largest ({m16:.3f})."
    )


def after_one_error(sizes: NDArray[np.int64], row: int, column: int) -> NDArray[np.float64]:
    """NI after one sample of an exact solution of three classes went to another column."""
    counts = np.zeros((len(sizes), 3, 4), dtype=np.int64)
    counts[:, range(3), range(3)] = sizes
    counts[:, row, row] -= 1
    counts[:, row, column] += 1
    return NI(counts)


@hu(
    "section 4, observation 2",
    "A sample that is misclassified as a smaller class changes NI less than one misclassified as a larger class.",
    Verdict.TRUE,
)
def errors_into_small_classes() -> str:
    sizes = np.array([each for each in product(range(1, 25), repeat=3) if each[1] < each[2]])
    assert np.all(after_one_error(sizes, 0, 1) > after_one_error(sizes, 0, 2) + TIE)
    assert NI(MATRICES["M13"]) > NI(MATRICES["M14"])
    assert NI(MATRICES["M15"]) > NI(MATRICES["M16"])
    return (
        f"M13 has a higher NI than M14, and M15 than M16. No exception for one sample of the exact solution of three "
        f"classes, with all {len(sizes):,} triples of sizes below 25 whose second is below its third."
    )

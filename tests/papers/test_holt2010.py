"""Holt, Mastromarino, Kao & Hurley 2010: four classifiers of eight equally frequent classes, and what is printed.

The paper draws the four matrices; they are rebuilt so that they give what is printed about them. A spreads 0.2 over all
seven other classes, B over three, C puts it on one; D splits every class in halves.
"""

from typing import Any

import numpy as np
import pytest

import infoscope as ifs
from infoscope import Contingency, Finding, Posterior
from infoscope.metrics import missed_information, truth_entropy
from tests.api import diagnose, find
from tests.papers.printed import Printed, assert_as_printed, cases


def circulant(*row: float) -> list[list[float]]:
    """Eight classes that are all treated alike, so that the answers are equally frequent too."""
    first = np.zeros(8)
    first[: len(row)] = row
    return [np.roll(first, shift).tolist() for shift in range(8)]


MATRICES = {
    "A": circulant(0.1, *[0.025 / 7] * 7),
    "B": circulant(0.1, *[0.025 / 3] * 3),
    "C": circulant(0.1, 0.025),
    "D": circulant(0.0625, 0.0625),
}
TABLES = {name: Contingency.from_matrix(matrix) for name, matrix in MATRICES.items()}

PRINTED = {
    "weighted_tpr": {"A": "0.8", "B": "0.8", "C": "0.8", "D": "0.5"},
    "weighted_fpr": {"A": "0.029", "B": "0.029", "C": "0.029", "D": "0.071"},
    "weighted_ppv": {"A": "0.8", "B": "0.8", "C": "0.8", "D": "0.5"},
    "weighted_npv": {"A": "0.97", "B": "0.97", "C": "0.97", "D": "0.93"},
    "rand_index": {"A": "0.95", "B": "0.95", "C": "0.95", "D": "0.88"},
    "weighted_f1": {"A": "0.8", "B": "0.8", "C": "0.8", "D": "0.5"},
    "error_information_ratio": {"A": "0.168", "B": "0.147", "C": "0.127", "D": "0.361"},
    "linear_loss": {"A": "0.925", "B": "0.925", "C": "0.925", "D": "1.00"},
    "quadratic_loss": {"A": "0.8101", "B": "0.8102", "C": "0.8106", "D": "0.8828"},
    "informational_loss": {"A": "2.30", "B": "2.30", "C": "2.30", "D": "2.77"},
    "zero_one_loss": {"A": "-0.80", "B": "-0.80", "C": "-0.80", "D": "-0.50"},
    "erroneous_information_ratio": {"B": "0.693", "C": "0.481"},
}

MISPRINTED = {"erroneous_information_ratio": {"A": "0.855", "D": "0.666"}}


def equations(joint: np.ndarray) -> dict[str, float]:
    """Equations (4) to (16) and (22) to (26) as printed, of a joint distribution P(t, s)."""
    p_t, p_s, right = joint.sum(axis=1), joint.sum(axis=0), np.diag(joint)
    chance = p_t @ p_s
    ideal = np.eye(len(joint))
    costs = {
        "quadratic_loss": ((joint - ideal) ** 2).sum(axis=1),
        "linear_loss": np.abs(joint - ideal).sum(axis=1),
        "informational_loss": -np.log(right),
    }
    missed = -np.sum(joint * np.log2(joint / p_s))
    false = -np.sum(joint * np.log2(joint / p_t[:, None]))
    truth = -np.sum(p_t * np.log2(p_t))
    return {
        "accuracy": right.sum(),
        "kappa": (right.sum() - chance) / (1 - chance),
        "weighted_tpr": right.sum(),
        "weighted_fpr": p_t @ ((p_s - right) / (1 - p_t)),
        "weighted_ppv": p_t @ (right / p_s),
        "weighted_npv": p_t @ ((1 - p_s - p_t + right) / (1 - p_s)),
        "rand_index": p_t @ (1 - p_s - p_t + 2 * right),
        "weighted_f1": p_t @ (2 * right / (p_t + p_s)),
        **{name: joint.sum(axis=1) @ cost for name, cost in costs.items()},
        "zero_one_loss": -right.sum(),
        "error_information_ratio": (1 - right.sum()) / ((truth - missed) * np.log(2)),
        "erroneous_information": missed + false,
        "information_cost": missed + false,
        "erroneous_information_ratio": (missed + false) / truth,
        "proficiency": (truth - missed) / truth,
        "false_information_ratio": false / truth,
    }


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_equations_as_printed_for_classes_of_any_sizes(classes: int) -> None:
    for seed in range(20):
        counts = np.random.default_rng(seed).integers(1, 60, (classes, classes))
        table = Contingency.from_matrix(counts, positive=0 if classes == 2 else None)

        for metric, expected in equations(counts / counts.sum()).items():
            assert float(find(metric).score(table)) == pytest.approx(expected, rel=1e-10), metric


@pytest.mark.parametrize("classes", [2, 5])
def test_conditional_entropies_of_classes_add_up_to_those_of_the_table(classes: int) -> None:
    """Section 4: H(S|T=i) weighted by P(t=i) is H(S|T), H(T|S=j) weighted by P(s=j) is H(T|S)."""
    counts = np.random.default_rng(0).integers(1, 60, (classes, classes))
    table = Contingency.from_matrix(counts)
    joint = counts / counts.sum()

    by_class = joint.sum(axis=1) @ ifs.metrics.class_false_information(table)
    by_output = joint.sum(axis=0) @ ifs.metrics.output_missed_information(table)
    assert by_class == pytest.approx(float(ifs.metrics.false_information(table)))
    assert by_output == pytest.approx(float(ifs.metrics.missed_information(table)))


@pytest.mark.parametrize("printed", cases(PRINTED))
def test_as_printed(printed: Printed) -> None:
    assert_as_printed(TABLES[printed.table], printed)


@pytest.mark.parametrize("printed", cases(MISPRINTED))
def test_printed_one_unit_too_low(printed: Printed) -> None:
    value = float(find(printed.metric).score(TABLES[printed.table]))

    assert printed.tolerance < value - printed.value < 3 * printed.tolerance


@pytest.mark.parametrize("metric", ["accuracy", "kappa"])
def test_accuracy_and_kappa_do_not_tell_a_b_and_c_apart(metric: str) -> None:
    a, b, c = (float(find(metric).score(TABLES[name])) for name in "ABC")

    assert a == pytest.approx(b, rel=1e-12) == pytest.approx(c, rel=1e-12)


def ranking(metric: str) -> str:
    """Best first."""
    entry = find(metric)
    sign = -1.0 if entry.card.better == "higher" else 1.0
    return ",".join(sorted(TABLES, key=lambda name: sign * float(entry.score(TABLES[name]))))


@pytest.mark.parametrize(
    ("metric", "order"),
    [
        ("quadratic_loss", "A,B,C,D"),
        ("error_information_ratio", "C,B,A,D"),
        ("erroneous_information_ratio", "C,D,B,A"),
    ],
)
def test_ranking_as_printed(metric: str, order: str) -> None:
    assert ranking(metric) == order


@pytest.mark.parametrize(
    ("metric", "least"),
    [("linear_loss", 1 - 1 / 8), ("quadratic_loss", (1 - 1 / 8) ** 2), ("informational_loss", np.log(8))],
)
def test_losses_of_a_perfect_system_are_not_zero(metric: str, least: float) -> None:
    perfect = Contingency.from_matrix(circulant(0.125))

    assert float(find(metric).score(perfect)) == pytest.approx(least, abs=1e-12)


TABLE_2 = {"2007": ("1.484", "46.8"), "2008": ("1.180", "64.8"), "2009": ("0.814", "78.2")}
"""S_I/H(T) and accuracy in percent of three systems, as printed."""
TABLE_2_TPR = {"2007": "0.466", "2008": "0.643", "2009": "0.786"}
TABLE_2_KAPPA = {"2007": "0.389", "2008": "0.593", "2009": "0.756"}
TABLE_2_XI = {"2007": "1.03", "2008": "0.421", "2009": "0.174"}


def test_by_information_the_second_improvement_stands_out_more() -> None:
    """Figure 5: one error over the next, here from the printed columns by hand."""
    errors = {year: (float(erroneous), 1 - float(right) / 100) for year, (erroneous, right) in TABLE_2.items()}
    steps = ifs.ImprovementDisplay.from_errors(errors).steps
    by_hand = {"information": (1.484 / 1.180, 1.180 / 0.814), "accuracy": (53.2 / 35.2, 35.2 / 21.8)}

    for by, factors in by_hand.items():
        assert [step.factor for step in steps if step.by == by] == pytest.approx(factors, rel=1e-12)
    ratios = {by: second / first for by, (first, second) in by_hand.items()}
    assert ratios["information"] > 1.1 > ratios["accuracy"] > 1


@pytest.mark.parametrize("name", "ABCD")
@pytest.mark.parametrize("alpha", [0.5, 2.0, 3.0])
def test_alpha_is_a_factor_in_front_of_the_ratio(name: str, alpha: float) -> None:
    """Equation 16, its entropies summed here: α times the error rate over I(T;S) in nats."""
    joint = np.array(MATRICES[name])
    given = joint / joint.sum(axis=0)
    gain = np.sum(joint[joint > 0] * np.log(given[joint > 0])) - np.sum(joint.sum(axis=1) * np.log(joint.sum(axis=1)))
    expected = alpha * (1 - np.trace(joint)) / gain

    assert ifs.metrics.error_information_ratio(TABLES[name], alpha=alpha) == pytest.approx(expected, rel=1e-12)


def test_alpha_of_two_doubles_the_printed_ratio_of_a() -> None:
    assert f"{ifs.metrics.error_information_ratio(TABLES['A'], alpha=2.0):.3f}" == "0.336"


def test_alpha_of_labels_of_perfect_systems_and_of_nonsense() -> None:
    truth = ["a", "b", "a", "b"]

    assert ifs.metrics.error_information_ratio(truth, truth, alpha=0.5) == 0
    assert ifs.metrics.error_information_ratio(truth, ["a", "b", "b", "b"], alpha=2.0) == pytest.approx(
        2 * ifs.metrics.error_information_ratio(truth, ["a", "b", "b", "b"])
    )
    nearly_blind = Contingency.from_matrix([[50, 51], [51, 50]])
    assert np.isnan(ifs.metrics.error_information_ratio(nearly_blind, alpha=1e308))  # no number is as great
    nonsense: list[Any] = [0.0, -1.0, np.inf, np.nan, "2", None, [1.0]]
    for alpha in nonsense:
        with pytest.raises(ifs.InputError, match=r"alpha is .*; it is a factor, a number above 0"):
            ifs.metrics.error_information_ratio(TABLES["A"], alpha=alpha)


def second_stage(findings: list[Finding]) -> Finding:
    return next(finding for finding in findings if finding.code == "second_stage")


@pytest.mark.parametrize("counted", [False, True])
def test_a_second_stage_recovers_all_that_d_misses(counted: bool) -> None:
    table = Contingency.from_matrix((1600 * np.array(MATRICES["D"])).astype(int)) if counted else TABLES["D"]
    finding = second_stage(diagnose(table, belief=Posterior(table) if counted else None))
    missed = float(missed_information(TABLES["D"]))

    assert finding.evidence["bits"] == pytest.approx(missed, abs=1e-12)
    assert missed / float(truth_entropy(TABLES["D"])) == pytest.approx(1 / 3)
    assert len(finding.evidence["outputs"]) == 8
    assert "could recover up to 33.3 points" in finding.text
    assert "on 5 more predictions, up to 20.8 points" in finding.text


def test_an_evaluation_of_d_says_so_too() -> None:
    system = ifs.evaluate({"D": Contingency.from_matrix((1600 * np.array(MATRICES["D"])).astype(int))})["D"]

    assert any("up to 33.3 points" in item.text for item in system.diagnosis if item.code == "second_stage")


@pytest.mark.parametrize("classes", [4, 16, 64, 300])
def test_halves_of_any_number_of_classes_are_recovered(classes: int) -> None:
    halves = 50 * (np.eye(classes, dtype=int) + np.roll(np.eye(classes, dtype=int), 1, axis=1))
    finding = second_stage(diagnose(Contingency.from_matrix(halves)))

    assert f"{100 / np.log2(classes):.1f} points" in finding.text.partition(":")[0]
    assert finding.evidence["bits"] == pytest.approx(1.0, abs=1e-12)

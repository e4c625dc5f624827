"""Each rule speaks on a table that fits it and is silent on one that does not; matrices are the papers' own."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from infoscope import Contingency, Finding, Posterior, compare, evaluate, gate, report
from infoscope.metrics import missed_information, split_system_remainder, split_truth_remainder
from tests.api import (
    RULES,
    THRESHOLDS,
    AffinityRows,
    Estimation,
    TableStatistics,
    diagnose,
    diagnose_all,
    lookalikes,
    samples_to_halve,
)


def rejecting(matrix: list[list[int]]) -> Contingency:
    """A table of Hu & Wang: the last column is "rejected"."""
    return Contingency.from_matrix(matrix, reject=len(matrix[0]) - 1)


M1 = rejecting([[90, 0, 0], [0, 10, 0]])
M2 = rejecting([[90, 0, 0], [10, 0, 0]])
M5 = rejecting([[74, 6, 10], [0, 9, 1]])
M9 = rejecting([[90, 0, 0], [0, 9, 1]])
M10 = rejecting([[88, 0, 2], [0, 10, 0]])
M11 = rejecting([[0, 0, 80, 0], [0, 15, 0, 0], [5, 0, 0, 0]])
M12 = rejecting([[75, 0, 5, 0], [0, 15, 0, 0], [0, 0, 5, 0]])
M19 = rejecting([[50, 0, 0, 0], [0, 24, 16, 0], [0, 6, 4, 0]])
M20 = rejecting([[50, 0, 0, 0], [0, 14, 26, 0], [0, 6, 4, 0]])
VALVERDE_A = Contingency.from_matrix([[15, 0, 5], [0, 15, 5], [0, 0, 20]])
VALVERDE_B = Contingency.from_matrix([[16, 2, 2], [2, 16, 2], [1, 1, 18]])
VALVERDE_C = Contingency.from_matrix([[1, 0, 4], [0, 1, 4], [1, 1, 48]])
VALVERDE_F = Contingency.from_matrix([[0, 0, 5], [0, 0, 5], [0, 0, 50]])
STEINGOLD_A = Contingency.from_matrix([[2, 3], [0, 45]])
STEINGOLD_50 = Contingency.from_matrix([[15, 5], [45, 135]])
STEINGOLD_100 = Contingency.from_matrix([[10, 10], [90, 90]])
STEINGOLD_200 = Contingency.from_matrix([[0, 20], [180, 0]])
HURLEY = Contingency.from_matrix([[3, 1, 2], [1, 5, 1]])
RARE = Contingency.from_matrix([[980, 5, 5], [1, 4, 0], [1, 0, 4]])
SPELT = Contingency.from_labels(["cat", "Cat", "dog"] * 20, ["cat", "cat ", "dog"] * 20)
NEVER = Contingency.from_matrix(np.c_[np.r_[18 * np.eye(4, dtype=int), [[5, 5, 5, 5]]], np.zeros(5, dtype=int)])
CLUSTERS = Contingency.from_labels(["a", "b", "c"] * 30, ["x", "y", "z"] * 30)

THIN = Contingency.from_matrix(np.random.default_rng(0).poisson(0.6, (16, 16)) + 5 * np.eye(16, dtype=int))
ONCE = Contingency.from_matrix(np.diag([20, 9, 5, 2, 1, 1, 1, 1, 1]))
UNEVEN = Contingency.from_matrix(np.diag(60 // np.arange(1, 51) + 1) + np.eye(50, k=-1, dtype=int))
ONE_MORE = Contingency.from_matrix([[74, 6, 10], [0, 9, 1]])
ABSTAINS = Contingency.from_labels(list("aaabbbcc"), ["a", "a", "Unknown", "b", "b", "Unknown", "c", "c"])
ESTIMATED = replace(VALVERDE_B, estimation=Estimation("Nobody counted this.", np.ones((5, 3, 3))))
JUDGED = replace(
    VALVERDE_B, estimation=Estimation("A judge stands for most labels.", np.ones((5, 3, 3)), basis="judge")
)
AGES = np.random.default_rng(3).integers(20, 90, 400)
MEASURED = Contingency.from_labels(AGES, AGES + np.random.default_rng(4).integers(-5, 6, 400))
NUMBERED = Contingency.from_labels(AGES, np.random.default_rng(5).permutation(AGES))
ERRORS = Contingency.from_matrix([[0, 9, 6], [8, 0, 7], [5, 7, 0]])
_PAIRS = [("a", "a"), ("a", "b"), ("b", "b"), ("b", "a"), ("c", "c"), ("c", "a")]
_TIMES = [975, 3, 5, 3, 4, 2]
RULES_BY_CODE = {rule.code: rule for rule in RULES}

FITS = [
    ("measured_labels", MEASURED),
    ("only_errors", ERRORS),
    ("estimated_without_truth", ESTIMATED),
    ("estimated_by_judge", JUDGED),
    ("majority_voter", M2),
    ("majority_voter", VALVERDE_F),
    ("random", STEINGOLD_100),
    ("random", HURLEY),
    ("specialised", VALVERDE_C),
    ("accuracy_paradox", STEINGOLD_A),
    ("accuracy_paradox", STEINGOLD_50),
    ("accuracy_paradox", M2),
    ("relabelled", M11),
    ("relabelled", STEINGOLD_200),
    ("named_clusters", CLUSTERS),
    ("merged_pair", M19),
    ("abstains_for_free", M9),
    ("abstains_for_free", M10),
    ("undeclared_reject", ONE_MORE),
    ("undeclared_reject", ABSTAINS),
    ("undeclared_reject", Contingency.from_matrix([[90, 0, 0], [0, 10, 0]])),  # one column more, and empty
    ("detection_problem", RARE),
    ("second_stage", M12),
    ("predicted_too_rarely", Contingency.from_matrix([[960, 2], [28, 10]])),
    ("predicted_too_often", Contingency.from_matrix([[900, 62], [3, 35]])),
    ("less_varied_output", NEVER),
    ("few_samples", HURLEY),
    ("lookalike_labels", SPELT),
    ("normalised_matrix", Contingency.from_matrix([[0.8, 0.15, 0.05], [0.2, 0.7, 0.1], [0.0, 0.25, 0.75]])),
]
DOMINATED = Contingency.from_matrix([[975, 3, 0], [3, 5, 0], [2, 0, 4]])
BELIEVED = [
    ("loud_prior", HURLEY),
    ("small_sample_bias", THIN),
    ("unseen_classes", ONCE),
    ("absent_classes", Contingency.from_matrix(np.pad([[20, 3], [4, 25]], (0, 2)))),
    ("rare_classes", UNEVEN),
    ("dominant_class", DOMINATED),
]
DOES_NOT_FIT = [
    ("measured_labels", NUMBERED),
    ("only_errors", STEINGOLD_200),
    ("only_errors", Contingency.from_matrix([[0, 9, 0], [0, 0, 9], [9, 0, 0]])),  # other names
    ("only_errors", Contingency.from_matrix([[0, 1, 0], [1, 0, 1], [0, 1, 0]])),  # few
    ("only_errors", Contingency.from_matrix([[1, 9, 9], [9, 0, 9], [9, 9, 0]])),
    ("estimated_without_truth", VALVERDE_B),
    ("estimated_without_truth", JUDGED),
    ("estimated_by_judge", ESTIMATED),
    ("majority_voter", M1),
    ("random", VALVERDE_B),
    ("random", M1),
    ("specialised", VALVERDE_B),
    ("specialised", M1),
    ("specialised", Contingency.from_matrix([[960, 10], [12, 18]])),  # as uneven as the truth
    ("accuracy_paradox", M1),
    ("accuracy_paradox", VALVERDE_B),
    ("relabelled", VALVERDE_B),
    ("relabelled", M20),
    ("named_clusters", VALVERDE_B),
    ("merged_pair", VALVERDE_B),
    ("merged_pair", M1),
    ("abstains_for_free", M5),
    ("abstains_for_free", M1),
    ("undeclared_reject", M5),
    ("undeclared_reject", Contingency.from_labels([*"aabb"], [*"abbc"])),  # a class that this sample does not have
    ("undeclared_reject", Contingency.from_matrix([[5, 1], [1, 5]])),
    ("detection_problem", VALVERDE_B),
    ("detection_problem", M1),
    ("predicted_too_rarely", Contingency.from_matrix([[960, 10], [12, 18]])),
    ("predicted_too_rarely", Contingency.from_matrix([[500, 10], [300, 190]])),  # not rare
    ("predicted_too_often", Contingency.from_matrix([[960, 12], [10, 18]])),
    ("second_stage", VALVERDE_B),
    ("second_stage", M1),
    ("less_varied_output", VALVERDE_B),
    ("less_varied_output", VALVERDE_A),  # less varied, but all classes are predicted
    ("accuracy_paradox", Contingency.from_matrix([[430, 70], [72, 428]])),  # balanced
    ("normalised_matrix", VALVERDE_B),
    ("few_samples", VALVERDE_B),
    ("lookalike_labels", M1),
    ("loud_prior", M1),
    ("small_sample_bias", VALVERDE_B),
    ("unseen_classes", VALVERDE_B),
    ("absent_classes", VALVERDE_B),
    ("absent_classes", Contingency.from_labels([*"aabb"], [*"abbc"])),  # predicted, if never true
    ("dominant_class", VALVERDE_B),
    ("dominant_class", Contingency.from_matrix([[980, 5], [3, 12]])),  # two classes
    ("dominant_class", Contingency.from_matrix(np.diag([9500, 15, 15]))),  # enough of the others
    ("dominant_class", Contingency.from_matrix(np.diag([90, 5, 5]))),  # not so frequent
    ("rare_classes", VALVERDE_B),  # few classes
    ("rare_classes", Contingency.from_matrix(4 * np.eye(50))),  # as frequent as one another
    ("rare_classes", Contingency.from_matrix(np.diag(200 // np.arange(1, 51) + 4) + 1)),  # frequent enough
]


def said(code: str, table: Contingency) -> Finding | None:
    return next((finding for finding in diagnose(table) if finding.code == code), None)


@pytest.mark.parametrize(("code", "table"), FITS)
def test_rule_speaks_where_it_fits(code: str, table: Contingency) -> None:
    finding = said(code, table)

    assert finding is not None
    assert finding.evidence
    assert finding.text.endswith(".")
    assert "nan" not in finding.text


@pytest.mark.parametrize(("code", "table"), DOES_NOT_FIT)
def test_rule_is_silent_where_it_does_not_fit(code: str, table: Contingency) -> None:
    rule = RULES_BY_CODE[code]

    assert rule(TableStatistics(table, table.sample_size)) is None


def test_every_rule_is_tried_both_ways() -> None:
    tables = set(RULES_BY_CODE) - {"unmixed_chains"}  # which have tests of their own
    assert {code for code, _ in FITS + BELIEVED} == {code for code, _ in DOES_NOT_FIT} == tables


def test_perfect_and_single_class_tables_say_nothing_bad() -> None:
    assert diagnose(Contingency.from_matrix(np.eye(4, dtype=int) * 50)) == []
    assert diagnose(Contingency.from_matrix([[50, 0], [0, 0]])) == []


def test_renaming_names_the_classes_and_the_accuracy() -> None:
    finding = said("relabelled", M11)

    assert finding is not None
    assert finding.evidence["names"] == {"0": "2", "2": "0"}
    assert finding.evidence["accuracy"] == 0.15
    assert finding.evidence["accuracy_renamed"] == 1.0
    assert "'0' as '2'" in finding.text
    assert "15% to 100%" in finding.text


def test_renaming_needs_more_than_noise() -> None:
    coin = Contingency.from_matrix([[24, 26], [26, 24]])

    assert said("relabelled", coin) is None


def test_majority_voter_names_its_answer() -> None:
    finding = said("majority_voter", VALVERDE_F)

    assert finding is not None
    assert finding.evidence["predicted"] == "2"
    assert "always predicts '2'" in finding.text


def test_twins_of_m19_lose_nothing_when_merged() -> None:
    finding = said("merged_pair", M19)

    assert finding is not None
    assert finding.evidence["classes"] == ["1", "2"]
    assert finding.evidence["lost_bits"] == pytest.approx(0.0, abs=1e-12)


def test_second_stage_of_m12_recovers_all_that_is_missed() -> None:
    finding = said("second_stage", M12)

    assert finding is not None
    assert finding.evidence["outputs"][0]["classes"] == ["0", "2"]
    assert finding.evidence["bits"] == pytest.approx(float(missed_information(M12)), abs=1e-12)


def test_a_few_samples_behind_each_of_many_predictions_are_no_second_stage() -> None:
    """Errors to any class: behind each prediction stand its own class and one or two single samples."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3000, 20000)
    system = np.where(rng.random(20000) < 0.8, truth, rng.integers(0, 3000, 20000))

    assert said("second_stage", Contingency.from_labels(truth, system)) is None


def test_accuracy_gain_with_less_information_is_pointed_out() -> None:
    findings = diagnose_all({"M19": M19, "M20": M20})

    clash = next(finding for finding in findings["M19"] if finding.code == "non_monotone")
    assert clash.evidence["other"] == "M20"
    assert "78% against 68%" in clash.text
    assert all(finding.code != "non_monotone" for finding in findings["M20"])


def test_agreeing_systems_do_not_clash() -> None:
    findings = diagnose_all({"a": VALVERDE_B, "perfect": Contingency.from_matrix(np.diag([20, 20, 20]))})

    assert all(finding.code != "non_monotone" for found in findings.values() for finding in found)


def test_renamed_rival_is_no_clash() -> None:
    swapped = Contingency.from_matrix([[0, 50, 0], [50, 0, 0], [0, 0, 50]])
    honest = Contingency.from_matrix([[40, 5, 5], [5, 40, 5], [5, 5, 40]])

    assert all(f.code != "non_monotone" for f in diagnose_all({"honest": honest, "swapped": swapped})["honest"])


def test_lookalikes_list_the_spellings() -> None:
    finding = said("lookalike_labels", SPELT)

    assert finding is not None
    assert finding.evidence["groups"] == [["Cat", "cat", "cat "]]


def test_stated_sample_size_counts() -> None:
    shares = Contingency.from_matrix([[0.3, 0.2], [0.2, 0.3]])

    assert said("random", shares) is None
    assert any(finding.code == "random" for finding in diagnose(shares, n=20))
    assert all(finding.code != "random" for finding in diagnose(shares, n=2000))


def test_thresholds_stand_in_one_place() -> None:
    assert THRESHOLDS.samples_per_cell == 5.0


def test_large_sparse_tables_are_diagnosed() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3000, 20000)
    system = np.where(rng.random(20000) < 0.8, truth, rng.integers(0, 3000, 20000))

    codes = [finding.code for finding in diagnose(Contingency.from_labels(truth, system))]

    assert "few_samples" in codes
    assert "majority_voter" not in codes


def believed(table: Contingency, prior: str | float = "default") -> list[Finding]:
    return diagnose(table, belief=Posterior(table, prior))


def codes(findings: list[Finding]) -> set[str]:
    return {finding.code for finding in findings}


@pytest.mark.parametrize(("code", "table"), BELIEVED)
def test_rule_about_beliefs_speaks_where_it_fits(code: str, table: Contingency) -> None:
    assert code in codes(believed(table))


LARGE = [
    ("majority_voter", M2),
    ("random", STEINGOLD_100),
    ("specialised", VALVERDE_C),
    ("accuracy_paradox", STEINGOLD_A),
    ("accuracy_paradox", STEINGOLD_50),
    ("merged_pair", M19),
    ("undeclared_reject", ONE_MORE),
    ("undeclared_reject", ABSTAINS),
    ("detection_problem", RARE),
    ("second_stage", M12),
    ("less_varied_output", NEVER),
]


@pytest.mark.parametrize(("code", "table"), LARGE)
def test_belief_does_not_silence_a_rule_on_a_large_sample(code: str, table: Contingency) -> None:
    assert code in codes(believed(table.with_cells(table.cells * (1 if code == "random" else 20))))


SMALL = [
    ("majority_voter", Contingency.from_matrix([[2, 0], [1, 0]])),
    ("accuracy_paradox", STEINGOLD_A),  # 50 samples, 5 of them positive: anything from 5 % to 63 %
    ("accuracy_paradox", Contingency.from_matrix([[5, 0], [7, 28]])),
    ("specialised", Contingency.from_matrix([[2, 0, 2], [0, 1, 3], [0, 0, 4]])),
    ("merged_pair", Contingency.from_matrix([[9, 0, 0], [0, 1, 1], [0, 1, 1]])),
    ("second_stage", Contingency.from_matrix([[9, 0, 1], [0, 9, 0], [0, 0, 1]])),
    ("detection_problem", Contingency.from_matrix([[21, 0, 0], [0, 1, 0], [0, 0, 1]])),
    ("less_varied_output", Contingency.from_matrix([[5, 1, 0], [0, 6, 0], [0, 1, 0]])),
]


@pytest.mark.parametrize(("code", "table"), SMALL)
def test_belief_silences_a_claim_that_the_interval_leaves_open(code: str, table: Contingency) -> None:
    rule = RULES_BY_CODE[code]
    sure = TableStatistics(table, table.sample_size)
    unsure = TableStatistics(table, table.sample_size, Posterior(table))

    assert rule(sure) is not None
    assert rule(unsure) is None


def test_clash_needs_more_than_noise() -> None:
    scattered = Contingency.from_matrix([[80, 10, 10], [10, 80, 10], [10, 10, 80]])
    regular = Contingency.from_matrix([[70, 30, 0], [0, 70, 30], [30, 0, 70]])
    tables = {"scattered": scattered, "regular": regular}
    small = {name: TableStatistics(table, 300, Posterior(table)) for name, table in tables.items()}
    many = {name: table.with_cells(table.cells * 100) for name, table in tables.items()}
    large = {name: TableStatistics(table, 30_000, Posterior(table)) for name, table in many.items()}

    assert "non_monotone" in codes(diagnose_all(tables)["scattered"])
    assert "non_monotone" not in codes(diagnose_all(small)["scattered"])
    assert "non_monotone" in codes(diagnose_all(large)["scattered"])


def test_few_samples_say_how_many_more_halve_the_interval() -> None:
    finding = next(finding for finding in believed(HURLEY) if finding.code == "few_samples")

    more = samples_to_halve(Posterior(HURLEY), "proficiency")
    assert finding.evidence["samples_to_halve"] == more == 39
    assert "39 more would halve the interval" in finding.text
    many = next(found for found in diagnose(Contingency.from_matrix(np.ones((11, 11)))) if found.code == "few_samples")
    assert "; 610 or more would be safer" in many.text  # 5 for each of 121 cells, to two digits


def test_loud_prior_is_weighed_against_the_data() -> None:
    heavy = believed(VALVERDE_B, 50.0)
    light = believed(VALVERDE_B)

    (finding,) = [finding for finding in heavy if finding.code == "loud_prior"]
    assert "450 samples and speaks louder than the data (60)" in finding.text
    assert "loud_prior" not in codes(light)


def test_paradox_speaks_of_the_lower_limit() -> None:
    table = Contingency.from_matrix([[34, 12], [8, 246]])
    finding = next(finding for finding in believed(table) if finding.code == "accuracy_paradox")

    assert finding.evidence["proficiency"] > THRESHOLDS.paradox_proficiency > finding.evidence["proficiency_low"]
    assert "as little as" in finding.text


def test_a_constant_column_beside_a_judge_is_not_called_useless() -> None:
    rng = np.random.default_rng(3)
    truth = np.where(rng.random(300) < 0.7, "pass", "fail")
    verdict = np.where(rng.random(300) < 0.9, truth, "fail")
    rows = {"gold": [*truth[:80], *[None] * 220], "all": ["pass"] * 300, "judge": verdict}
    result = evaluate(rows, truth="gold", system="all", judge="judge")
    (finding,) = [finding for finding in result.systems[0].diagnosis if finding.code == "majority_voter"]
    assert finding.severity == "note"
    assert "is how often 'pass' is true" in finding.text
    assert finding.action != RULES_BY_CODE["majority_voter"].action


def test_errors_to_any_class_are_no_second_stage() -> None:
    scattered = Contingency.from_matrix([[250, 30, 12], [28, 130, 10], [13, 12, 40]])
    assert "second_stage" in codes(diagnose(scattered))  # of the counts alone
    assert "second_stage" not in codes(believed(scattered))


@pytest.mark.slow
def test_correction_for_small_samples_is_said_with_both_values() -> None:
    (finding,) = [finding for finding in believed(THIN) if finding.code == "small_sample_bias"]
    known = Posterior(THIN).correction("proficiency")

    assert known is not None
    assert f"({known.sample:.1%}) is too high" in finding.text
    assert f"{known.mean:.1%} is corrected, and the interval allows for that." in finding.text
    assert known.doubt * abs(known.sample - known.mean) > known.sd / 2
    assert "small_sample_bias" not in codes(believed(Contingency.from_matrix(np.asarray(THIN.counts) * 1000)))


@pytest.mark.slow
def test_unseen_classes_are_not_said_where_all_are_stated() -> None:
    stated = np.pad(np.asarray(ONCE.counts), (0, 12))

    (finding,) = [finding for finding in believed(ONCE) if finding.code == "unseen_classes"]
    assert "5 true classes occur once, so about 12% of cases" in finding.text
    assert "unseen_classes" not in codes(believed(Contingency.from_matrix(stated)))


def test_what_moves_with_the_number_of_classes_has_no_interval_where_classes_are_missing() -> None:
    (system,) = evaluate({"a": ONCE}).systems
    (whole,) = evaluate({"a": Contingency.from_matrix(np.asarray(ONCE.counts) * 20)}).systems

    assert "unseen_classes" in codes(system.diagnosis)
    for name in ("mutual_information", "truth_entropy", "macro_f1"):
        assert system.metrics[name].interval is None
        assert system.metrics[name].mean is not None
        assert whole.metrics[name].interval is not None
    assert system.metrics["proficiency"].interval is not None
    assert system.metrics["accuracy"].interval is not None


def test_a_gate_is_open_where_missing_classes_take_the_interval_away() -> None:
    verdict = gate({"a": ONCE}, min={"mutual_information": 0.1, "macro_f1.sd": 0.0, "proficiency": 0.1})

    assert [check.outcome for check in verdict.checks] == ["inconclusive", "inconclusive", "passed"]
    assert verdict.status == 3
    assert "State all classes with labels= (--classes), or ask for macro_f1.value" in verdict.checks[1].text
    assert gate({"a": ONCE}, min={"mutual_information.value": 0.1}).passed


def test_declared_classes_without_a_row_are_named() -> None:
    result = evaluate([*"aaabbb"] * 5, [*"aabbbb"] * 5, labels=[*"abcd"])
    (finding,) = [finding for finding in result.systems[0].diagnosis if finding.code == "absent_classes"]

    assert "No row has the declared classes 'c' and 'd'" in finding.text
    assert "about the 2 that occur, while intervals allow for all 4" in finding.text


def test_one_class_with_nearly_all_samples_has_no_interval_of_proficiency() -> None:
    truth, predicted = (np.repeat(side, _TIMES).tolist() for side in zip(*_PAIRS, strict=True))
    result = evaluate(truth, predicted)
    found = result.systems[0].metrics["proficiency"]
    assert found.value is not None
    assert found.interval is None
    assert result.systems[0].metrics["accuracy"].interval is not None
    for limit in (0.01, 0.99):
        verdict = gate(truth, predicted, min={"proficiency": limit})
        assert verdict.outcome == "inconclusive"
        assert "one class has nearly all samples" in verdict.checks[0].text
        assert "dominant_class" in codes(verdict.findings)
    assert gate(truth, predicted, min={"proficiency.value": 0.01}).passed


def test_so_have_grouped_rows_and_reports_and_a_comparison_says_it() -> None:
    truth, predicted = (np.repeat(side, _TIMES) for side in zip(*_PAIRS, strict=True))
    groups = np.random.default_rng(0).permutation(truth.size // 2).repeat(2)
    (grouped,) = evaluate(truth, predicted, groups=groups).systems
    assert "dominant_class" in codes(grouped.diagnosis)
    assert grouped.metrics["proficiency"].interval is None
    assert gate(truth, predicted, groups=groups, min={"proficiency": 0.01}).outcome == "inconclusive"

    entry = report(truth, predicted, output_dict=True)
    assert (entry["captured_low"], entry["captured_high"]) == (None, None)
    assert entry["captured"] == evaluate(truth, predicted).systems[0].metrics["proficiency"].shown
    assert entry["accuracy_low"] is not None

    for metric, is_decisive in (("proficiency", True), ("accuracy", False)):
        compared = compare(truth, {"x": predicted, "y": truth}, metrics=metric)
        (finding,) = (finding for finding in compared.findings if finding.code == "dominant_class")
        assert finding.is_warning is is_decisive
        assert "By captured information" not in compared.to_text()


def test_samples_of_the_other_classes_are_counted_by_their_effective_size() -> None:
    truth, predicted = (np.repeat(side, _TIMES) for side in zip(*_PAIRS, strict=True))
    weights = np.full(truth.size, 1000.0)  # the same rows: many by weight
    assert "dominant_class" in codes(evaluate(truth, predicted, sample_weight=weights).systems[0].diagnosis)

    shares = Contingency.from_matrix(np.asarray(DOMINATED.counts) / DOMINATED.total)
    for size, is_said in ((DOMINATED.total, True), (20 * DOMINATED.total, False)):
        (system,) = evaluate({"a": shares}, sample_size=float(size)).systems
        assert ("dominant_class" in codes(system.diagnosis)) is is_said
        assert (system.metrics["proficiency"].interval is None) is is_said


def test_a_gate_says_where_the_intervals_that_it_goes_by_fall_short() -> None:
    truth, predicted = (np.repeat(side, _TIMES).tolist() for side in zip(*_PAIRS, strict=True))
    by_proficiency, by_recall = (gate(truth, predicted, min={name: 0.9}) for name in ("proficiency", "macro_recall"))
    assert "dominant_class" in codes(by_proficiency.findings)
    assert "dominant_class" not in codes(by_recall.findings)
    several = gate(truth, {"x": predicted, "y": truth}, min={"proficiency": 0.9})
    assert [f.text[:6] for f in several.findings if f.code == "dominant_class"] == ["x: 'a'", "y: 'a'"]


def test_chains_that_do_not_agree_are_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    table = Contingency.from_matrix(rng.poisson(0.4, (14, 14)) + np.diag(rng.poisson(20, 14)))
    assert "unmixed_chains" not in codes(believed(table))

    def stuck(rows: AffinityRows, most: int, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Every other chain sees errors in one column alone."""
        chains, few = rows.count_chains(most), np.eye(14)[0] + 1e-9
        for at in range(most):
            yield rng.gamma(5.0, size=(14, 14)) * (1 - np.eye(14)), few if at % chains < chains / 2 else np.ones(14)

    monkeypatch.setattr(AffinityRows, "weights", stuck)
    (finding,) = [f for f in believed(table) if f.code == "unmixed_chains"]
    assert finding.evidence["r_hat"] > 1.2

    truth, said = (np.repeat(side, table.cells.astype(int)) for side in (table.cell_rows, table.cell_columns))
    grouped = evaluate(truth, said, groups=np.arange(truth.size) // 2).systems[0]
    assert "unmixed_chains" in codes(grouped.diagnosis)


@pytest.mark.slow
def test_rare_classes_are_said_with_the_size_of_the_shortfall() -> None:
    (finding,) = [f for f in believed(UNEVEN) if f.code == "rare_classes"]
    rare = int((UNEVEN.row_totals < 5).sum())
    assert finding.text.startswith(f"{rare} of 50 true classes have fewer than 5 samples")
    assert "contained the true value in 90 of 100" in finding.text


def test_labels_that_differ_by_what_nobody_sees_look_alike() -> None:
    assert lookalikes(["cat", "cat\u200b", "\ufeffcat", "dog"]) == [("cat", "cat\u200b", "\ufeffcat")]
    said = evaluate(["cat", "dog"] * 20, ["cat\u200b", "dog"] * 20)["system"].diagnosis
    (finding,) = [each for each in said if each.code == "lookalike_labels"]
    assert r"cat\u200b" in finding.text
    assert "no --clean makes them one" in finding.text


@pytest.mark.parametrize(
    ("code", "speaks", "silent"),
    [
        # rejections leave 0.008 and 0.011 bits open about the class, of 1 bit; 1 % is allowed
        ("abstains_for_free", rejecting([[9000, 0, 1], [0, 9000, 1499]]), rejecting([[9000, 0, 1], [0, 9000, 999]])),
        # predicted 1.25 and 1.2 times as often as it is true
        (
            "predicted_too_often",
            Contingency.from_matrix([[8700, 300], [50, 950]]),
            Contingency.from_matrix([[8750, 250], [50, 950]]),
        ),
    ],
)
def test_a_rule_speaks_up_to_its_limit(code: str, speaks: Contingency, silent: Contingency) -> None:
    assert said(code, speaks) is not None
    assert said(code, silent) is None


@pytest.mark.slow
def test_rare_classes_matter_beside_a_frequent_one_only() -> None:
    sizes = np.r_[np.full(20, 3), np.full(30, 20)]

    assert "rare_classes" not in codes(believed(Contingency.from_matrix(np.diag(sizes))))
    assert "rare_classes" in codes(believed(Contingency.from_matrix(np.diag(np.r_[sizes[:-1], 200]))))


def test_specialisation_is_what_valverdes_slides_call_so() -> None:
    """Predictions gain divergence where H'(S|T) is below H'(T|S); not with a diagonal table or uniform margins."""
    rng, rule, spoken = np.random.default_rng(9), RULES_BY_CODE["specialised"], 0
    for _ in range(300):
        counts = rng.multinomial(200, rng.dirichlet(np.full(16, 0.3))).reshape(4, 4)
        uniform = np.array([np.roll(counts[0] + 1, shift) for shift in range(4)])
        for matrix in (np.diag(np.diag(counts) + 1), uniform):
            table = Contingency.from_matrix(matrix)
            assert rule(TableStatistics(table, table.sample_size)) is None
        table = Contingency.from_matrix(counts)
        finding = rule(TableStatistics(table, table.sample_size))
        if finding is not None:
            spoken += 1
            gained = finding.evidence["system_divergence"] - finding.evidence["truth_divergence"]
            left = split_truth_remainder(table) - split_system_remainder(table)
            assert gained == pytest.approx(left, abs=1e-12)
            assert left >= THRESHOLDS.specialised_gap
    assert spoken > 10

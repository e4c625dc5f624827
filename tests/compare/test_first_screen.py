"""What a comparison says first: the metric that decides, the samples that only one gets right, what to do next."""

import re

import numpy as np
import pytest
from scipy.stats import binom

import infoscope as ifs
from infoscope.reports.html.page import draw_findings
from infoscope.results.finding import Finding

rng = np.random.default_rng(11)
TRUTH = rng.integers(0, 5, 500).astype(str)


def err(share: float, seed: int, truth: np.ndarray = TRUTH) -> np.ndarray:
    """Replace a share of the labels by others."""
    draw = np.random.default_rng(seed)
    wrong = np.where(truth == "0", "1", "0")
    return np.where(draw.random(len(truth)) < share, wrong, truth)


SYSTEMS = {"good": err(0.05, 1), "poor": err(0.3, 2), "middling": err(0.28, 3)}


@pytest.mark.parametrize(
    ("truth", "options", "metrics"),
    [
        (TRUTH, {}, ["accuracy", "proficiency", "macro_f1"]),
        (
            np.where(TRUTH == "0", "yes", "no"),
            {"positive": "yes"},
            ["f1", "proficiency", "recall", "precision", "accuracy"],
        ),
        (np.where(TRUTH == "0", 1, 0), {}, ["f1", "proficiency", "recall", "precision", "accuracy"]),
        (np.where(TRUTH == "0", "cat", "dog"), {}, ["accuracy", "proficiency", "macro_f1"]),  # nobody says which class
        (TRUTH, {"metrics": "kappa"}, ["kappa", "proficiency"]),
        (TRUTH, {"metrics": ["proficiency", "mcc"]}, ["proficiency", "mcc"]),
    ],
)
def test_the_data_decide_by_which_metric(truth, options, metrics):
    flip = {"a": np.roll(truth, 1), "b": np.where(np.arange(len(truth)) % 9 == 0, np.roll(truth, 1), truth)}
    assert [ranking.metric for ranking in ifs.compare(truth, flip, **options).ranking] == metrics


def test_a_metric_that_nobody_named_may_be_undefined():
    truth = ["a", "b"] * 40
    constant = ifs.compare(truth, {"one": ["a"] * 80, "two": ["a"] * 40 + ["b"] * 40}, positive="b")
    assert constant.ranking[0].metric == "f1"
    assert any(finding.code == "metric_left_out" for finding in constant.findings)
    one_class = ifs.compare(["a"] * 80, {"one": ["a"] * 80, "two": ["a"] * 40 + ["b"] * 40}, metrics="accuracy")
    assert [ranking.metric for ranking in one_class.ranking] == ["accuracy"]
    with pytest.raises(ifs.InputError, match="proficiency is undefined"):
        ifs.compare(["a"] * 80, {"one": ["a"] * 80, "two": ["a"] * 80}, metrics=["accuracy", "proficiency"])


def test_samples_that_one_alone_gets_right_are_counted():
    result = ifs.compare(TRUTH, SYSTEMS)
    good, poor = SYSTEMS["good"] == TRUTH, SYSTEMS["poor"] == TRUTH
    found = result.hits_of("poor", "good")
    assert (found.only_a, found.only_b, found.neither, found.samples) == (
        np.sum(poor & ~good),
        np.sum(good & ~poor),
        np.sum(~good & ~poor),
        500,
    )
    assert result.hits_of("good", "poor") == found.reversed()
    assert len(result.hits) == 3
    groups = ifs.compare(TRUTH, SYSTEMS, groups=np.arange(500) // 10)
    assert groups.hits == result.hits
    assert ifs.Comparison.from_dict(result.to_dict()).hits == result.hits
    tables = {name: ifs.Contingency.from_labels(TRUTH, labels) for name, labels in SYSTEMS.items()}
    assert ifs.compare(tables).hits == ()


def test_weighted_samples_that_decide_are_called_effective():
    weights = np.where(np.arange(500) < 250, 1.0, 3.0)
    result = ifs.compare(TRUTH, SYSTEMS, weight=weights)
    good, poor = SYSTEMS["good"] == TRUTH, SYSTEMS["poor"] == TRUTH
    size = weights.sum() ** 2 / np.sum(weights**2)
    assert result.hits_of("good", "poor").only_a == pytest.approx(weights[good & ~poor].sum() * size / weights.sum())
    assert "effective samples" in result.to_text()


def test_the_first_three_lines_have_the_numbers():
    for shown in (repr(ifs.compare(TRUTH, SYSTEMS)), ifs.compare(TRUTH, SYSTEMS).to_text()):
        lines = " ".join(shown.strip().split("\n")[:3])
        assert "good is the best of 3: right in 9" in " ".join(lines.split())
        assert "points more than" in lines
        assert "probability >99.9%" in lines


def test_an_abstaining_system_is_judged_where_it_predicts():
    careful = np.where(SYSTEMS["good"] == TRUTH, TRUTH, "?")
    careful[:150] = "?"
    careful[-1] = "3" if TRUTH[-1] != "3" else "2"
    result = ifs.compare(TRUTH, {**SYSTEMS, "careful": careful}, reject="?")
    (finding,) = (finding for finding in result.findings if finding.code == "abstains")
    abstained = int(np.sum(careful == "?"))
    assert finding.evidence["samples"] == abstained
    assert finding.evidence["accepted_accuracy"] == pytest.approx((500 - abstained - 1) / (500 - abstained))
    assert finding.text.startswith("Choose good, unless")
    alone = ifs.compare(TRUTH, {"poor": SYSTEMS["poor"], "careful": careful}, reject="?")
    text = next(finding.text for finding in alone.findings if finding.code == "abstains")
    assert ("Abstentions count as errors" in text) == (alone.ranking[0].best == "careful")


def test_as_many_more_samples_are_asked_for_as_decide():
    result = ifs.compare(TRUTH, {"poor": SYSTEMS["poor"], "middling": SYSTEMS["middling"]})
    (finding,) = (finding for finding in result.findings if finding.code == "no_clear_winner")
    more, found = finding.evidence["more_samples"], result.hits_of("poor", "middling")
    assert f"{more:,} more samples" in finding.text
    shares = np.array([found.only_a, found.only_b, 500 - found.only_a - found.only_b]) / 500
    draws = np.random.default_rng(6).multinomial(500 + more, shares, 4000)  # an exact sign test, tried otherwise
    most, both = draws[:, :2].max(axis=1), draws[:, :2].sum(axis=1)
    assert 0.7 <= np.mean(binom.sf(most - 1, both, 0.5) < 0.025) <= 0.88


def test_no_number_of_samples_is_asked_for_a_tie():
    flipped = TRUTH.copy()
    flipped[:10] = "x"
    other = TRUTH.copy()
    other[10:20] = "x"
    text = next(f.text for f in ifs.compare(TRUTH, {"a": flipped, "b": other}).findings if f.code == "no_clear_winner")
    assert "no realistic number of samples" in text


def test_always_predicting_the_most_frequent_class_is_the_comparison() -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    truth = np.array(["no"] * 70 + ["yes"] * 30)
    answers = {"a": np.roll(truth, 3), "b": np.roll(truth, 9)}
    result = ifs.compare(truth, answers, positive="yes")
    assert result.constant is not None
    constant = np.full(100, result.constant.label)
    assert result.constant.label == "no"
    values = {name: estimate.value for name, estimate in result.constant.metrics.items()}
    assert values["accuracy"] == sklearn.accuracy_score(truth, constant)
    assert values["f1"] == sklearn.f1_score(truth, constant, pos_label="yes", zero_division=0)
    assert values["recall"] == values["proficiency"] == 0
    assert values["precision"] is None
    assert "always 'no'" in result.to_text()
    several = ifs.compare(TRUTH, SYSTEMS)
    assert several.constant is not None
    macro = sklearn.f1_score(TRUTH, np.full(500, several.constant.label), average="macro", zero_division=0)
    assert several.constant.metrics["macro_f1"].value == pytest.approx(macro)
    apart = {"a": ifs.Contingency.from_matrix([[9, 1], [2, 8]]), "b": ifs.Contingency.from_matrix([[9, 3], [2, 8]])}
    assert ifs.compare(apart).constant is None  # other rows, of which another class may be the most frequent


BINARY = np.where(TRUTH == "0", "spam", "ham")


def test_a_difference_lies_within_what_is_possible_and_few_groups_ask_for_groups():
    few = {"groups": list(np.arange(500) // 100), "positive": "spam"}
    a, b = np.where(np.arange(500) // 250, BINARY, "ham"), np.where(np.arange(500) // 400, "ham", BINARY)
    result = ifs.compare(BINARY, {"a": a, "b": b}, **few)

    gap = result.pair("a", "b", "f1").estimate
    assert gap.low >= -1
    assert gap.high <= 1
    codes = [finding.code for finding in result.findings]
    assert "few_groups" in codes
    assert "no_clear_winner" not in codes


def test_copies_are_neither_highest_nor_replaced():
    result = ifs.compare(TRUTH, {"one": SYSTEMS["good"], "same": SYSTEMS["good"]})
    text = result.to_text(width=80)

    assert "they predict the same." in " ".join(text.split())
    assert "highest" not in text
    assert text.count("equivalent") == 2
    assert all(finding.text.endswith(".") for finding in result.findings)


def test_a_constant_captures_nothing_as_in_an_evaluation():
    constant = {"ham": ["ham"] * 500, "spam": ["spam"] * 500}
    text = ifs.compare(BINARY, constant).to_text(width=80)
    rows = [line.split() for line in text.splitlines() if line.endswith("no information")]

    assert [row[0] for row in rows] == ["ham", "spam"]
    assert all("0%" in row for row in rows)
    right = f"{np.mean(BINARY == 'ham'):.1%} for ham and {np.mean(BINARY == 'spam'):.1%} for spam."
    assert right in " ".join(text.split())


@pytest.mark.parametrize("options", [{}, {"positive": "spam"}])
def test_80_columns_keep_the_verdict_and_one_line_of_more(options):
    systems = {name: np.where(labels == "0", "spam", "ham") for name, labels in SYSTEMS.items()}
    lines = ifs.compare(BINARY, systems, **options).to_text(width=80).strip().splitlines()

    (head,) = (line for line in lines if line.strip().startswith("system "))
    assert head.endswith("verdict")
    assert "captured" in head
    assert lines[-1].strip().startswith("more:")


def test_scales_of_a_page_have_round_ends_around_all_values():
    result = ifs.compare(TRUTH, SYSTEMS)
    page = result.to_html()
    low, high = (float(end) for end in re.search(r'class="track">([\d.]+)% ([\d.]+)%<', page).groups())
    ends = [100 * end for place in result.ranking[0].places for end in (place.estimate.low, place.estimate.high)]

    assert low <= min(ends)
    assert max(ends) <= high <= 100
    assert (high - low) / 4 in (1, 2, 5, 10, 20)


def test_the_name_of_a_system_keeps_its_case_at_the_beginning_of_a_sentence():
    finding = Finding("abstains", "Choose a, unless it is so: cautious abstains.", evidence={"system": "cautious"})
    page = draw_findings([("", finding)])
    assert "cautious abstains" in page
    assert "Cautious" not in page

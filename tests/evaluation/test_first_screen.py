"""The first screen of an evaluation: what its numbers are compared with, and what to do next."""

import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, f1_score, precision_score

import infoscope as ifs
from tests.api import app


def run(*words: object) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return str(done.stdout)


def test_baselines_are_those_of_constant_classifiers() -> None:
    rng = np.random.default_rng(1)
    truth = rng.choice(["a", "b", "c"], 300, p=[0.5, 0.3, 0.2])
    system = ifs.evaluate(truth, rng.permutation(truth))["system"]
    constant = DummyClassifier(strategy="most_frequent").fit(truth, truth).predict(truth)

    assert system.constant_value("accuracy") == pytest.approx(accuracy_score(truth, constant))
    assert system.constant_value("macro_f1") == pytest.approx(f1_score(truth, constant, average="macro"))
    sick = np.where(truth == "c", "yes", "no")
    two = ifs.evaluate(sick, rng.permutation(sick), positive="yes")["system"]
    always = np.full(300, "yes")
    assert two.constant_value("f1") == pytest.approx(f1_score(sick, always, pos_label="yes"))
    assert two.constant_value("precision") == pytest.approx(precision_score(sick, always, pos_label="yes"))
    assert two.constant_value("mcc") is None


def test_two_classes_are_told_by_what_is_found() -> None:
    truth, predicted = ["yes"] * 20 + ["no"] * 80, ["yes"] * 12 + ["no"] * 8 + ["yes"] * 4 + ["no"] * 76
    text = " ".join(ifs.evaluate(truth, predicted, positive="yes").to_text().split())

    assert "system finds 60.0% of 'yes' at a precision of 75.0% (F1 66.7%) and captures" in text
    assert "12 of 20 found" in text
    assert "4 of 16 are false alarms" in text
    assert "100 samples, 20 of them 'yes'" in text
    assert "yes predicted as no 8" in text


def languages(rng: np.random.Generator, right: np.ndarray) -> ifs.Evaluation:
    """Thirty classes of 40 samples, of which as many are found as ``right`` says."""
    truth = np.repeat(np.arange(30), 40)
    other = (truth + rng.integers(1, 30, len(truth))) % 30
    predicted = np.where(rng.random(len(truth)) < right[truth], truth, other)
    names = np.array([f"language {code:02}" for code in range(30)])
    return ifs.evaluate(names[truth], names[predicted], uncertainty=None)


def test_weak_classes_are_named_where_they_are_weak_and_seldom_by_chance() -> None:
    rng = np.random.default_rng(4)
    alarms = [bool(languages(rng, np.full(30, 0.7))["system"].weakest_classes()) for _ in range(120)]
    assert np.mean(alarms) <= 0.05
    weak = np.full(30, 0.8)
    weak[7] = 0.2
    result = languages(rng, weak)
    assert [item.label for item in result["system"].weakest_classes()] == ["language 07"]
    assert "Start with the weakest classes: language 07 is found in" in " ".join(result.to_text().split())


def test_advice_is_the_command_that_was_typed_with_more(tmp_path: Path) -> None:
    path = tmp_path / "rows of today.csv"
    rows = ["a,a"] * 40 + ["b,b"] * 38 + ["b,a"] * 2 + ["c,c"] * 20
    path.write_text("\n".join(["truth,model", *rows]) + "\n")
    typed = ["evaluate", str(path), "-t", "truth", "-s", "model"]
    result = ifs.evaluate(path, truth="truth", system="model")
    assert "(examples=5)" in " ".join(result.to_text().split())  # nothing was typed
    text = run(*typed)
    assert "What to do" in text
    command = text.partition("labels.\n")[2].partition("\n\n")[0].replace("\\\n", " ")
    words = shlex.split(command)
    assert words[:2] == ["infoscope", "evaluate"]
    assert words[-4:] == ["--examples", "5", "-o", "page.html"]
    run(*words[1:-1], tmp_path / "page.html")
    assert "rows of today.csv" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "some may be wrong labels" not in run(*typed, "--examples", "5")


def test_what_concerns_a_system_that_nobody_would_choose_is_in_full_only() -> None:
    truth = ["a"] * 95 + ["b"] * 5
    systems = {"good": [*truth[:-1], "a"], "voter": ["a"] * 100}
    result = ifs.evaluate(truth, systems)
    (finding,) = result["voter"].diagnosis
    first, full = (" ".join(result.to_text(full=full).split()) for full in (False, True))

    assert finding.text not in first
    assert f"voter: {finding.text}" in full
    assert "voter" in ifs.evaluate(truth, {"voter": ["a"] * 100}).to_text()


def test_rejections_are_told_in_words() -> None:
    truth = ["a", "b", "c"] * 40
    predicted = ["a", "b", "c"] * 30 + ["?"] * 30
    text = " ".join(ifs.evaluate(truth, predicted, reject="?").to_text().split())

    assert "system abstains in 25.0% of the samples; of the others it is right in 100%" in text


def test_a_prior_that_moves_a_number_far_away_shows_where_it_lies() -> None:
    """The value of the sample outside its own interval would be a contradiction."""
    truth = np.arange(30) % 6
    predicted = np.where(np.arange(30) < 27, truth, (truth + 1) % 6)
    text = ifs.evaluate(truth, predicted, prior="uniform").to_text()
    line = next(line for line in text.splitlines() if line.startswith("  accuracy"))
    value, low, high = (float(part.strip("%")) for part in line.replace(" – ", " ").split()[1:4])

    assert low <= value <= high


def test_the_best_system_is_compared_with_the_best_of_the_others_by_the_same_metric() -> None:
    truth = list("abc") * 60
    renamed = [{"a": "b", "b": "a", "c": "c"}[label] if place % 20 else "c" for place, label in enumerate(truth)]
    rough = [label if place % 5 else "a" for place, label in enumerate(truth)]
    result = ifs.evaluate(truth, {"good": ["b", *truth[1:]], "renamed": renamed, "rough": rough})

    lede = " ".join(result.to_text().split())

    assert [system.name for system in result.ranking][1] == "renamed"
    assert "better than rough by" in lede
    assert "better than renamed" not in lede


def test_a_project_chooses_the_first_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rows.csv").write_text("truth,model\n" + "a,a\nb,b\nc,c\na,b\n" * 20)
    (tmp_path / "infoscope.toml").write_text('headline = ["kappa", "balanced_accuracy"]\n')
    monkeypatch.chdir(tmp_path)
    words = ("evaluate", "rows.csv", "-t", "truth", "-s", "model")

    asked = run("--no-config", *words, "--metric", "kappa", "--metric", "balanced_accuracy")

    assert run(*words).partition("What to do")[0] == asked.partition("What to do")[0]
    assert run(*words).split()[:3] == ["model:", "Cohen's", "kappa"]


def swap_two_pairs() -> tuple[list[str], list[str]]:
    """Four classes of which two pairs are taken for each other, and two that are seldom confused."""
    truth = [label for label in "abcdef" for _ in range(100)]
    names = {"a": "b", "b": "a", "c": "d", "d": "c"}
    predicted = [names.get(label, label) for label in truth]
    predicted[400:405], predicted[500:503], predicted[0:2] = ["f"] * 5, ["e"] * 3, ["e", "c"]
    return truth, predicted


def test_pairs_that_are_most_of_the_errors_are_named_where_they_cost_little() -> None:
    text = " ".join(ifs.evaluate(*swap_two_pairs()).to_text().split())

    assert "no single pair explains them" not in text
    assert "more frequent, but of less cost: c ↔ d (200), a ↔ b (198)" in text


def test_average_precision_has_the_interval_of_the_sweep_at_the_same_level(tmp_path: Path) -> None:
    rng, path = np.random.default_rng(3), tmp_path / "rows.csv"
    truth = rng.random(300) < 0.3
    scores = np.clip(0.3 * truth + rng.random(300) * 0.7, 0, 1)
    lines = [f"{int(label)},{int(score > 0.5)},{score:.4f}" for label, score in zip(truth, scores, strict=True)]
    path.write_text("\n".join(["truth,model,score", *lines]) + "\n")
    for level in ("0.95", "0.8"):
        ours = run("evaluate", path, "-t", "truth", "-s", "model", "--score", "score", "--level", level)
        theirs = run("sweep", path, "-t", "truth", "--score", "score", "--level", level)
        one, other = (
            next(line.split() for line in text.splitlines() if "average precision" in line) for text in (ours, theirs)
        )
        assert one == other
        assert "–" in one


def test_classes_that_do_not_say_which_is_positive_are_asked_about_as_a_way_to_f1() -> None:
    truth, predicted = ["ham"] * 60 + ["spam"] * 40, ["ham"] * 55 + ["spam"] * 45
    text = " ".join(ifs.evaluate(truth, predicted).to_text().split())

    assert "is taken" not in text
    assert "to see its F1, recall and precision here: --positive spam or --positive ham" in text


def test_weights_are_not_called_samples() -> None:
    truth, predicted = ["yes", "no"] * 100, ["yes", "no", "no", "no", "yes", "yes"] * 33 + ["yes", "no"]
    text = ifs.evaluate(truth, predicted, positive="yes", weight=[3.0, 1.0] * 100).to_text()

    assert " found" not in text
    assert "false alarms" not in text
    assert "Errors that cost most  weight" in text


def test_of_groups_the_first_screen_says_what_all_rows_give_and_whose_errors_are_shown(tmp_path: Path) -> None:
    rng, path = np.random.default_rng(5), tmp_path / "rows.csv"
    truth = rng.integers(0, 3, 300)
    predicted = np.where(rng.random(300) < 0.8, truth, (truth + 1) % 3)
    lines = [
        f"c{a},c{b},{'north' if place % 2 else 'south'}"
        for place, (a, b) in enumerate(zip(truth, predicted, strict=True))
    ]
    path.write_text("\n".join(["truth,model,part", *lines]) + "\n")
    text = " ".join(run("evaluate", path, "-t", "truth", "-s", "model", "--by", "part").split())

    worst = text.split("part ")[1].split(")")[0]
    assert f"Over all rows model is right in {100 * accuracy_score(truth, predicted):.1f}%" in text
    assert "overlaps with that of all others: which is the least is not certain" in text
    assert f"Confusions that cost most in part {worst}" in text


def test_what_chance_shows_is_compared_with_the_sample() -> None:
    names = [f"class {place}" for place in range(12)]
    truth, predicted = names * 2, [*names[:12], *np.roll(names, 5)]
    result = ifs.evaluate(truth, predicted)
    text = " ".join(result.to_text().split())
    value = result["system"].number("proficiency")

    assert value is not None
    assert f"would show as much as the {100 * value:.1f}% in the sample" in text


def test_size_of_grouped_rows_has_the_positives() -> None:
    truth, predicted = ["yes", "no", "no"] * 40, ["yes", "no", "yes", "no"] * 30
    text = " ".join(
        ifs.evaluate(truth, predicted, positive="yes", groups=[place // 6 for place in range(120)]).to_text().split()
    )

    assert "120 samples in 20 groups of rows, 40 of them 'yes'" in text


def test_errors_of_two_classes_are_tabulated_once_and_gains_do_not_add_up() -> None:
    truth, predicted = ["yes"] * 50 + ["no"] * 50, ["yes"] * 40 + ["no"] * 55 + ["yes"] * 5
    assert ifs.evaluate(truth, predicted).to_text(full=True).count("yes predicted as no") == 1
    rng = np.random.default_rng(2)
    many = rng.integers(0, 5, 500)
    noisy = np.where(rng.random(500) < 0.7, many, rng.integers(0, 5, 500))
    first, full = (ifs.evaluate(many, noisy).to_text(full=full) for full in (False, True))
    assert "Gains overlap and do not add up." in full
    assert "Gains overlap" not in first


def test_repr_names_the_system_of_a_warning_behind_the_verdict() -> None:
    truth, renamed = swap_two_pairs()
    lines = repr(ifs.evaluate(truth, {"renamed": renamed, "rough": ["a", *truth[:-1]]})).splitlines()
    warnings = [place for place, line in enumerate(lines) if line.startswith("warning: ")]

    assert warnings
    assert min(warnings) >= 2
    assert all(lines[place].startswith(("warning: renamed: ", "warning: rough: ")) for place in warnings)


def test_no_group_is_called_split_where_none_is() -> None:
    truth = [label for label in "abc" for _ in range(100)]
    clusters = [str("abc".index(label)) for label in truth]
    clusters[0], clusters[150] = "2", "0"
    text = " ".join(ifs.evaluate(truth, [f"group {label}" for label in clusters], task="clustering").to_text().split())

    assert "0 are split" not in text
    assert "is split over" not in text
    assert "share no label" not in text


def test_tiles_of_a_page_put_the_other_systems_in_the_order_of_each_number() -> None:
    truth, renamed = swap_two_pairs()
    rough = [label if place % 10 else "a" for place, label in enumerate(truth)]
    poor = [label if place % 3 else "b" for place, label in enumerate(truth)]
    page = ifs.evaluate(truth, {"good": ["b", *truth[1:]], "poor": poor, "renamed": renamed, "rough": rough}).to_html()
    tiles = page.split('class="tiles"')[1].split("</ul>")[0].split("<li")
    accuracy = next(tile for tile in tiles if "Accuracy" in tile or "accuracy" in tile)
    order = sorted(("poor", "renamed", "rough"), key=lambda name: accuracy.index(f">{name}<"))

    assert order == ["rough", "poor", "renamed"]

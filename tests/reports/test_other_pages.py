"""Pages of operating points, settings and comparisons without a browser: whole, harmless, and true to their numbers."""

import base64
import hashlib
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import click
import numpy as np
import polars
import pytest
from click.testing import CliRunner
from hypothesis import given, settings

import infoscope as ifs
from infoscope import Contingency, catalogue, sweep
from infoscope.errors import InputError
from tests.api import ChoiceOptions, app, draw_formula, hash_tables, make_pair_section
from tests.reports.pages import as_html, certainties, comparison, grouped, rows, scores
from tests.reports.pages import settings as tuned
from tests.reports.test_html import Outline, answered, embedded
from tests.strategies import tables


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return {
        "threshold": as_html(scores()),
        "rejections": as_html(certainties(), unit="nats"),
        "settings": as_html(tuned()),
        "comparison": as_html(comparison()),
    }


def plain(page: str) -> str:
    return " ".join("".join(Outline(re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.S)).text).split())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["threshold", "rejections", "settings", "comparison"])
def test_page_is_whole_refers_to_nothing_and_runs_only_its_own_code(pages: dict[str, str], name: str) -> None:
    page = pages[name]
    outline = Outline(page)
    ids = {found.get("id") for _, found in outline.tags}
    scripts = re.findall(r"<script>(.*?)</script>", page, re.S)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)

    assert len(page.encode()) < 250_000
    for tag, found in outline.tags:
        assert not any(attribute.startswith("on") for attribute in found), (tag, found)
        if tag == "a":
            assert str(found["href"]).removeprefix("#") in ids, found
        for attribute in ("src", "action"):
            assert str(found.get(attribute, "data:")).startswith("data:")
    assert len(scripts) == 1
    assert policy is not None
    assert base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode() in policy[1]
    assert "default-src 'none'" in policy[1]
    assert sum(tag == "h1" for tag, _ in outline.tags) == 1


def test_verdict_of_a_threshold_is_the_choice(pages: dict[str, str]) -> None:
    choice, words = scores().choices[0], plain(pages["threshold"])

    assert f"when the score is at least {choice.threshold:.4g}".replace("-", "−") in words
    held = choice.held_out
    within = f"({100 * held.low:.1f} – {100 * held.high:.1f})"
    assert f"captures {held.value:.1%} {within} of the information in the truth on held-out samples" in words
    assert f"in this sample {choice.value:.1%}" in words
    assert "Recommended threshold" in words


def test_verdict_of_rejections_says_what_rejecting_half_costs(pages: dict[str, str]) -> None:
    curve, words = certainties(), plain(pages["rejections"])
    rejected, captured = np.asarray(curve.values("rejection_rate")), np.asarray(curve.values("proficiency"))
    right = np.asarray(curve.values("accepted_accuracy"))
    half = int(np.argmin(np.abs(rejected - 0.5)))

    assert f"{rejected[half]:.1%}{curve.thresholds[half]:.4g}{right[half]:.1%}{captured[half]:.1%}" in words
    assert "nats" in words


@pytest.mark.slow
def test_thresholds_by_three_criteria_and_by_costs() -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(80) < 0.5
    curve = sweep(truth, rng.normal(size=80) + truth, positive=True)
    found = curve.choices
    by_cost = curve.choose_by(ChoiceOptions(costs=((0, 5), (1, 0))))

    assert [choice.criterion for choice in found] == ["proficiency", "accuracy", "f1"]
    assert by_cost.choices[0].criterion == "expected_cost"
    page = plain(as_html(by_cost))
    assert "best expected cost" in page
    assert plain(as_html(curve)).count("0.") > 20


def test_data_of_a_sweep_is_its_curve(pages: dict[str, str]) -> None:
    shown = embedded(pages["threshold"], "points-shown")
    saved = embedded(pages["threshold"], "data")["columns"]
    captured = scores().values("proficiency")

    np.testing.assert_allclose(saved["proficiency"], captured, rtol=1e-5)
    assert len(shown["shown"]) == len(shown["charts"][0][0])
    best = shown["shown"][shown["best"]]["proficiency"]
    assert float(best.rstrip("%")) == pytest.approx(100 * captured[scores().choices[0].point], abs=0.051)


@pytest.mark.slow
@pytest.mark.parametrize("values", [[1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]])
def test_scores_without_a_curve_have_a_page_too(values: list[float]) -> None:
    curve = sweep(["a", "b", "a", "b"] * 3, values * 3, positive="b")

    Outline(as_html(curve))


@pytest.mark.slow
def test_settings_name_the_best_and_its_rival(pages: dict[str, str]) -> None:
    words = plain(pages["settings"])
    chances = dict(zip((1, 2, 4, 8, 16), tuned().best().probabilities, strict=True))
    rival = max((depth for depth in chances if depth != 4), key=lambda depth: chances[depth])

    assert "depth = 4 is the best of 5 settings" in words
    assert chances[rival] >= 0.025
    assert f"Next is depth = {rival}, the best with probability" in words
    assert "Captured against seconds" in words


def test_comparison_says_who_leads_and_marks_who_is_alike(pages: dict[str, str]) -> None:
    words = plain(pages["comparison"])

    assert re.search("2 of 3 systems lead: erroneous information ratio is ", words)
    assert words.count("McNemar") >= 2
    assert "error is this many times smaller than that of the system in the row" in words
    assert "</script><script>window.hacked=1</script>" in words  # as text: the outline has one script with code


def test_comparison_factors_lead_from_the_others_to_the_best() -> None:
    found = comparison()
    worst = found.ranking[0].places[-1]
    best = found.ranking[0].places[0]
    tip = re.search(r"poor → [^:]*: ([\d.]+) times less error by information", found.to_html())

    assert worst.name == "poor"
    assert tip is not None
    assert float(tip[1]) == pytest.approx(worst.shown / best.shown, rel=0.02)


def test_baseline_is_named() -> None:
    tables = {
        name: Contingency.from_matrix([[90 - k, 10 + k], [8 + k, 92 - k]]) for name, k in {"a": 0, "b": 30}.items()
    }
    words = plain(ifs.compare(tables, baseline="b").to_html())

    assert "Against the baseline b: better: a." in words
    assert "unpaired: different rows" in words


def test_a_verdict_against_the_baseline_is_that_of_the_table() -> None:
    tables = {name: Contingency.from_matrix([[90, 10 + k], [8 + k, 92]]) for name, k in {"a": 0, "b": 30}.items()}
    found = ifs.compare(tables, baseline="b")
    alone = replace(found, pairs=tuple(replace(pair, significant=False) for pair in found.pairs))

    assert "Against the baseline b: not significant: a." in plain(alone.to_html())


# ── how a page came about ────────────────────────────────────────────────────────────────────────


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    rows(3, 4, 200).write_csv(path)
    return path


COMMANDS = {
    "evaluate": ["-t", "truth", "-s", "system 0", "-s", "system 1"],
    "compare": ["-t", "truth", "-s", "system 0", "-s", "system 1"],
    "sweep": ["-t", "truth", "-s", "system 0", "--parameter", "site"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_page_names_its_command_version_and_data(file: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    result = CliRunner().invoke(app, [name, "rows.csv", *COMMANDS[name], "-o", "page.html"])
    assert result.exit_code == 0, result.output
    page = Path("page.html").read_text(encoding="utf-8")
    words = plain(page)

    assert f"infoscope {name} rows.csv -t truth -s 'system 0'" in words
    assert f"infoscope {ifs.__version__}" in words
    assert re.search(r"sha256:[0-9a-f]{64}", words)
    assert str(file.parent) not in page
    again = CliRunner().invoke(app, [name, "rows.csv", *COMMANDS[name], "-o", "page.html"])
    assert again.exit_code == 0  # a page of ours may be replaced
    Path("page.html").write_text("mine")
    assert CliRunner().invoke(app, [name, "rows.csv", *COMMANDS[name], "-o", "page.html"]).exit_code == 2


def test_passwords_that_were_typed_are_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.api import RecordingGroup, command_line

    said: list[str | None] = []
    module = ModuleType("infoscope.cli.commands.recorded")
    module.x = click.Command(  # type: ignore[attr-defined]
        "x",
        callback=lambda: said.append(command_line()),
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )
    monkeypatch.setitem(sys.modules, module.__name__, module)
    group = RecordingGroup("infoscope", modules={"x": ("recorded", "")})
    words = ["x", "--engine-url", "postgresql://me:s3cret@host/db?password=again&a=1", "-t", "a b"]
    CliRunner().invoke(group, words)

    assert said == ["infoscope x --engine-url 'postgresql://me:…@host/db?password=…&a=1' -t 'a b'"]
    assert command_line() is None


@pytest.mark.slow
def test_hash_is_of_the_counts_alone() -> None:
    frame = rows(1, 3, 60)
    one = ifs.evaluate(frame, truth="truth", system="system 0")
    other = ifs.evaluate(frame.reverse(), truth="truth", system="system 0")
    changed = ifs.evaluate(frame.head(59), truth="truth", system="system 0")
    document = one.to_dict()["systems"][0]["data_hash"]

    assert document == other.systems[0].data_hash != changed.systems[0].data_hash
    assert document in as_html(one)
    again = ifs.Evaluation.from_dict(json.loads(one.to_json()))
    assert again.systems[0].data_hash == document
    found = ifs.compare(rows(2, 3, 60), truth="truth", system=["system 0", "system 1"]).provenance.hashes
    assert found["system 0"] != found["system 1"]


@settings(max_examples=30)
@given(tables())
def test_hash_does_not_depend_on_storage_and_tells_tables_apart(table: Contingency) -> None:
    from scipy.sparse import csr_array

    labels = {"truth": table.truth_labels, "system": table.system_labels}
    sparse = Contingency.from_matrix(csr_array(np.asarray(table.counts)), **labels)
    dense = Contingency.from_matrix(np.asarray(table.counts), **labels)
    more = np.asarray(table.counts, dtype=float).copy()
    more[0, 0] += 1

    assert hash_tables(sparse) == hash_tables(dense)
    assert hash_tables(dense) != hash_tables(Contingency.from_matrix(more, **labels))


def test_number_and_text_that_look_alike_have_other_hashes() -> None:
    counts = [[3, 1], [0, 2]]
    one = Contingency.from_matrix(counts, truth=[1, 2], system=[1, 2])

    assert hash_tables(one) != hash_tables(Contingency.from_matrix(counts, truth=["1", "2"], system=["1", "2"]))


# ── groups, and what was read ────────────────────────────────────────────────────────────────────


@pytest.mark.slow
def test_systems_are_compared_within_each_group_as_if_it_were_alone() -> None:
    evaluation = grouped()
    found = {part.group["site"]: part.comparison for part in evaluation.group_comparisons}
    names = [f"system {at}" for at in range(3)]

    assert set(found) == {"east", "west"}
    for site, part in found.items():
        alone = rows(3, 4, 600).filter(polars.col("site") == site)
        expected = ifs.compare(alone, truth="truth", system=names).pairs
        by_default = [pair for pair in part.pairs if pair.metric != "erroneous_information_ratio"]
        for mine, theirs in zip(by_default, expected, strict=True):
            assert (mine.a, mine.b, mine.metric) == (theirs.a, theirs.b, theirs.metric)
            assert mine.estimate.value == pytest.approx(theirs.estimate.value, abs=1e-9)
            assert mine.probability_a_better == pytest.approx(theirs.probability_a_better, abs=1e-9)
    assert ifs.Evaluation.from_dict(json.loads(evaluation.to_json())) == evaluation
    assert "site west: each system captures significantly more than the next" in evaluation.to_text(
        width=200, full=True
    )


@pytest.mark.slow
def test_page_of_groups_counts_all_samples() -> None:
    assert "600 samples in 2 groups" in plain(as_html(grouped()))


@pytest.mark.slow
def test_page_names_systems_without_a_significant_difference() -> None:
    assert "good and near do not differ significantly in what they capture (paired by row)." in plain(
        as_html(answered())
    )


def test_files_are_written_once_asked_for(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    assert comparison().to_html(target) == target
    assert tuned().to_html(target) == target  # one page of ours replaces another
    target.write_text("my notes")
    with pytest.raises(InputError, match="not a page of infoscope"):
        tuned().to_html(target)
    assert tuned().to_html(target, force=True) == target


# ── formulas ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", catalogue)
def test_formulas_are_plain_text_with_balanced_brackets(name: str) -> None:
    shown = draw_formula(catalogue[name].formula)
    bare = re.sub(r"</?su[bp]>", "", shown)

    assert not re.search(r"[\\{}^_]|frac|mathrm", bare)
    assert bare.count("(") == bare.count(")")
    Outline(shown)


def test_fractions_keep_their_meaning() -> None:
    assert draw_formula(r"\frac{A - A_0}{1 - A_0}") == "(A − A<sub>0</sub>) / (1 − A<sub>0</sub>)"
    assert draw_formula(r"1 - \frac{a}{b}") == "1 − (a / b)"
    assert draw_formula(r"\sqrt{\frac12 x}") == "√((1 / 2) x)"


def test_verdicts_of_all_pairs_are_corrected_as_in_the_ranking() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 300)
    systems = {
        name: np.where(rng.random(300) < right, truth, rng.integers(0, 3, 300))
        for name, right in {"a": 0.8, "b": 0.75, "c": 0.72, "d": 0.7}.items()
    }
    result = ifs.compare(truth, systems, metrics=["proficiency"])
    pair = result.pair("a", "d")
    assert (pair.verdict, pair.significant) == ("better", False)  # by itself it would be
    (table,) = make_pair_section(result).blocks
    verdict = [column.title for column in table.columns].index("verdict")
    assert [row[verdict] for row in table.rows] == [each.corrected_verdict for each in result.pairs]
    assert [row[verdict] for row in table.rows].count("better") == 2
    assert "Holm" in str(table.note)

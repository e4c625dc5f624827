"""Data of the multi-label paper beyond its printed figures (those are in tests/published)."""

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.optimize import linear_sum_assignment

from infoscope import multilabel
from tests.api import (
    Categorization,
    align_label_sets,
    app,
    assign_categories,
    chance_proficiency,
    compute_pair_information,
    compute_pair_worth,
    find_reassignments,
    proficiency,
    read_label_lists,
    render,
    sum_categories,
)
from tests.multilabel.kdd import PAIRS, labeler, line_stripped, needs_data, verbatim
from tests.published.figures import Figure, figures
from tests.reference import ROOT

pytestmark = needs_data


def test_the_papers_negative_pair_is_marked_and_never_a_finding() -> None:
    pair = line_stripped(1, 2)
    counts = pair.joint_counts()
    moved = {each.truth: each for each in find_reassignments(pair, counts, assign_categories(pair, counts))}
    negative = moved["Shopping\\Buying Guides & Researching"]

    assert (negative.association, negative.joint, round(negative.expected, 1)) == ("negative", 2, 27.2)
    assert not negative.finding
    assert "no renaming" in negative.sentence("labeler 1", "labeler 2")
    assert "labeler 2 used 'Sports\\News & Scores' where labeler 1 used 'Sports\\Olympic Games'" in moved[
        "Sports\\Olympic Games"
    ].sentence("labeler 1", "labeler 2")


@pytest.mark.slow
def test_what_the_labelers_share_is_beyond_chance() -> None:
    result = multilabel.evaluate(labeler(2), labeler(3), draws=0, splits=0, shuffles=49)
    chance = result.systems[0].permutation_chance

    assert chance is not None
    assert 0.0 < chance.mean < 0.05
    assert chance.p_value == 1 / 50
    moved = min(result.systems[0].reassignments, key=lambda each: each.p_value)
    assert (moved.truth, moved.joint, moved.truth_count) == ("Computers\\Mobile Computing", 6, 7)
    assert not moved.finding  # seven objects among 67 categories do not show that a name is wrong


@pytest.mark.slow
def test_halving_raises_plug_in_proficiency_and_hardly_the_adjusted_one() -> None:
    """The bias of information grows as the sample shrinks; without the chance part most of it is gone."""
    pair = align_label_sets(read_label_lists(labeler(1)), read_label_lists(labeler(2)))
    rng = np.random.default_rng(0)
    plain, adjusted = [], []
    for _ in range(20):
        rows = np.flatnonzero(rng.integers(2, size=pair.n))
        half = sum_categories(Categorization(pair.categories, pair.truth[rows], pair.system[rows]))
        value, by_chance = float(proficiency(half)), float(chance_proficiency(half))
        plain.append(value)
        adjusted.append((value - by_chance) / (1 - by_chance))
    whole = verbatim(1, 2).systems[0]

    raised = np.mean(plain) - (whole.value("proficiency") or 0)
    left = np.mean(adjusted) - (whole.value("adjusted_proficiency") or 0)
    assert raised > 0.002
    assert abs(left) < raised / 2


def test_the_corrupt_line_is_named() -> None:
    codes = {each.code: each.text for each in verbatim(1, 2).systems[0].diagnosis}

    assert "'Information\\Local & Regional Information\\Education'" in codes["run_together"]
    assert "lookalike_categories" in codes


def test_averages_after_reassignment_are_those_of_the_authors_program() -> None:
    """The authors' program prints for labelers 3 and 1: Pre=59.10% Rec=56.41% (F1=57.72%)."""
    found = verbatim(3, 1).systems[0]
    shown = [f"{found.value(name) or 0:.2%}" for name in ("permuted_precision", "permuted_recall", "permuted_f1")]

    assert shown == ["59.10%", "56.41%", "57.72%"]
    for text in (render(verbatim(3, 1), "text", max_rows=0), render(verbatim(3, 1), "markdown", max_rows=0)):
        assert all(number in text for number in ("59.1%", "56.4%", "57.7%"))


def test_assignment_by_pairwise_proficiency_gives_up_bits_for_small_categories() -> None:
    """Each category counts alike: the sum of the assigned pairs' proficiencies rises, that of their bits falls."""
    pair = line_stripped(1, 2)
    counts = pair.joint_counts()
    information = compute_pair_information(counts, pair.truth_counts, pair.system_counts, float(pair.n))
    share = compute_pair_worth(information, pair.truth_counts, float(pair.n), "proficiency")
    by_bits, by_share = assign_categories(pair, counts), assign_categories(pair, counts, "proficiency")
    rows = np.arange(len(by_bits))

    assert share[rows, by_share].sum() > share[rows, by_bits].sum()
    assert information[rows, by_share].sum() < information[rows, by_bits].sum()
    best = linear_sum_assignment(-share)
    assert share[rows, by_share].sum() == pytest.approx(share[best].sum(), abs=1e-9)


def rows_of_agree(*files: Path) -> dict[tuple[str, str], dict[str, str]]:
    """What `infoscope agree FILE FILE FILE --plain --format csv` says of each ordered pair."""
    done = CliRunner().invoke(app, ["agree", *map(str, files), "--plain", "--format", "csv"])
    assert done.exit_code == 0, done.output
    pairs: dict[tuple[str, str], dict[str, str]] = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        pairs.setdefault((row["versus"], row["system"]), {})[row["metric"]] = row["value"]
    return pairs


def table_1(unit: str) -> list[Figure]:
    return [each for each in figures() if (each.paper, each.where, each.unit) == ("steingold2016", "Table 1", unit)]


@pytest.mark.reference
def test_table_1_is_one_command() -> None:
    rows = rows_of_agree(*map(labeler, (1, 2, 3)))

    for figure in table_1("%"):
        truth, system = (figure.input or "").split("|")
        if figure.metric == "micro_precision":
            found = rows[system, truth]["micro_recall"]
        else:
            found = rows[truth, system][figure.metric or ""]
        assert float(found) == pytest.approx(figure.value, rel=0, abs=figure.tolerance)


@pytest.mark.reference
def test_the_paper_s_page_says_how_many_categories_are_reassigned_in_the_files_as_they_are() -> None:
    rows = rows_of_agree(*map(labeler, (1, 2, 3)))
    first, second, third = (rows[f"labeler{a}", f"labeler{b}"]["reassigned"] for a, b in PAIRS)
    page = (ROOT / "docs" / "contributors" / "papers" / "steingold2016.md").read_text(encoding="utf-8")

    assert f"counts {first}, {second} and {third} reassigned categories in the files as they are" in page


@pytest.mark.reference
def test_reassigned_categories_of_tables_1_to_4_are_those_of_stripped_lines(tmp_path: Path) -> None:
    """One of the 12 is a tie, which the category's own name wins."""
    for number in (1, 2, 3):
        lines = [line.strip() for line in labeler(number).read_text(encoding="utf-8").splitlines()]
        (tmp_path / f"labeler{number}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = [tmp_path / f"labeler{number}.txt" for number in (1, 2, 3)]
    rows = rows_of_agree(*files)
    pairs = {pair: [str(labeler(number)) for number in pair] for pair in PAIRS}
    options = ["--read", "format=stripped_lists", "--plain", "-v"]
    listed = {pair: CliRunner().invoke(app, ["multilabel", *each, *options]).output for pair, each in pairs.items()}

    found = [(int(each.value), int(rows[*(each.input or "").split("|")]["reassigned"])) for each in table_1("")]
    assert found == [(9, 9), (12, 11), (11, 11)]
    assert ["9 categories reassigned" in listed[1, 2], "11 categories reassigned" in listed[2, 3]] == [True, True]
    assert re.search(r"Games +Sports.*Scores +31.4% +2 +3 ", listed[1, 2])
    assert re.search(r"Living.*Other +Computers.* +3.6% +7 +12 ", listed[3, 1])

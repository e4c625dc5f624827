"""Annotators: published alpha, kappa as scikit-learn has it, the odd one, and what is rejected."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy
from sklearn.metrics import cohen_kappa_score, homogeneity_score, mutual_info_score, precision_score, recall_score

import infoscope as ifs
from infoscope.errors import InputError
from tests.api import render

N = None
FOUR = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    "C": [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
}
"""Krippendorff 2011, four observers with gaps."""


def test_alpha_as_published() -> None:
    two = {"A": [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], "B": [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]}
    five = {"A": list("aabbdcccedda"), "B": list("babbbccceddd")}

    assert ifs.agreement(two, draws=0).krippendorff_alpha.value == pytest.approx(0.095, abs=5e-4)
    assert ifs.agreement(FOUR, draws=0).krippendorff_alpha.value == pytest.approx(0.743, abs=5e-4)
    assert ifs.agreement(five, draws=0).krippendorff_alpha.value == pytest.approx(0.692, abs=5e-4)


def alpha_by_pairs(rows: list[list[object]]) -> float:
    """Straight from the definition: values within units against values of all units, pair by pair."""
    units = [[v for v in unit if v is not None] for unit in zip(*rows, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    every = [v for unit in units for v in unit]
    observed = sum(
        sum(a != b for i, a in enumerate(u) for j, b in enumerate(u) if i != j) / (len(u) - 1) for u in units
    ) / len(every)
    expected = sum(a != b for i, a in enumerate(every) for j, b in enumerate(every) if i != j)
    return 1 - observed / (expected / (len(every) * (len(every) - 1)))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_alpha_by_its_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [[N if x == 3 else int(x) for x in rng.integers(4, size=9)] for _ in range(3)]
    rows[0][0], rows[1][0], rows[0][1], rows[1][1] = 0, 0, 1, 0

    ours = ifs.agreement({str(at): row for at, row in enumerate(rows)}, draws=0).krippendorff_alpha.value
    assert ours == pytest.approx(alpha_by_pairs(rows), abs=1e-12)


def test_pairs_as_scikit_learn_has_them() -> None:
    rng = np.random.default_rng(3)
    a = rng.integers(4, size=200)
    b = np.where(rng.random(200) < 0.6, a, rng.integers(4, size=200))
    found = ifs.agreement({"a": a.tolist(), "b": b.tolist()}, draws=0)

    assert found.matrix("kappa")[0][1] == pytest.approx(cohen_kappa_score(a, b))
    assert found.matrix("proficiency")[0][1] == pytest.approx(homogeneity_score(a, b))
    assert found.matrix("proficiency")[1][0] == pytest.approx(homogeneity_score(b, a))
    assert found.pairs[0].agreement == pytest.approx(np.mean(a == b))


def test_sets_of_one_category_agree_as_single_answers_do() -> None:
    single = {name: values[:9] for name, values in FOUR.items() if name != "C"}
    sets = {name: [{value} for value in values] for name, values in single.items()}
    one, many = ifs.agreement(single, draws=0), ifs.agreement(sets, draws=0)

    assert many.krippendorff_alpha.value == pytest.approx(one.krippendorff_alpha.value)
    assert many.matrix("kappa")[0] == pytest.approx(one.matrix("kappa")[0])
    assert many.matrix("permuted_proficiency")[0] == pytest.approx(one.matrix("permuted_proficiency")[0])


def test_labels_shared_by_sets_are_recall_one_way_and_precision_the_other() -> None:
    sets = {"ann": [{"a", "b"}, {"a"}, set(), {"c"}], "bob": [{"a"}, {"a", "c"}, {"b"}, {"c"}]}
    found = ifs.agreement(sets, draws=0)
    tagged = [[[name in row for name in "abc"] for row in rows] for rows in sets.values()]

    assert found.matrix("micro_recall")[0][1] == pytest.approx(recall_score(*tagged, average="micro"))
    assert found.matrix("micro_recall")[1][0] == pytest.approx(precision_score(*tagged, average="micro"))
    text = render(found, "text", max_rows=0)
    assert "(recall, or the row's precision)" in text
    assert "Categories that this renaming changes" in text


@pytest.mark.parametrize("sets", [True, False])
def test_categories_of_other_names_are_counted(sets: bool) -> None:
    renamed = {"x": "y", "y": "x"}
    labels = {"ann": [*"xyzxyzxyz"], "bob": [renamed.get(name, name) for name in "xyzxyzxyz"]}
    in_sets = {name: [{label} for label in given] for name, given in labels.items()}
    found = ifs.agreement(in_sets if sets else labels, draws=0)

    assert found.matrix("reassigned") == [[0, 2], [2, 0]]
    assert found.matrix("permuted_proficiency")[0][1] == pytest.approx(1)
    assert ("Categories that this renaming changes" in render(found, "text", max_rows=0)) == sets


def crowd(n: int = 300) -> dict[str, list[str]]:
    rng = np.random.default_rng(0)
    truth = rng.choice(["cat", "dog", "fox", "owl"], size=n)
    careful = {
        name: np.where(rng.random(n) < 0.9, truth, rng.choice(truth, size=n)).tolist() for name in ("ann", "bob", "eve")
    }
    swapped = {"fox": "owl", "owl": "fox"}
    return careful | {"joe": [swapped.get(x, x) if rng.random() < 0.8 else x for x in truth]}


@pytest.mark.slow
def test_the_odd_one_out_and_what_is_mixed_up() -> None:
    found = ifs.agreement(crowd())
    said = {(each.second, each.first_category, each.second_category) for each in found.confused if each.second == "joe"}

    assert found.odd_one_out is not None
    assert (found.odd_one_out.name, found.odd_one_out.finding) == ("joe", True)
    assert {("joe", "fox", "owl"), ("joe", "owl", "fox")} <= said
    assert not [each for each in found.confused if "cat" in (each.first_category, each.second_category)]
    renamed = {(pair.truth, each.truth, each.system) for pair in found.pairs for each in pair.renamings}
    assert ("ann", "fox", "owl") in renamed
    assert found.krippendorff_alpha.low is not None
    assert found.krippendorff_alpha.low < found.krippendorff_alpha.value < found.krippendorff_alpha.high


def test_alike_annotators_have_no_odd_one() -> None:
    answers = crowd()
    found = ifs.agreement({name: answers[name] for name in ("ann", "bob", "eve")})

    assert found.odd_one_out is not None
    assert not found.odd_one_out.finding
    assert "no_odd_one_out" in {each.code for each in found.findings}


@pytest.mark.slow
def test_columns_of_a_table_agree_as_sequences_do(tmp_path: object) -> None:
    frame = pd.DataFrame(crowd(50))
    frame.loc[3, "ann"] = None
    path = f"{tmp_path}/labels.csv"
    frame.to_csv(path, index=False)
    by_name = {name: [None if pd.isna(x) else x for x in frame[name]] for name in frame}

    for source in (frame, path):
        found = ifs.agreement(source, system=["ann", "bob", "joe"], draws=0)
        assert found.krippendorff_alpha.value == pytest.approx(
            ifs.agreement({n: by_name[n] for n in ("ann", "bob", "joe")}, draws=0).krippendorff_alpha.value
        )
        assert found.annotators[0].items == 49


@pytest.mark.slow
def test_every_form_renders_and_json_is_plain() -> None:
    found = ifs.agreement(FOUR, draws=20)
    document = json.loads(found.to_json())

    assert document["schema"] == "infoscope/agreement/2"
    assert found.matrix("proficiency")[0][0] == 1.0
    assert document["krippendorff_alpha"]["value"] == found.krippendorff_alpha.value
    assert max(map(len, found.to_text(width=80).splitlines())) <= 80
    assert "4 annotators · 12 items" in found.to_markdown()
    assert "<table>" in found.to_html()


@pytest.mark.slow
def test_a_page_replaces_only_such_a_page(tmp_path: Path) -> None:
    found = ifs.agreement(FOUR, draws=5)
    page, notes = tmp_path / "page.html", tmp_path / "notes.html"
    notes.write_text("mine")

    assert found.to_html(page) == page
    assert found.to_html(page).read_text(encoding="utf-8") == found.to_html()
    with pytest.raises(InputError, match=r"notes\.html exists and is not a page of infoscope"):
        found.to_html(notes)
    assert notes.read_text() == "mine"
    assert found.to_html(notes, force=True).read_text(encoding="utf-8") == found.to_html()


def test_nothing_to_disagree_about_is_undefined() -> None:
    found = ifs.agreement({"a": ["x", "x"], "b": ["x", "x"], "c": ["x", "x"]}, draws=5)

    assert found.krippendorff_alpha.value is None
    assert json.loads(found.to_json())["krippendorff_alpha"]["undefined"]
    assert "undefined" in found.to_text()


@pytest.mark.parametrize(
    ("source", "systems", "said"),
    [
        ({"a": ["x"]}, None, "two annotators or more"),
        ({"a": ["x", "y"], "b": ["x"]}, None, "b labelled 1 items and a 2"),
        ({"a": ["x"], "b": [{"x"}]}, None, "b gives sets of categories and a one category"),
        ({"a": ["x", None], "b": [None, "y"]}, None, "no item was labelled by two"),
        ({"a": [None], "b": [None]}, None, "no annotator gave any category"),
        ({"a": [1], "b": ["1"]}, None, "they look alike"),
        ("labels.csv", None, "names of the annotators' columns"),
        ("labels.csv", ["a"], "two annotators or more"),
        ("labels.csv", ["a", "a"], "'a' is named twice"),
        (7, None, "cannot be read from a int"),
        ({"a": 7, "b": 8}, None, "an annotator's labels are 7"),
        ({"a": ["x", ["y"]], "b": ["x", "y"]}, None, r"a gives \['y'\] for item 1"),
        ({"a": [{"x"}], "b": [{"x"}, {"y"}]}, None, "different numbers of items"),
    ],
)
def test_rejections(source: object, systems: list[str] | None, said: str) -> None:
    with pytest.raises(InputError, match=said):
        ifs.agreement(source, system=systems)


def test_a_negative_number_of_draws_is_rejected() -> None:
    with pytest.raises(InputError, match="draws must be a whole number of 0 or more, got -1"):
        ifs.agreement({"a": ["x", "y"], "b": ["x", "y"]}, draws=-1)


def test_information_between_annotators_is_symmetric_and_a_distance() -> None:
    rng = np.random.default_rng(8)
    a = rng.integers(4, size=300)
    b = np.where(rng.random(300) < 0.6, a, rng.integers(4, size=300))
    found = {(pair.truth, pair.system): pair.information for pair in ifs.agreement({"a": a, "b": b, "c": a}).pairs}
    shared = mutual_info_score(a, b) / np.log(2)

    assert found["a", "b"].mutual_information.value == pytest.approx(shared)
    assert found["a", "b"].variation_of_information.value == pytest.approx(
        entropy(np.bincount(a), base=2) + entropy(np.bincount(b), base=2) - 2 * shared
    )
    assert found["a", "b"].mutual_information == found["b", "a"].mutual_information
    assert found["a", "b"].proficiency == found["b", "a"].reverse_proficiency
    assert found["a", "c"].variation_of_information.value == 0.0
    for each in vars(found["a", "b"]).values():
        assert each.low < each.shown < each.high


@pytest.mark.slow
def test_equal_items_are_counted_once_and_change_nothing() -> None:
    rows = {name: values * 5 for name, values in FOUR.items()}
    found = ifs.agreement(rows, draws=400)

    assert found.items == 60
    assert found.left_out == 5
    assert found.krippendorff_alpha.value == pytest.approx(alpha_by_pairs(list(rows.values())), abs=1e-12)
    assert found.annotators[0].used == {"1": 15, "2": 15, "3": 10, "4": 5, "5": 0}
    low, high = found.krippendorff_alpha.interval
    items = np.arange(60)
    rng = np.random.default_rng(1)
    direct = []
    for _ in range(60):
        pick = rng.choice(items, 60)
        direct.append(alpha_by_pairs([[row[at] for at in pick] for row in rows.values()]))
    assert low == pytest.approx(np.quantile(direct, 0.025), abs=0.05)
    assert high == pytest.approx(np.quantile(direct, 0.975), abs=0.05)


def test_annotators_in_a_plane_and_in_a_tree() -> None:
    rng = np.random.default_rng(9)
    truth = rng.integers(4, size=500)
    other = np.where(rng.random(500) < 0.6, truth, rng.integers(4, size=500))
    answers = {f"one{at}": np.where(rng.random(500) < 0.9, truth, rng.integers(4, size=500)) for at in range(3)}
    answers |= {f"two{at}": np.where(rng.random(500) < 0.9, other, rng.integers(4, size=500)) for at in range(3)}
    answers |= {"stranger": rng.integers(4, size=500)}
    found = ifs.agreement(answers, draws=0).map
    assert found is not None

    distances = np.array(found.distances)
    first = np.bincount(answers["one0"] * 4 + answers["two1"], minlength=16).reshape(4, 4)
    apart = 2 * entropy(first.ravel(), base=2) - entropy(first.sum(0), base=2) - entropy(first.sum(1), base=2)
    assert distances[0, 4] == pytest.approx(apart)
    assert (distances[:, None] + distances[None] >= distances[:, :, None].transpose(0, 2, 1) - 1e-9).all()
    assert found.farthest == "stranger"
    families = [{0, 1, 2}, {3, 4, 5}]
    groups = {at: {at} for at in range(7)}
    for at, (a, b, _) in enumerate(found.merges):
        groups[7 + at] = groups[a] | groups[b]
    assert all(family in groups.values() for family in families)
    shown = np.linalg.norm(np.array(found.points)[:, None] - np.array(found.points)[None], axis=-1)
    assert found.stress == pytest.approx(np.sqrt(((shown - distances) ** 2).sum() / (distances**2).sum()))


def test_distances_use_items_that_all_labelled() -> None:
    found = ifs.agreement({"a": ["x", "y", "x", None], "b": ["x", "y", None, "x"], "c": ["x", "y", "y", "y"]}, draws=0)
    assert found.map is not None
    assert found.map.items == 2
    assert np.array(found.map.distances).max() == 0.0
    assert found.map.stress == 0.0


def test_each_pair_once_in_a_symmetric_matrix() -> None:
    text = render(ifs.agreement(crowd(60), draws=0), "text", max_rows=0)
    lines = text[text.index("  Cohen's kappa") :].splitlines()[2:6]

    assert [line.count("0.") for line in lines] == [3, 2, 1, 0]


def test_label_sets_that_could_be_read_in_two_ways_are_rejected() -> None:
    with pytest.raises(InputError, match="two categories or say which"):
        ifs.agreement({"ann": [[0, 1], [1, 0]], "bob": [[0, 1], [0, 1]]})
    with pytest.raises(InputError, match="ann has 4 columns and bob has 3"):
        ifs.agreement({"ann": np.eye(3, 4), "bob": np.eye(3)})
    swapped = {"ann": pd.Series([["x"], ["y"]], index=[0, 1]), "bob": pd.Series([["x"], ["y"]], index=[1, 0])}
    with pytest.raises(InputError, match="ann and bob are pandas objects"):
        ifs.agreement(swapped)


def test_the_odd_annotator_comes_with_something_to_do(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 200)
    people = {
        "ann": truth,
        "bob": np.where(rng.random(200) < 0.9, truth, 0),
        "eve": np.where(truth == 2, 1, truth),
    }
    pd.DataFrame(people).to_csv(tmp_path / "labels.csv", index=False)
    found = ifs.agreement(str(tmp_path / "labels.csv"), system=["ann", "bob", "eve"])
    finding = next(each for each in found.findings if each.code == "odd_one_out")

    together = int((truth == 2).sum())
    assert finding.text.startswith("eve stands apart in >99.9% of resampled item sets: ")
    assert f"first the {together} items that are '2' to ann and '1' to eve." in finding.text
    assert finding.command == "… -v"


def test_text_in_full_has_the_coefficients_that_correct_chance_otherwise() -> None:
    found = ifs.agreement(FOUR, draws=50)
    text = found.to_text(full=True)

    for name, title in (("randolph_kappa", "Randolph's kappa"), ("gwet_ac1", "Gwet's AC1")):
        line = next(line for line in text.splitlines() if line.strip().startswith(title))
        assert f"{found.coefficients[name].value:.3f}" in line
        assert title not in found.to_text()


def test_labels_without_variation_come_with_something_to_do() -> None:
    text = " ".join(ifs.agreement({"ann": ["a"] * 9, "bob": ["a"] * 9}).to_text().split())

    assert "What to do → All labels are the same" in text
    assert "check the columns, or add items that differ." in text

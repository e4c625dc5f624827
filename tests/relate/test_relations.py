"""Relations of columns against reference values, enumeration, laws and bad input."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Sequence
from math import comb, prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import infoscope as ifs
from infoscope.errors import InputError
from tests.api import (
    Rows,
    SetMeasures,
    app,
    channel_triangle,
    compute_p_value,
    conditional_information,
    correct_p_values,
    interaction,
    source_triangle,
    split_information,
)
from tests.reference import reference_file, why_absent

ROWS = st.lists(st.tuples(*(st.sampled_from([0, 1, 2, None]) for _ in range(4))), min_size=2, max_size=40)
COLUMNS = ROWS.map(lambda rows: Rows.from_columns(_by_name("abcd", rows)))


def _by_name(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def _oracle() -> Any:
    reason = why_absent("oracle_without_truth.json")
    if reason is not None:
        pytest.skip(reason)
    return json.loads(reference_file("oracle_without_truth.json").read_text(encoding="utf-8"))


def _expanded(case: dict[str, Any]) -> Rows:
    rows = case["rows"]
    names = "XYZUVW"[: len(rows[0])]
    return Rows.from_columns({name: [row[at] for row in rows] for at, name in enumerate(names)})


def test_canonical_distributions() -> None:
    for case in _oracle()["canonical"]:
        patterns = _expanded(case)
        measures = SetMeasures.of(patterns, patterns.names)
        for name in ("entropy", "total_correlation", "dual_total_correlation", "o_information", "residual_entropy"):
            assert getattr(measures, name) == pytest.approx(case[name], abs=1e-9), (case["name"], name)
        assert interaction(patterns, patterns.names) == pytest.approx(case["interaction"], abs=1e-9)
        if "I(X;Y|Z)" in case:
            assert conditional_information(patterns, ["X"], ["Y"], ["Z"]) == pytest.approx(case["I(X;Y|Z)"], abs=1e-9)
        ranges = case.get("ranges of a split of I(X,Y;Z)")
        if ranges is not None:
            split = split_information(patterns, "X", "Y", "Z")
            for name, (low, high) in ranges.items():
                found = getattr(split, name)
                assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9), (case["name"], name)


def test_p_values_are_corrected_as_in_the_reference() -> None:
    for case in _oracle()["multiplicity"]:
        assert correct_p_values(case["p"], "holm") == pytest.approx(case["holm"], abs=1e-9)
        assert correct_p_values(case["p"], "benjamini-yekutieli") == pytest.approx(
            case["benjamini_yekutieli"], abs=1e-9
        )


def _exact(table: np.ndarray) -> float:
    """P by enumeration of every 2 × m table with these margins."""
    rows, columns = table.sum(1), table.sum(0)
    score = lambda t: float(np.sum(t * np.log(np.maximum(t, 1))))  # noqa: E731
    total, hits = 0, 0
    for first in itertools.product(*(range(int(c) + 1) for c in columns)):
        if sum(first) != rows[0]:
            continue
        other = columns - np.array(first)
        ways = prod(comb(int(c), f) for c, f in zip(columns, first, strict=True))
        total += ways
        hits += ways * (score(np.array([first, other])) >= score(table) - 1e-9)
    return hits / total


def test_permutations_against_enumeration() -> None:
    for case in _oracle()["permutation"]:
        p, method = compute_p_value([np.array(case["table"])], 4999, np.random.default_rng(1))
        assert method == "permutation"
        assert p == pytest.approx(case["exact permutation p"], abs=0.03)
    table = np.array([[4, 1, 0], [1, 2, 4]])
    p, _ = compute_p_value([table], 9999, np.random.default_rng(2))
    assert p == pytest.approx(_exact(table), abs=0.02)


def test_unrelated_columns_are_rarely_called_related() -> None:
    rng = np.random.default_rng(3)
    p_values = [
        compute_p_value(
            [rng.multinomial(40, np.outer([0.5, 0.3, 0.2], [0.6, 0.3, 0.1]).ravel()).reshape(3, 3)], 199, rng
        )[0]
        for _ in range(200)
    ]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.09  # 0.05 and three standard errors


def test_triangles_of_the_reference() -> None:
    for case in _oracle()["triangles"]:
        table = np.array(case["table"])
        names, levels = case["columns"], case["levels"]
        cells = np.array(np.nonzero(np.ones_like(table)))
        sizes = [len(each) if not isinstance(each, int) else each for each in levels]
        labels = {name: tuple(range(size)) for name, size in zip(names, sizes, strict=True)}
        patterns = Rows.from_codes(labels, cells, table.ravel())
        source = {point.name: point for point in source_triangle(patterns)}
        for name, expected in case["source"]["coordinates (divergence, shared, own) by column"].items():
            point = source[name]
            assert (point.divergence, point.shared, point.own) == pytest.approx(expected, abs=1e-9)
        whole = source["all columns"]
        assert (whole.divergence, whole.shared, whole.own) == pytest.approx(case["source"]["aggregate"], abs=1e-9)
        channel = channel_triangle(patterns, case["channel"]["inputs"], case["channel"]["outputs"])
        for point, expected in zip(channel, case["channel"]["coordinates"].values(), strict=True):
            assert (point.divergence, point.shared, point.own) == pytest.approx(expected, abs=1e-9)


@given(COLUMNS)
def test_chain_rule_and_symmetry(patterns: Rows) -> None:
    whole = patterns.complete()
    if not whole.total:
        return
    both = conditional_information(whole, ["a", "b"], ["c"], [])
    parts = conditional_information(whole, ["a"], ["c"], []) + conditional_information(whole, ["b"], ["c"], ["a"])
    assert both == pytest.approx(parts, abs=1e-9)
    assert conditional_information(whole, ["a"], ["b"], ["d"]) == pytest.approx(
        conditional_information(whole, ["b"], ["a"], ["d"]), abs=1e-9
    )


@given(COLUMNS)
def test_parts_of_a_split_add_up(patterns: Rows) -> None:
    if not patterns.select(["a", "b", "c"]).complete().total:
        return
    split = split_information(patterns, "a", "b", "c")
    for side in ("low", "high"):
        other = "high" if side == "low" else "low"
        shared = getattr(split.shared, side)
        parts = shared + getattr(split.only_first, other) + getattr(split.only_second, other)
        assert parts + getattr(split.only_together, side) == pytest.approx(split.together, abs=1e-9)


def _game(rounds: int = 4000, seed: int = 8) -> dict[str, list[int]]:
    rng = random.Random(seed)
    rows = []
    for _ in range(rounds):
        plan, radio, staff = rng.randrange(3), rng.randrange(2), rng.randrange(2)
        scout = plan if rng.random() < 0.75 else rng.randrange(3)
        move = scout if staff and rng.random() < 0.9 else radio if rng.random() < 0.3 else rng.randrange(3)
        rows.append((plan, scout, radio, move, int(rng.random() < (0.75 if move == plan else 0.4))))
    return _by_name(("plan", "scout", "radio", "move", "win"), rows)


@pytest.mark.slow
def test_the_game_pays_only_through_the_move() -> None:
    found = ifs.relate(_game(), target="win", given="move")
    assert not found.pair("scout", "win").is_significant(0.95)
    assert found.pair("scout", "win", given=True).is_significant(0.95)
    assert "only_given" in {finding.code for finding in found.findings}
    assert "only_together" in {finding.code for finding in found.findings}
    split = next(split for split in found.splits if {split.first, split.second} == {"plan", "move"})
    assert split.only_together.low > 0.9 * split.together


@pytest.mark.slow
def test_numbers_are_cut_or_estimated_by_neighbours() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=3000)
    y = 0.9 * x + np.sqrt(1 - 0.81) * rng.normal(size=3000)
    truth = -0.5 * np.log2(1 - 0.81)
    cut = ifs.relate({"x": x, "y": y}).pair("x", "y")
    assert truth - 0.3 < (cut.information.value or 0) < truth
    pytest.importorskip("sklearn")
    near = ifs.relate({"x": x, "y": y}, bins="nearest").pair("x", "y")
    assert near.estimator == "nearest neighbours"
    assert near.information.value == pytest.approx(truth, abs=0.08)
    edges = ifs.relate({"x": x, "y": y}, bins={"x": [0.0], "y": [0.0]})
    same = norm.cdf(0.0)  # half of each side
    assert edges.columns[0].edges == (0.0,)
    assert edges.columns[0].entropy == pytest.approx(same * 2, abs=0.01)


def test_identifiers_constants_and_gaps_are_recognised() -> None:
    rng = random.Random(2)
    source = {
        "id": [f"row {at}" for at in range(200)],
        "site": ["north"] * 200,
        "delay": [None if at % 3 == 0 else rng.choice("ab") for at in range(200)],
        "win": [rng.choice("yn") for _ in range(200)],
    }
    found = ifs.relate(source)
    assert {finding.code for finding in found.findings} >= {"identifier", "constant", "missing_values"}
    assert all("id" not in (relation.first, relation.second) for relation in found.relations)
    assert found.pair("delay", "win").rows == 133
    kept = ifs.relate(source, keep="id")
    assert kept.pair("id", "win").information.value == pytest.approx(kept.columns[3].entropy or 0.0, abs=1e-9)


def test_weights_count_like_rows_and_are_no_more_evidence() -> None:
    rows = {"x": [0, 0, 1, 1] * 5, "y": [0, 1, 1, 1] * 5}
    plain = ifs.relate(rows).pair("x", "y")
    weighed = ifs.relate({**rows, "w": [10.0] * 20}, ["x", "y"], weight="w").pair("x", "y")
    assert weighed.information.value == pytest.approx(plain.information.value or 0.0)
    assert weighed.p_value == pytest.approx(plain.p_value, abs=0.02)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"columns": ["plan"]}, "2 to 500 columns"),
        ({"columns": ["plan", "plan"]}, "named twice"),
        ({"target": "wim"}, "wim"),
        ({"target": "win", "given": "win"}, "it is one of them"),
        ({"bins": 1}, "whole number from 2"),
        ({"bins": {"score": [3.0, 1.0]}}, "rising order"),
        ({"level": 95}, "between 0 and 1"),
        ({"correction": "bonferroni"}, "holm"),
        ({"triangle": "channel"}, "target"),
        ({"keep": "nobody"}, "nobody"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"permutations": 1.5}, "permutations must be a whole number"),
    ],
)
def test_bad_questions(options: dict[str, Any], words: str) -> None:
    game: dict[str, Any] = _game(60)
    game["score"] = [at / 7 for at in range(60)]
    with pytest.raises(ifs.InfoscopeError, match=words):
        ifs.relate(game, **options)


@pytest.mark.slow
def test_command_line(tmp_path: Path) -> None:
    game = _game(500)
    log = tmp_path / "log.csv"
    log.write_text(
        ",".join(game) + "\n" + "\n".join(",".join(map(str, row)) for row in zip(*game.values(), strict=True))
    )
    run = CliRunner().invoke(
        app, ["relate", str(log), "--target", "win", "--given", "move", "--triangle", "channel", "-v"]
    )
    assert run.exit_code == 0, run.output
    assert "tells" in run.output
    assert "Entropy triangle of the channel" in run.output
    assert CliRunner().invoke(app, ["relate", str(log), "-c", "nobody", "-c", "win"]).exit_code == 2
    for bins in ("many", "²"):
        run = CliRunner().invoke(app, ["relate", str(log), "--bins", bins])
        assert run.exit_code == 2
        assert f"bins is '{bins}'; it is a whole number, or nearest" in run.stderr


def test_no_rows_are_an_error() -> None:
    with pytest.raises(InputError, match="no rows"):
        ifs.relate({"a": [], "b": []})


def test_two_columns_of_very_many_values_are_rejected() -> None:
    values = [f"value {at}" for at in range(5000)] * 3
    with pytest.raises(InputError, match="group them, or leave one out"):
        ifs.relate({"a": values, "b": values[::-1]})


def test_the_headline_names_what_shows_only_given_others() -> None:
    rng = np.random.default_rng(6)
    x, y = rng.integers(0, 3, (2, 600))
    found = ifs.relate({"x": x, "y": y, "w": (x + y) % 3}, target="w", given="y")
    assert "x tells about w only given y: 1.5" in found.to_text()


@pytest.mark.slow
def test_splits_are_the_most_telling_ones() -> None:
    rng = np.random.default_rng(7)
    noise = {f"n{at}": rng.integers(0, 2, 500) for at in range(7)}
    x, y = rng.integers(0, 2, (2, 500))
    found = ifs.relate({**noise, "x": x, "y": y, "z": x ^ y}, target="z", permutations=99)
    assert {found.splits[0].first, found.splits[0].second} == {"x", "y"}


def test_relations_that_are_chance_come_last() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 600)
    guess = np.where(rng.random(600) < 0.8, truth, 1 - truth)
    rows = {"truth": truth.tolist(), "guess": guess.tolist(), "day": [f"r{at % 300}" for at in range(600)]}

    result = ifs.relate(rows, keep="day")

    assert result.pair("truth", "day").information.value > result.pair("truth", "guess").information.value
    assert (result.relations[0].first, result.relations[0].second) == ("truth", "guess")
    text = result.to_text()
    assert "<0.1%" in text
    assert "<0.001" not in text


def test_text_in_full_has_p_before_correction() -> None:
    rng = np.random.default_rng(3)
    first = rng.integers(0, 2, 200)
    second = np.where(rng.random(200) < 0.6, first, 1 - first)
    rows = {"first": first.tolist(), "second": second.tolist(), "other": rng.integers(0, 2, 200).tolist()}

    result = ifs.relate(rows)
    pair = result.relations[0]
    line = next(line for line in result.to_text(full=True).split("Tests")[1].splitlines() if "first" in line)

    assert pair.p_value < pair.adjusted_p
    assert line.split()[2:4] == [f"{pair.p_value:.1%}", f"{pair.adjusted_p:.1%}"]
    assert "Tests" not in result.to_text()

"""Weights of objects: an object that weighs three counts as three of its kind."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import infoscope as ifs
from infoscope.errors import InputError
from tests.api import MULTILABEL_MEASURES, align_sides, app, proficiency, sum_categories

TRUTH = [{"a"}, {"a", "b"}, {"b"}, {"c"}, {"c", "a"}, set()]
GUESS = [{"a"}, {"b"}, {"b", "c"}, {"c"}, {"a"}, {"b"}]
WEIGHTS = [3, 1, 2, 1, 0, 2]


def _values(truth: Any, guess: Any, **options: Any) -> dict[str, float]:
    result = ifs.multilabel.evaluate(truth, guess, draws=0, splits=0, shuffles=0, **options)
    return {name: each.value for name, each in result.systems[0].metrics.items()}


def _repeated(sets: Iterable[set[str]], weights: Iterable[int]) -> list[set[str]]:
    return [one for one, weight in zip(sets, weights, strict=True) for _ in range(weight)]


category_sets = st.sets(st.sampled_from("abcd"), max_size=3)
objects = st.lists(st.tuples(category_sets, category_sets, st.integers(0, 3)), min_size=2, max_size=8)


@pytest.mark.slow
@settings(max_examples=25)
@given(objects)
def test_whole_weights_count_like_repeated_objects(rows: list[tuple[set[str], set[str], int]]) -> None:
    truth, guess, weights = (list(side) for side in zip(*rows, strict=True))
    kept = _repeated(truth, weights), _repeated(guess, weights)
    # a category that only objects of weight 0 carry is a category still, so it is left out of the law
    assume(kept[0] and set().union(*truth, *guess) == set().union(*kept[0], *kept[1]))
    weighed, repeated = _values(truth, guess, weight=weights), _values(*kept)
    for name in weighed.keys() - {"chance_proficiency", "adjusted_proficiency"}:  # chance depends on how many there are
        assert weighed[name] == pytest.approx(repeated[name], abs=1e-9, nan_ok=True), name


def test_equal_weights_change_nothing_and_their_scale_does_not_matter() -> None:
    assert _values(TRUTH, GUESS, weight=[0.1] * 6) == pytest.approx(_values(TRUTH, GUESS), nan_ok=True)
    assert _values(TRUTH, GUESS, weight=np.array(WEIGHTS) * 1e-3) == pytest.approx(
        _values(TRUTH, GUESS, weight=WEIGHTS), nan_ok=True
    )


def test_the_metrics_and_the_evaluation_agree() -> None:
    found = _values(TRUTH, GUESS, weight=WEIGHTS)
    for name in ("micro_f1", "object_f1", "proficiency", "permuted_proficiency", "hamming_loss"):
        metric = next(each.score for each in MULTILABEL_MEASURES if each.name == name)
        assert metric(TRUTH, GUESS, sample_weight=WEIGHTS) == pytest.approx(found[name]), name


@pytest.mark.slow
def test_intervals_chance_and_stability_are_of_the_weighted_objects() -> None:
    rng = np.random.default_rng(3)
    truth = [set(np.flatnonzero(row).tolist()) for row in rng.random((60, 3)) < 0.4]
    guess = [one if rng.random() < 0.7 else set() for one in truth]
    weights = rng.exponential(size=60)
    result = ifs.multilabel.evaluate(truth, guess, weight=weights, draws=200, splits=50, shuffles=9, seed=5)
    shown = result.systems[0].metrics["proficiency"]
    assert shown.low < shown.value < shown.high
    assert result.systems[0].permutation_chance.mean < shown.value
    assert result.systems[0].stability["micro_f1"].mean == pytest.approx(
        result.systems[0].metrics["micro_f1"].value, abs=0.1
    )
    assert result.systems[0].classes[0].support == sum(0 in one for one in truth)
    assert "weighted_objects" in {finding.code for finding in result.systems[0].diagnosis}
    both = ifs.multilabel.compare(truth, {"good": truth, "bad": guess}, weight=weights, draws=200, splits=0, shuffles=0)
    assert both.pairs[0].verdict == "better"


def test_chance_is_that_of_as_many_objects_as_the_weighted_ones_are_worth() -> None:
    truth, guess = TRUTH * 20, GUESS * 20
    found = _values(truth + TRUTH * 50, guess + GUESS * 50, weight=[1.0] * 120 + [0.0] * 300)
    expected = _values(truth, guess)
    for name in ("chance_proficiency", "adjusted_proficiency"):
        assert found[name] == pytest.approx(expected[name]), name


def test_weights_by_name_and_by_column_are_those_in_order() -> None:
    names = [f"q{at}" for at in range(6)]
    truth, guess = dict(zip(names, TRUTH, strict=True)), dict(zip(reversed(names), reversed(GUESS), strict=True))
    expected = _values(TRUTH, GUESS, weight=WEIGHTS)
    by_name = dict(zip(reversed(names), reversed(WEIGHTS), strict=True))
    assert _values(truth, guess, weight=by_name) == pytest.approx(expected, nan_ok=True)
    pandas = pytest.importorskip("pandas")
    rows = [
        {"q": name, "topic": topic, "w": weight}
        for name, topics, weight in zip(names, TRUTH, WEIGHTS, strict=True)
        for topic in (topics or {None})
    ]
    said = [{"q": name, "topic": topic} for name, topics in zip(names, GUESS, strict=True) for topic in topics]
    frames = pandas.DataFrame(rows), pandas.DataFrame(said)
    assert _values(*frames, object="q", category="topic", weight="w") == pytest.approx(expected, nan_ok=True)


def _files(folder: Path) -> tuple[str, str, str]:
    texts = {
        "gold.txt": "".join(f"q{at}\t" + "\t".join(sorted(one)) + "\n" for at, one in enumerate(TRUTH)),
        "model.txt": "".join(f"q{at}\t" + "\t".join(sorted(one)) + "\n" for at, one in enumerate(GUESS)),
        "weights.txt": "".join(f"q{at}\t{weight}\n" for at, weight in enumerate(WEIGHTS)),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return tuple(str(folder / name) for name in texts)  # type: ignore[return-value]


def test_the_command_line_reads_weights_from_a_file(tmp_path: Path) -> None:
    gold, model, weights = _files(tmp_path)
    few = ["--plain", "--format", "json"]
    done = CliRunner().invoke(app, ["multilabel", gold, model, "--weight", weights, *few])
    assert done.exit_code == 0, done.output
    metrics = json.loads(done.stdout)["systems"][0]["metrics"]
    assert metrics["micro_f1"]["value"] == pytest.approx(_values(TRUTH, GUESS, weight=WEIGHTS)["micro_f1"])
    (tmp_path / "weights.txt").write_text("q0\t1\nq1\n")
    done = CliRunner().invoke(app, ["multilabel", gold, model, "--weight", weights, *few])
    assert done.exit_code == 2
    assert "object 'q1' has nothing for its weight" in done.output
    done = CliRunner().invoke(app, ["multilabel", gold, model, "--weights", weights, *few])
    assert done.exit_code == 2
    assert "give the file to --weight" in done.output


def test_weights_that_others_swallow_are_rejected() -> None:
    """Of the truth's information in the small ones 94 % was captured, and 5 % was found."""
    truth = [{0, 1}, {0}, {0, 1}, {1}, {1}]
    guess = [{1}, set(), {0, 1}, {0}, set()]
    weights = [0.83, 0.093, 1.7e11, 2.7e-8, 0.032]
    with pytest.raises(InputError, match=r"a sample weight is 2\.7e-08 and all together are 1\.7e\+11"):
        ifs.multilabel.evaluate(truth, guess, weight=weights)
    assert _values(truth, guess, weight=[*weights[:3], 0, 0.032])["proficiency"] == pytest.approx(0.94273, abs=1e-4)


def test_weights_keep_every_metric_within_its_range() -> None:
    """A constant system captured −7e-17, and random recall was above 1 by one digit."""
    rng = np.random.default_rng(5)
    truth = [set(map(int, np.flatnonzero(rng.random(3) < 0.5))) for _ in range(12)]
    every, opposite = [{0, 1, 2}] * 12, [{0, 1, 2} - sets for sets in truth]
    pairs = [align_sides(*pair, None) for pair in ((truth, every), (every, truth), (truth, opposite), (every, every))]

    for _ in range(8):
        weights = rng.random(12) * 10.0 ** rng.integers(-3, 3, 12)
        for pair in pairs:
            sums = sum_categories(pair.weigh_objects(weights))
            for metric in MULTILABEL_MEASURES:
                (low, high), value = metric.card.range, float(metric.score(sums))
                assert np.isnan(value) or low <= value <= high, metric.name
        assert float(proficiency(sum_categories(pairs[0].weigh_objects(weights)))) == 0.0


def test_chance_deals_a_whole_number_of_objects() -> None:
    """They were 28.000000000000004, and chance a little off."""
    truth, guess = [{"a"}] * 13 + [set()] * 15, [{"a"}, set(), set(), set()] * 7
    weighted, plain = (_values(truth, guess, **how) for how in ({"weight": [0.1] * 28}, {}))
    assert weighted["chance_proficiency"] == pytest.approx(plain["chance_proficiency"], rel=1e-12)


@pytest.mark.parametrize("seed", [5, 6])
def test_a_category_of_all_objects_holds_no_information_whatever_they_weigh(seed: int) -> None:
    """Its entropy was 1e-14 bits by rounding: halves, shuffles and levels were judged by noise (p = 0.005)."""
    rng = np.random.default_rng(seed)
    truth, guess = [{"a/b"}] * 9, [{"a/b"} if at % 3 else {"c"} for at in range(9)]
    few: dict[str, Any] = {"draws": 2, "shuffles": 9, "splits": 9, "separator": "/"}

    found = ifs.multilabel.evaluate(truth, guess, weight=rng.random(9) * 100, **few).systems[0]
    plain = ifs.multilabel.evaluate(truth, guess, **few).systems[0]
    assert found.permutation_chance is None
    assert found.stability.keys() == plain.stability.keys()
    assert [each.proficiency for each in found.classes] == [None, None]
    assert [(each.truth_bits, each.lost_share) for each in found.levels] == [(0.0, 0.0)] * 2

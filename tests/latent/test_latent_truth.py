"""Latent truth: tables without labels, their intervals, shared errors, what is said and what is rejected."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope.errors import InputError, UnknownNameError
from tests.api import Channel, NoLatentTruthError, app, compute_split_r_hat, draw_sparseness
from tests.latent.worlds import World

FAST = {"draws": 200}


def codes(found: ifs.LatentTruth) -> list[str]:
    return [finding.code for finding in found.findings]


def shown(found: ifs.LatentTruth) -> list[float]:
    return [system.metrics["proficiency"].shown for system in found.systems]


@pytest.mark.slow
def test_intervals_hold() -> None:
    """For 400 draws, as in the docs: shown for nearly all worlds of independent errors, and right for most systems."""
    rng = np.random.default_rng(40_123)
    held, kept = [], 0
    for _ in range(10):
        world = World.drawn(5, 4, rng)
        found = ifs.latent_truth(world.items(2500, rng)[1], draws=400)
        intervals = [system.metrics["proficiency"].interval for system in found.systems]
        kept += all(interval is not None for interval in intervals)
        held += [low <= world.proficiency(at) <= high for at, (low, high) in enumerate(filter(None, intervals))]
    assert kept >= 8
    assert sum(held) >= 0.8 * len(held)


@pytest.mark.slow
def test_tables_are_near_those_of_the_labels() -> None:
    rng = np.random.default_rng(1)
    truth, predictions = World.drawn(6, 3, rng).items(3000, rng)
    found = ifs.latent_truth(predictions, **FAST)
    for name, values in predictions.items():
        counted = ifs.Contingency.from_labels(truth, values)
        assert np.abs(found.tables[name].counts - counted.counts).max() < 90
        low, high = found[name].metrics["accuracy"].interval
        assert low - 0.02 < np.mean(truth == values) < high + 0.02
    assert found.settled
    assert found.r_hat < 1.05
    assert codes(found) == ["estimated_without_truth"]


@pytest.mark.slow
def test_every_metric_and_page_works_on_the_tables_under_the_banner() -> None:
    rng = np.random.default_rng(4)
    found = ifs.latent_truth(World.drawn(6, 3, rng).items(2000, rng)[1], **FAST)
    evaluation = ifs.evaluate(found.tables)
    system = evaluation["s0"]

    assert system.metrics["proficiency"].low == pytest.approx(found["s0"].metrics["proficiency"].low)
    assert system.metrics["macro_f1"].interval is not None
    assert system.diagnosis[0].code == "estimated_without_truth"
    for page in (evaluation.to_html(), evaluation.to_text(), found.to_html(), found.to_markdown()):
        assert "Errors that all systems share cannot be" in " ".join(page.split())
    assert ifs.evaluate(found.tables["s0"], prevalence="equal")["system"].metrics["proficiency"].interval is not None
    assert 1 < found.tables["s0"].sample_size <= 2000
    assert found.draw_tables("s0").batch_shape == (200,)
    with pytest.raises(InputError, match="estimated without truth"):
        found.tables["s0"].save("never.ifs")


def test_order_of_systems_and_patterns_of_parts_change_nothing() -> None:
    from tests.api import Rows, arrange, fit_model

    rng = np.random.default_rng(3)
    _, predictions = World.drawn(4, 3, rng).items(400, rng)
    halves = [{name: values[part] for name, values in predictions.items()} for part in (slice(150), slice(150, None))]
    merged = sum(Rows.from_columns(half) for half in halves)
    forms = [Rows.from_columns(predictions), merged, Rows.from_columns(dict(reversed(predictions.items())))]
    scores = [fit_model(arrange(form).data, None, 0.0) for form in forms]

    assert scores[1].log_likelihood == pytest.approx(scores[0].log_likelihood, abs=1e-9)
    assert scores[2].log_likelihood == pytest.approx(scores[0].log_likelihood, abs=1e-9)
    assert scores[2].parameters.predictions[3] == pytest.approx(scores[0].parameters.predictions[0], abs=1e-6)


def test_gaps_everywhere_in_one_system_change_nothing_for_the_others() -> None:
    from tests.api import Rows, arrange, fit_model

    rng = np.random.default_rng(4)
    _, predictions = World.drawn(4, 2, rng).items(300, rng)
    empty = predictions | {"none": np.full(300, np.nan)}
    one, two = (fit_model(arrange(Rows.from_columns(each)).data, None, 0.0) for each in (predictions, empty))
    assert two.log_likelihood == pytest.approx(one.log_likelihood)
    with pytest.raises(InputError, match="none: no item in common with the other systems"):
        ifs.latent_truth(empty, **FAST)


def copying(share: float, seed: int = 5, n: int = 2000) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    truth, predictions = World.drawn(5, 4, rng).items(n, rng)
    copy = rng.random(n) < share
    predictions["s1"] = np.where(copy, predictions["s0"], predictions["s1"])
    return truth, predictions


@pytest.mark.slow
def test_shared_errors_of_two_are_repaired_by_a_block() -> None:
    truth, predictions = copying(0.5)
    real = {
        name: float(ifs.metrics.proficiency(ifs.Contingency.from_labels(truth, a))) for name, a in predictions.items()
    }
    alone = ifs.latent_truth(predictions, **FAST)
    block = ifs.latent_truth(predictions, together=("s0", "s1"), **FAST)

    assert any("--together s0,s1" in finding.text for finding in alone.findings)
    errors = [abs(found["s1"].metrics["proficiency"].shown - real["s1"]) for found in (alone, block)]
    assert errors[0] > 0.05
    assert errors[1] < 0.03
    assert block["s0"].block == ("s0", "s1")
    assert "shared_errors" not in codes(block)
    assert not any({pair.first, pair.second} == {"s0", "s1"} for pair in block.pairs)


@pytest.mark.slow
def test_one_system_twice_is_repaired_by_a_block() -> None:
    truth, predictions = copying(1.0, seed=6)
    found = ifs.latent_truth(predictions, together=[("s0", "s1")], **FAST)
    real = float(ifs.metrics.proficiency(ifs.Contingency.from_labels(truth, predictions["s0"])))

    assert found["s0"].metrics["proficiency"].shown == pytest.approx(found["s1"].metrics["proficiency"].shown, abs=2e-3)
    assert abs(found["s0"].metrics["proficiency"].shown - real) < 0.03


@pytest.mark.slow
def test_labels_mixed_in_name_the_classes() -> None:
    """Four of five systems swap the names: the labels say so."""
    rng = np.random.default_rng(8)
    truth, predictions = World.drawn(5, 2, rng, low=0.8).items(800, rng)
    swapped = {name: values if name == "s0" else 1 - values for name, values in predictions.items()}
    labels = np.where(np.arange(800) < 60, truth, -1).astype(float)
    labels[60:] = np.nan
    without = ifs.latent_truth(swapped, **FAST)
    mixed = ifs.latent_truth(swapped | {"gold": labels}, truth="gold", **FAST)

    assert without["s0"].metrics["kappa"].shown < 0 < mixed["s0"].metrics["kappa"].shown
    assert mixed["s1"].metrics["kappa"].shown < 0
    assert mixed.labels == 60
    predictions_seen = mixed.posterior.arrangement.data
    sure = mixed.posterior.belief[predictions_seen.labelled]
    assert (sure.argmax(axis=1) == predictions_seen.known[predictions_seen.labelled]).all()
    assert sure.max(axis=1) == pytest.approx(1.0)
    assert "labels_mixed_in" in codes(mixed)


@pytest.mark.slow
def test_rejections_and_extra_predictions_are_no_classes() -> None:
    rng = np.random.default_rng(9)
    _, predictions = World.drawn(4, 3, rng).items(600, rng)
    named = {name: np.array(["cat", "dog", "fox"])[values] for name, values in predictions.items()}
    named["s3"] = np.where(rng.random(600) < 0.2, "unsure", named["s3"])
    found = ifs.latent_truth(named, **FAST)

    assert found.classes == ("cat", "dog", "fox")
    assert found["s3"].predictions == ("cat", "dog", "fox", "unsure")
    assert found.tables["s3"].counts[:, 3].sum() == pytest.approx((named["s3"] == "unsure").sum())
    assert "extra_predictions" in codes(found)


@pytest.mark.slow
def test_a_constant_system_is_kept_and_said() -> None:
    rng = np.random.default_rng(10)
    _, predictions = World.drawn(4, 2, rng, low=0.8).items(400, rng)
    found = ifs.latent_truth(predictions | {"lazy": np.zeros(400, int)}, **FAST)

    assert found["lazy"].metrics["proficiency"].shown == pytest.approx(0.0, abs=0.02)
    assert "constant_system" in codes(found)


@pytest.mark.slow
def test_classes_that_nobody_separates_are_said_to_be_merged() -> None:
    rng = np.random.default_rng(11)
    right = np.array([[0.9, 0.05, 0.05], [0.05, 0.475, 0.475], [0.05, 0.475, 0.475]])
    world = World(np.array([0.4, 0.3, 0.3]), [right] * 5)
    found = ifs.latent_truth(world.items(2000, rng)[1], **FAST)
    assert {"classes_merged", "not_settled"} & set(codes(found))


@pytest.mark.slow
def test_chains_that_disagree_withhold_the_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.api import latent_model

    monkeypatch.setattr(latent_model, "compute_largest_r_hat", lambda *_: 1.2)
    rng = np.random.default_rng(12)
    found = ifs.latent_truth(World.drawn(4, 2, rng).items(300, rng)[1], **FAST)

    assert not found.settled
    assert found["s0"].metrics["proficiency"].interval is None
    assert found["s0"].metrics["proficiency"].value is not None
    assert "not_settled" in codes(found)
    assert ifs.evaluate(found.tables)["s0"].metrics["proficiency"].interval is None


def test_split_r_hat() -> None:
    """By its definition for chains that agree, that drift, and that stand apart."""
    rng = np.random.default_rng(13)
    alike = rng.normal(size=(2, 2000))
    assert compute_split_r_hat(alike) == pytest.approx(1.0, abs=0.01)
    assert compute_split_r_hat(alike + np.array([[0.0], [2.0]])) > 1.3
    assert compute_split_r_hat(alike + np.linspace(0, 3, 2000)) > 1.1
    halves = np.array([[0.0, 1, 0, 1], [1.0, 2, 1, 2]]).reshape(2, 4)
    within, between = 0.5, 2 * np.var([0.5, 0.5, 1.5, 1.5], ddof=1)
    assert compute_split_r_hat(halves) == pytest.approx(np.sqrt((0.5 * within + between / 2) / within))
    assert compute_split_r_hat(np.ones((2, 10))) == 1.0


@pytest.mark.slow
def test_weights_count_as_their_effective_size() -> None:
    rng = np.random.default_rng(14)
    _, predictions = World.drawn(6, 2, rng).items(3000, rng)
    plain = ifs.latent_truth(predictions, **FAST)
    twice = ifs.latent_truth(predictions | {"w": np.full(3000, 2.0)}, weight="w", **FAST)

    assert twice.items == 6000
    assert shown(twice) == pytest.approx(shown(plain), abs=0.02)
    assert twice["s0"].metrics["proficiency"].sd == pytest.approx(plain["s0"].metrics["proficiency"].sd, rel=0.25)


@pytest.mark.slow
def test_sources_and_documents(tmp_path: Path) -> None:
    rng = np.random.default_rng(15)
    _, predictions = World.drawn(3, 3, rng).items(300, rng)
    frame = pd.DataFrame(predictions)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    memory = ifs.latent_truth(frame, ["s0", "s1", "s2"], **FAST)
    file = ifs.latent_truth(tmp_path / "rows.csv", ["s0", "s1", "s2"], **FAST)

    assert shown(file) == pytest.approx(shown(memory), abs=0.05)
    memory.save(tmp_path / "latent.json")
    back = ifs.load(tmp_path / "latent.json")
    assert json.loads(back.to_json()) == json.loads(memory.to_json())
    assert back.to_text() == memory.to_text()
    assert memory.plot("forest").rows


TWO = {"a": ["x", "y"] * 5, "b": ["x", "y"] * 5}


@pytest.mark.parametrize(
    ("source", "options", "said"),
    [
        (TWO, {}, "Two systems do not determine a truth"),
        (TWO | {"c": ["x", "y"] * 5}, {"together": ("a", "b")}, "do not determine a truth; at least three parts"),
        (TWO | {"c": ["x", "y"] * 5}, {"together": "a,b"}, "together is 'a,b'; name at least two columns"),
        (TWO | {"c": ["x", "y"] * 5}, {"together": ("a",)}, "together names 'a'; name at least two"),
        (TWO | {"c": ["x", "y"] * 5}, {"together": ("a", "b"), "same": ("a", "c")}, "'a' is named twice"),
        (TWO | {"c": ["x", "y"] * 5, "t": ["p", "q"] * 5}, {"truth": "t"}, "no system uses 'p', 'q'"),
        (TWO | {"c": ["x", "y"] * 5}, {"classes": ["x"]}, "classes names 1 different labels"),
        (TWO | {"c": ["x", "y"] * 5}, {"prior": "flat"}, "prior is 'flat'"),
        (TWO | {"c": ["x", "y"] * 5}, {"prior": -1.0}, "must be above 0"),
        (TWO | {"c": ["x", "y"] * 5}, {"level": 95}, "level must be between 0 and 1"),
        (TWO | {"c": ["x", "y"] * 5}, {"draws": 3}, "draws must be a whole number of 20 or more, got 3"),
        ({"a": ["x"], "b": ["y"], "c": ["z"]}, {}, "0 labels used by two systems or more"),
        ({"a": ["x"]}, {}, "three systems or more; 1 is given"),
        ("rows.csv", {}, "name the columns of the systems"),
        ("rows.csv", {"system": "a"}, "one system is named"),
        (TWO, {"system": ["a", "a"]}, "'a' is named twice"),
        (TWO, {"system": ["a", "b"], "truth": "a"}, "named as truth and as system"),
        (
            {"a": ["x", "y", None, None], "b": ["x", "y", None, None], "c": [None, None, "x", "y"]},
            {},
            "c: no item in common with the other systems",
        ),
    ],
)
def test_rejections(source: object, options: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ifs.latent_truth(source, **options)  # type: ignore[arg-type]


def test_an_unknown_system_in_a_block() -> None:
    with pytest.raises(UnknownNameError, match="together names 'z'; the systems are 'a', 'b'"):
        ifs.latent_truth(TWO, together=("a", "z"))


def test_more_classes_than_counts_are_rejected() -> None:
    many = {name: list(range(10_001)) for name in "abc"}
    with pytest.raises(InputError, match="10,001 classes are too many"):
        ifs.latent_truth(many)


def test_estimated_tables_are_not_compared_as_samples() -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, 400)
    predictions = {name: np.where(rng.random(400) < 0.8, truth, rng.integers(0, 3, 400)) for name in "abc"}
    found = ifs.latent_truth(predictions, draws=60)
    with pytest.raises(ifs.InfoscopeError, match="estimated without truth"):
        ifs.compare({name: found.tables[name] for name in "ab"})
    with pytest.raises(ifs.InfoscopeError, match="no weight"):
        ifs.latent_truth({**predictions, "w": np.zeros(400)}, list("abc"), weight="w")


def large(systems: int, classes: int, n: int, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(classes, size=n)
    right = rng.random((systems, n)) < 0.8
    return {f"s{at}": np.where(mine, truth, rng.integers(classes, size=n)) for at, mine in enumerate(right)}


def test_what_would_take_hours_is_rejected_at_once() -> None:
    with pytest.raises(NoLatentTruthError, match=r"have 6,5.* probabilities to estimate.* 500,000 at most; merge"):
        ifs.latent_truth(large(3, 1500, 5000, 1))


def test_six_systems_taken_as_one_have_only_the_combinations_that_occur() -> None:
    """Ten classes allow a million combinations; 600 items show at most 600."""
    predictions = large(8, 10, 600, 2)
    block = tuple(f"s{at}" for at in range(6))
    found = ifs.latent_truth(predictions, together=[block], draws=40)
    combinations = {tuple(predictions[name][item] for name in block) for item in range(600)}
    channel = found.posterior.arrangement.data.channels[0]

    assert channel.size == len(combinations)
    assert "sparse_block" in codes(found)
    for name in block:  # the combinations, summed over the others, are the system's own predictions
        assert found.tables[name].column_totals == pytest.approx(np.bincount(predictions[name], minlength=10), rel=1e-9)


def test_two_systems_with_labels_are_rejected_or_warned_of() -> None:
    rng = np.random.default_rng(3)
    truth, predictions = World.drawn(2, 2, rng, low=0.8).items(400, rng)
    names = np.array(["no", "yes"])
    named = {name: names[values] for name, values in predictions.items()}
    few = [names[label] if at < 6 else None for at, label in enumerate(truth)]
    many = [names[label] if at < 100 else None for at, label in enumerate(truth)]
    with pytest.raises(NoLatentTruthError, match=r"the class '\w+' has \d labels?: label at least 5 items of each"):
        ifs.latent_truth(named | {"gold": few}, truth="gold")
    found = ifs.latent_truth(named | {"gold": many}, truth="gold", **FAST)
    assert "two_systems" in codes(found)
    assert "rests on 100 labels" in next(each.text for each in found.findings if each.code == "two_systems")


def test_two_predictions_at_a_time_do_not_determine_a_truth() -> None:
    """Three systems, and of each item one has not predicted: only pairs are seen."""
    rng = np.random.default_rng(5)
    _, predictions = World.drawn(3, 2, rng).items(300, rng)
    gaps = rng.integers(3, size=300)
    seen = {
        name: [None if gap == at else str(value) for gap, value in zip(gaps, values, strict=True)]
        for at, (name, values) in enumerate(predictions.items())
    }
    with pytest.raises(NoLatentTruthError, match="no item has predictions of three systems or more"):
        ifs.latent_truth(seen)


@pytest.mark.slow
def test_the_command_shows_pairs_where_there_is_no_latent_truth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("infoscope.studies.latent_model.MAX_PROBABILITIES", 5_000)
    pd.DataFrame(large(3, 60, 200, 6)).to_csv(tmp_path / "many.csv", index=False)
    asked = ["agree", str(tmp_path / "many.csv"), "-s", "s0,s1,s2", "--latent", "--draws", "20"]
    run = CliRunner().invoke(app, asked)
    assert run.exit_code == 0, run.output
    said = " ".join(run.output.split())
    assert "No latent truth: 3 systems with 5" in said
    assert "What the systems tell about each other is below" in said
    planned = CliRunner().invoke(app, [*asked, "--want", "width=0.1"])
    assert planned.exit_code == 2
    assert "without a latent truth there is no plan of labels" in planned.output


def test_where_wrong_predictions_go_is_learned_to_a_few_percent() -> None:
    """A coarser grid is off by a sixth at some values, and systems of many classes then look too good."""
    rng = np.random.default_rng(8)
    channels = tuple(Channel(f"s{at}", 20) for at in range(10))
    drawn = []
    for pseudo_counts in (0.7, 1.0):
        tables = [np.zeros((20, 20)) for _ in channels]
        for table in tables:
            wrong = [rng.multinomial(56, rng.dirichlet(np.full(19, pseudo_counts))) for _ in range(20)]
            table[~np.eye(20, dtype=bool)] = np.concatenate(wrong)
        drawn.append(np.mean([draw_sparseness(rng, tables, channels) for _ in range(40)]))

    assert drawn == pytest.approx([0.7, 1.0], rel=0.1)


@pytest.mark.slow
def test_checks_count_items_and_not_their_weight() -> None:
    """Of items that weigh 10^6 each, every pair seemed to share errors, as 3·10^8 items would tell."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 300)
    systems = {name: np.where(rng.random(300) < 0.8, truth, rng.integers(0, 3, 300)) for name in "abcd"}
    light, heavy = (
        ifs.latent_truth(systems | {"w": np.full(300, weight)}, system=list("abcd"), weight="w")
        for weight in (1.0, 1e6)
    )
    assert light.settled
    assert [pair.p_value for pair in heavy.pairs] == [pair.p_value for pair in light.pairs]
    assert heavy.votes is not None
    assert light.votes is not None
    assert heavy.votes.p_value == light.votes.p_value
    assert heavy.votes.observed == pytest.approx(np.multiply(1e6, light.votes.observed))

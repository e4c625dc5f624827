"""Plans of labels: how many, which first, and estimates that hold where the model is wrong."""

import csv
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import infoscope as ifs
from infoscope.errors import InputError, UnknownNameError
from tests.api import Allocation, Effects, LabelCorrection, Rows, app, list_values, match_sheet
from tests.latent.worlds import World


def labelled(plan: ifs.LabelPlan, predictions: dict, truth: np.ndarray, labels: int, seed: int = 0) -> dict:
    sheet = plan.sheet(plan.select(predictions, labels, seed=seed))
    columns = {name: [line[name] for line in sheet] for name in ("row", *predictions, "times")}
    return columns | {"label": [str(truth[line["row"] - 1]) for line in sheet]}


def with_hard_items(world: World, n: int, share: float, rng: np.random.Generator) -> tuple[np.ndarray, dict]:
    """A share of the items looks to all systems like items of another class."""
    truth = rng.choice(len(world.frequencies), n, p=world.frequencies)
    classes = len(world.frequencies)
    seen = np.where(rng.random(n) < share, (truth + rng.integers(1, classes, n)) % classes, truth)
    predictions = {}
    for at, table in enumerate(world.predictions):
        steps = np.cumsum(table, axis=1)[seen][:, :-1]
        predictions[f"s{at}"] = (rng.random(n)[:, None] > steps).sum(axis=1)
    return truth, predictions


def real(truth: np.ndarray, values: np.ndarray) -> float:
    return float(ifs.metrics.proficiency(ifs.Contingency.from_labels(truth, values)))


def test_the_interval_of_a_linear_metric_is_that_of_the_labels_effects() -> None:
    rng = np.random.default_rng(6)
    truth, predictions = with_hard_items(World.drawn(4, 3, rng), 2000, 0.1, rng)
    plan = ifs.plan_labels(ifs.latent_truth(predictions, draws=60), "accuracy", "s0")
    labels = labelled(plan, predictions, truth, 120)
    allocation = plan.sampler.allocation
    found = match_sheet(allocation, labels, "label", None)
    correction = LabelCorrection.from_sheet(allocation, "s0", found)
    right = correction.base.matches[0] * correction.base.shape[1] + correction.base.matches[1]
    effects = np.repeat(correction.added[:, right].sum(axis=1), found.times.astype(int)) / len(truth)
    estimate = plan.estimate(labels).systems["s0"]
    n = len(effects)

    assert estimate.value == pytest.approx(correction.base.cells[right].sum() / len(truth) + effects.sum())
    assert estimate.sd == pytest.approx(np.sqrt(n) * n / (n - 1) * effects.std(), rel=0.02)
    kurtosis = np.mean((effects - effects.mean()) ** 4) / effects.var() ** 2
    freedom = 2 / ((kurtosis - 3) / n + 2 / (n - 1))
    assert kurtosis > 4
    assert (estimate.high - estimate.low) / 2 == pytest.approx(estimate.sd * stats.t.ppf(0.975, freedom), rel=1e-6)


@pytest.mark.slow
def test_labels_correct_what_the_model_cannot_see() -> None:
    held, errors, alone = [], [], []
    for seed in range(6):
        rng = np.random.default_rng([71, seed])
        truth, predictions = with_hard_items(World.drawn(5, 3, rng), 6000, 0.1, rng)
        latent = ifs.latent_truth(predictions, draws=100)
        plan = ifs.plan_labels(latent, system="s0", half_width=0.03)
        found = plan.estimate(labelled(plan, predictions, truth, 400, seed)).systems["s0"]
        target = real(truth, predictions["s0"])
        held.append(found.low <= target <= found.high)
        errors.append(found.shown - target)
        alone.append(latent["s0"].metrics["proficiency"].shown - target)
    assert np.mean(alone) > 0.06
    assert abs(np.mean(errors)) < 0.04
    assert sum(held) >= 4


@pytest.mark.slow
def test_a_right_model_needs_fewer_labels() -> None:
    rng = np.random.default_rng(72)
    truth, predictions = World.drawn(5, 4, rng).items(8000, rng)
    latent = ifs.latent_truth(predictions, draws=100)
    plan = ifs.plan_labels(latent, system="s0", half_width=0.02)
    found = plan.estimate(labelled(plan, predictions, truth, plan.labels))

    assert plan.labels < plan.labels_random < plan.labels_without_plan
    assert abs(found.systems["s0"].shown - real(truth, predictions["s0"])) < 0.03
    low, high = found.systems["s0"].interval
    assert (high - low) / 2 < 0.035
    evaluation = ifs.evaluate(found.tables)
    assert evaluation["s0"].metrics["proficiency"].interval is not None
    assert found.tables["s0"].sample_size > 5 * plan.labels


def test_all_items_labelled_is_the_counted_table() -> None:
    """By hand: with every item drawn once, by chance alone, the correction leaves the counts."""
    from tests.api import FilledSheet, LabelCorrection

    rng = np.random.default_rng(73)
    truth, predictions = World.drawn(4, 3, rng).items(150, rng)
    latent = ifs.latent_truth(predictions, draws=60)
    effects = Effects(latent.posterior, "proficiency", ("s0",))
    allocation = Allocation.spread(effects, 1.0)
    patterns = latent.posterior.arrangement.patterns
    place = {tuple(codes): at for at, codes in enumerate(patterns.codes.T.tolist())}
    rows = np.array([place[tuple(int(predictions[name][item]) for name in predictions)] for item in range(150)])
    table = LabelCorrection.from_sheet(allocation, "s0", FilledSheet(rows, truth, np.ones(150), 0)).correct(
        np.ones(150)
    )

    assert table.counts == pytest.approx(ifs.Contingency.from_labels(truth, predictions["s0"]).counts, abs=1e-9)


def test_formulas_of_the_plan() -> None:
    rng = np.random.default_rng(74)
    _, predictions = World.drawn(4, 3, rng).items(1000, rng)
    latent = ifs.latent_truth(predictions, draws=60)
    plan = ifs.plan_labels(latent, system="s1", half_width=0.03)
    allocation = plan.sampler.allocation
    assert allocation is not None
    (spread,) = allocation.effects.spread.values()
    counts = allocation.effects.counts
    worth = counts * spread / (counts * spread).sum()
    assert allocation.share == pytest.approx(0.5 * worth + 0.5 * counts / counts.sum())
    variance = ((counts / 1000) ** 2 * spread**2 / allocation.share).sum()
    wanted = variance * (1.959964 / 0.03) ** 2
    assert plan.labels == int(np.ceil(wanted / (1 + wanted / 1000)))
    items = plan.select(predictions, 50)
    assert sum(item.times for item in items) == 50
    assert all(
        item.predictions == {name: str(predictions[name][item.row - 1]) for name in predictions} for item in items
    )
    assert plan.select(predictions, 50) == items
    assert plan.select(predictions, 50, round=2) != items


def test_items_that_predict_alike_say_nothing_of_a_difference() -> None:
    rng = np.random.default_rng(75)
    _, predictions = World.drawn(4, 3, rng).items(800, rng)
    latent = ifs.latent_truth(predictions, draws=60)
    plan = ifs.plan_labels(latent, "accuracy", ("s0", "s1"), difference=True)
    patterns = latent.posterior.arrangement.patterns
    alike = patterns.codes[0] == patterns.codes[1]
    (spread,) = plan.sampler.allocation.effects.spread.values()
    assert spread[alike] == pytest.approx(0.0, abs=1e-6)
    assert spread[~alike].max() > 0.3
    assert plan.labels_without_plan is None


def test_labels_mixed_in_are_not_asked_for_again() -> None:
    rng = np.random.default_rng(76)
    truth, predictions = World.drawn(4, 2, rng, low=0.8).items(400, rng)
    gold = [str(label) if at < 100 else None for at, label in enumerate(truth)]
    named = {name: [str(value) for value in values] for name, values in predictions.items()} | {"gold": gold}
    latent = ifs.latent_truth(named, truth="gold", draws=60)
    plan = ifs.plan_labels(latent)
    assert plan.items == 300
    items = plan.select(named, 40)
    assert all(item.row > 100 for item in items)


@pytest.mark.slow
def test_the_command_plans_writes_and_reads_labels(tmp_path: Path) -> None:
    rng = np.random.default_rng(77)
    truth, predictions = World.drawn(4, 2, rng, low=0.75).items(600, rng)
    names = np.array(["no", "yes"])
    rows, items, done = tmp_path / "rows.csv", tmp_path / "items.csv", tmp_path / "done.csv"
    with rows.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(predictions)
        writer.writerows(zip(*(names[values] for values in predictions.values()), strict=True))
    asked = ["agree", str(rows), *(part for name in predictions for part in ("-s", name)), "--latent", "--draws", "100"]
    run = CliRunner().invoke(app, [*asked, "--want", "width=0.16", "--labels-out", str(items)])
    assert run.exit_code == 0, run.output
    assert "labels, half of them at random" in " ".join(run.output.split())
    with items.open() as file, done.open("w", newline="") as out:
        lines = list(csv.DictReader(file))
        writer = csv.DictWriter(out, lines[0])
        writer.writeheader()
        writer.writerows(line | {"label": names[truth[int(line["row"]) - 1]]} for line in lines)
    again = CliRunner().invoke(app, [*asked, "--want", "width=0.16", "--labels", str(done)])
    assert again.exit_code == 0, again.output
    assert " is first: proficiency " in again.output
    taken = CliRunner().invoke(app, [*asked, "--want", "width=0.16", "--labels-out", str(items)])
    assert taken.exit_code == 2
    more = tmp_path / "more.csv"
    next_round = CliRunner().invoke(
        app, [*asked, "--want", "width=0.1", "--labels", str(done), "--labels-out", str(more)]
    )
    assert next_round.exit_code == 0, next_round.output
    assert "more labels bring the widest interval to ±0.05" in " ".join(next_round.output.split())
    with more.open() as file, (tmp_path / "done-2.csv").open("w", newline="") as out:
        lines = list(csv.DictReader(file))
        writer = csv.DictWriter(out, lines[0])
        writer.writeheader()
        writer.writerows(line | {"label": names[truth[int(line["row"]) - 1]]} for line in lines)
    rounds = ["--labels", str(done), "--labels", str(tmp_path / "done-2.csv")]
    both = CliRunner().invoke(app, [*asked, "--want", "width=0.1", *rounds])
    assert both.exit_code == 0, both.output
    assert "expected" in both.output
    for wrong, said in (
        (["--want", "width=14"], "half_width must be between 0 and 1"),
        (["--labels-out", "x.csv"], "interval may be with --want"),
    ):
        bad = CliRunner().invoke(app, [*asked, *wrong])
        assert bad.exit_code == 2
        assert said in bad.output


@pytest.fixture(scope="module")
def small() -> tuple[ifs.LatentTruth, dict]:
    rng = np.random.default_rng(78)
    _, predictions = World.drawn(3, 3, rng).items(200, rng)
    return ifs.latent_truth(predictions, draws=60), predictions


def test_rejections(small: tuple[ifs.LatentTruth, dict], tmp_path: Path) -> None:
    latent, predictions = small
    plan = ifs.plan_labels(latent)
    with pytest.raises(UnknownNameError, match="no system 'z'"):
        ifs.plan_labels(latent, system="z")
    with pytest.raises(InputError, match="a difference is between two systems; 3 are named"):
        ifs.plan_labels(latent, difference=True)
    with pytest.raises(InputError, match="at least 10 labels"):
        plan.estimate({"row": [1], "s0": ["0"], "s1": ["0"], "s2": ["0"], "label": ["0"]})
    with pytest.raises(InputError, match="has the label 'cat'; the classes are '0', '1', '2'"):
        plan.estimate({"row": [1], "s0": ["0"], "s1": ["0"], "s2": ["0"], "label": ["cat"]})
    with pytest.raises(InputError, match="0 labels are asked for"):
        plan.select(predictions, 0)
    with pytest.raises(InputError, match="not those that the plan was made from"):
        plan.select({name: values[:5] for name, values in predictions.items()}, 50)
    latent.save(tmp_path / "latent.json")
    with pytest.raises(InputError, match="has no patterns; estimate it again"):
        ifs.plan_labels(ifs.load(tmp_path / "latent.json"))


def test_a_prediction_that_is_missing_stays_missing_on_the_sheet() -> None:
    patterns = Rows.from_columns({"a": ["x", None, "y"], "b": ["x", "y", None]})
    values = [tuple(list_values(patterns, ["a", "b"], at).values()) for at in range(len(patterns))]

    assert set(values) == {("x", "x"), (None, "y"), ("y", None)}

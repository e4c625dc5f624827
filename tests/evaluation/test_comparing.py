"""Several systems of one evaluation: read together, compared row by row, different only where significant."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import infoscope as ifs
from infoscope import Evaluation, read_tables
from tests.api import Query, read_together, reader
from tests.findings import notes


def answers(n: int = 600, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    truth = rng.choice(["cat", "cow", "dog"], n)
    right = {"good": 0.9, "twin": 0.9, "poor": 0.6}
    said = {name: np.where(rng.random(n) < p, truth, rng.permutation(truth)) for name, p in right.items()}
    return pd.DataFrame({"gold": truth, **said, "patient": np.arange(n) // 12})


NAMES = ["good", "twin", "poor"]


@pytest.mark.slow
def test_pairs_are_those_of_compare() -> None:
    frame = answers()
    found = ifs.evaluate(frame, truth="gold", system=NAMES).to_dict()["comparison"]
    expected = ifs.compare(frame, truth="gold", system=NAMES).to_dict()

    keys = {"a", "b", "metric", "estimate", "probability_a_better", "paired"}
    assert len(expected["pairs"]) == 3 * 3  # in accuracy, proficiency and macro F1
    pairs = [pair for pair in found["pairs"] if pair["metric"] != "erroneous_information_ratio"]  # which pages ask for
    for mine, theirs in zip(pairs, expected["pairs"], strict=True):
        assert {key: mine[key] for key in keys} == {key: theirs[key] for key in keys}
        assert mine["paired"] is True
        assert "swap_p_value" in theirs["tests"]
        assert "swap_p_value" not in mine["tests"]
    assert found["ranking"][:3] == expected["ranking"]


@pytest.mark.slow
def test_text_names_those_without_a_significant_difference() -> None:
    evaluation = ifs.evaluate(answers(seed=1), truth="gold", system=NAMES)

    for text in (evaluation.to_text(full=True), evaluation.to_markdown(full=True)):
        alike = next(line for line in text.splitlines() if "do not differ significantly" in line)
        assert "good" in alike
        assert "twin" in alike
        assert "poor" not in alike
    clear = ifs.evaluate(answers(seed=1), truth="gold", system=["good", "poor"])
    assert "Each system captures significantly more than the next" in clear.to_text(full=True)


@pytest.mark.slow
def test_comparison_survives_json() -> None:
    evaluation = ifs.evaluate(answers(), truth="gold", system=NAMES)

    assert Evaluation.from_dict(json.loads(evaluation.to_json())).to_dict() == evaluation.to_dict()


@pytest.mark.parametrize("kind", ["csv", "parquet", "pandas", "polars"])
def test_tables_read_together_are_those_read_apart(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = answers()
    frame.loc[3:9, "twin"] = None
    frame.loc[5:5, "gold"] = None
    source: object = {"pandas": frame, "polars": pl.from_pandas(frame)}.get(kind)
    if source is None:
        source = tmp_path / f"rows.{kind}"
        frame.to_csv(source, index=False) if kind == "csv" else frame.to_parquet(source)
    asked = Query("gold", tuple(NAMES))
    together = read_together(source, asked)
    monkeypatch.setattr(reader, "SMALL_FILES", 0)
    monkeypatch.setattr(reader, "SMALL_FRAME", 0)
    apart = read_together(source, asked)

    assert together.joints
    assert not apart.joints
    assert together.reading == apart.reading
    assert together.reading == read_tables(source, truth="gold", system=NAMES)


@pytest.mark.slow
def test_large_sources_are_counted_apart_and_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "SMALL_FRAME", 10)

    assert ifs.evaluate(answers(), truth="gold", system=NAMES).comparison is None


@pytest.mark.slow
def test_nothing_is_compared_without_a_defined_value_or_common_rows() -> None:
    frame = answers()
    frame["gold"] = "cat"
    assert ifs.evaluate(frame, truth="gold", system=NAMES).comparison is None
    frame = answers()
    frame.loc[:299, "good"] = None
    frame.loc[300:, "twin"] = None
    apart = ifs.evaluate(frame, truth="gold", system=["good", "twin"]).comparison
    assert apart is not None
    assert apart.pairs == ()
    assert "'good' and 'twin'" in notes(apart)[0]
    apart.to_json()


@pytest.mark.slow
def test_groups_are_compared_within_themselves_and_other_shares_not_at_all() -> None:
    frame = answers()
    frame["half"] = np.arange(len(frame)) % 2
    found = ifs.evaluate(frame, truth="gold", system=NAMES, by="half")

    assert found.comparison is None
    assert [part.group for part in found.group_comparisons] == [{"half": "0"}, {"half": "1"}]
    assert all(len(part.comparison.pairs) == 4 * 3 for part in found.group_comparisons)
    assert ifs.evaluate(frame, truth="gold", system=NAMES, by="half", prevalence="equal").group_comparisons == ()
    assert ifs.evaluate(frame, truth="gold", system=NAMES, prevalence="equal").comparison is None


@pytest.mark.slow
def test_weights_count_by_their_effective_size() -> None:
    frame = answers()
    frame["w"] = np.where(np.arange(len(frame)) % 2, 1.0, 9.0)
    weighed = ifs.compare(frame, truth="gold", system=["good", "poor"], weight="w")
    once = ifs.compare(frame, truth="gold", system=["good", "poor"])
    doubled = ifs.compare(frame.assign(w=2.0), truth="gold", system=["good", "poor"], weight="w")

    effective = (300 * 10) ** 2 / (300 * 82)
    assert weighed.samples["good"] == pytest.approx(effective)
    assert any("count as 365.9 independent samples" in note for note in notes(weighed))
    assert doubled.pair("good", "poor").estimate == once.pair("good", "poor").estimate
    assert weighed.pair("good", "poor").estimate.sd > once.pair("good", "poor").estimate.sd


def test_groups_read_together_are_those_read_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = answers()
    frame["site"] = ["east", "west", "far"] * 200
    frame.loc[3:9, "twin"] = None
    frame.loc[11:13, "site"] = None
    frame.loc[frame["site"] == "far", "poor"] = None
    asked = Query("gold", tuple(NAMES), by=("site",))
    together = read_together(frame, asked)
    monkeypatch.setattr(reader, "SMALL_FRAME", 0)
    apart = read_together(frame, asked)

    assert set(together.joints) == {("east",), ("west",), ("far",)}
    assert not apart.joints
    assert together.reading == apart.reading
    assert together.reading.ungrouped == {"missing group in 'site'": 3}


@pytest.mark.slow
def test_a_system_that_rejects_nothing_is_shown_with_no_rejections() -> None:
    """A prior gives every system a small chance of rejecting; one that never did is shown with none."""
    frame = answers(seed=2).assign(careful=lambda f: f["good"].where(f.index % 4 > 0, "unsure"))
    found = ifs.evaluate(frame, truth="gold", system=["good", "careful"], reject="unsure")
    text = found.to_text(full=True)

    table = text[text.index("the most informative first") : text.index("Classes of")].splitlines()
    rejected = {line.split()[0]: line.split()[-1] for line in table if line.startswith(("  good ", "  careful "))}
    assert rejected == {"good": "0%", "careful": f"{found['careful'].shown('rejection_rate'):.1%}"}

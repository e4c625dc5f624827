"""Coverage of 95 % intervals on simulated populations, and error rates of gates, comparisons and the model itself.

    python benchmarks/calibration.py                        # try populations until the processor time is used up
    python benchmarks/calibration.py --report --write       # all there is to try; table and picture into docs/
    python benchmarks/calibration.py --classes 150 200      # these alone

Every trial is one line of a file in .benchmarks/, so a run may be stopped at any time and goes on where it was. Choices
(families, priors, how far limits are stretched) were made on the design seed, which is the default. The report seed is
for figures that are shown, and for nothing else; once a report has shown what to repair, the next one has another seed.
"""

import argparse
import json
import math
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from calibration_models import simulated_ranks
from populations import FAMILIES, PREVALENCES, population, rejecting

import infoscope as ifs
from infoscope.metrics.registry import find
from infoscope.studies.compare import compare_predictions
from infoscope.studies.diagnose import diagnose
from infoscope.studies.predictions import PairedPredictions

METRICS = (
    "mutual_information",
    "proficiency",
    "false_information_ratio",
    "erroneous_information_ratio",
    "accuracy",
    "balanced_accuracy",
    "macro_f1",
    "mcc",
)
DESIGN_SEED, REPORT_SEED = 1, 20_311_118
CLASSES = (2, 5, 10, 20, 50, 100, 150, 200)
SAMPLES = (50, 200, 1000, 5000)
REPEATS = {2: 96, 5: 96, 10: 96, 20: 96, 50: 64, 100: 24, 150: 24, 200: 24}
REJECTING = 4  # every fourth system may abstain
PAIRS = tuple(product((2, 3, 10, 20, 50), (100, 1000)))
PAIR_REPEATS = {2: 300, 3: 300, 10: 100, 20: 60, 50: 40}
PAIR_ROUNDS = 1
SYSTEMS = 4
MODEL_REPEATS = 400
UNSEEN = ((20, 50), (50, 50), (100, 200))
UNSEEN_REPEATS = 8
FOLDER = Path(__file__).parents[1] / ".benchmarks"

Record = dict[str, Any]


def sampled(family: str, k: int, n: int, seed: list[int]) -> tuple[ifs.Contingency, ifs.Contingency, Record]:
    """A population of a family and a sample of it; every fourth abstains, and all kinds of prevalence take turns."""
    rng = np.random.default_rng([*seed, k, n, FAMILIES.index(family)])
    kind = list(PREVALENCES)[(seed[-1] + FAMILIES.index(family)) % len(PREVALENCES)]
    joint = population(family, k, rng, kind)
    abstains = seed[-1] % REJECTING == REJECTING - 1
    names = [f"c{i}" for i in range(k)]
    options: dict[str, Any] = {"truth": names, "system": names}
    if abstains:
        joint = rejecting(joint, rng)
        options |= {"system": [*names, "?"], "reject": "?"}
    counts = rng.multinomial(n, joint.ravel()).reshape(joint.shape)
    facts = {"family": family, "prevalence": kind, "abstains": abstains}
    return ifs.Contingency.from_matrix(joint, **options), ifs.Contingency.from_matrix(counts, **options), facts


def place(found: Any, truth: Any) -> Any:
    """Place the truth in an interval: 0 is the mean, ±1 are the limits."""
    side = np.where(truth > found.mean, found.high - found.mean, found.mean - found.low)
    return (truth - found.mean) / np.maximum(side, 1e-12)


def holds(found: Any, truth: Any) -> Any:
    return (found.low <= truth + 1e-12) & (truth - 1e-12 <= found.high)


def metric_places(posterior: ifs.Posterior, truth: ifs.Contingency, table: ifs.Contingency) -> dict[str, float]:
    """Place the truth in the interval of every metric that the sample and the population have."""
    places = {}
    for name, found in posterior.summaries(METRICS).items():
        value = float(find(name).score(truth))
        if np.isfinite(float(find(name).score(table))) and np.isfinite([value, *map(float, found)]).all():
            at = float(place(found, value))
            inside = bool(holds(found, value))
            places[name] = round(float(np.clip(at, -1, 1) if inside else np.sign(at) * max(abs(at), 1.001)), 3)
    return places


def unseen_trial(family: str, k: int, n: int, seed: list[int]) -> Record:
    """One sample whose classes without a row are not declared, and whether a finding says that there are such."""
    turn = seed[-1] + seed[-1] // (REJECTING - 1)  # those that do not abstain
    truth, table, facts = sampled(family, k, n, [*seed[:-1], turn])
    seen = np.flatnonzero(np.asarray(table.row_totals + table.column_totals) > 0)
    names = [table.truth_labels[at] for at in seen]
    table = ifs.Contingency.from_matrix(np.asarray(table.counts)[np.ix_(seen, seen)], truth=names, system=names)
    posterior = ifs.Posterior(table, seed=seed[-1])
    warned = any(finding.code == "unseen_classes" for finding in diagnose(table, belief=posterior))
    return {**facts, "warned": warned, "places": metric_places(posterior, truth, table)}


def trial(family: str, k: int, n: int, seed: list[int]) -> Record:
    """One sample: where the truth lies in the interval of every metric, and how many classes are held."""
    truth, table, facts = sampled(family, k, n, seed)
    posterior = ifs.Posterior(table, seed=seed[-1])
    places = metric_places(posterior, truth, table)
    classes = {}
    for side, name, totals, whole in (
        (posterior.by_class(), "recall", table.row_totals, truth.row_totals),
        (posterior.by_output(), "precision", table.column_totals[:k], truth.column_totals[:k]),
    ):
        value = np.asarray(truth.diagonal) / np.maximum(np.asarray(whole), 1e-300)
        found = type(side[name])(*(np.asarray(part)[:k] for part in side[name]))
        asked = (np.asarray(totals) > 0) & (value > 0) & (value < 1)
        classes[name] = [int(holds(found, value)[asked].sum()), int(asked.sum())]
    return {**facts, "places": places, "classes": classes}


def pair_trial(k: int, n: int, seed: list[int]) -> Record:
    """Equal systems on the same rows, some predicted alike: false claims about pairs, and about all of them at once."""
    rng = np.random.default_rng([*seed, k, n])
    family = FAMILIES[seed[-1] % len(FAMILIES)]
    joint = population(family, k, rng, list(PREVALENCES)[seed[-1] % len(PREVALENCES)])
    truth = rng.choice(k, n, p=joint.sum(1))
    rows = np.cumsum(joint / joint.sum(1, keepdims=True), axis=1)
    alike = rng.random(n) < rng.choice([0.0, 0.5])
    common = rng.random(n)
    systems = {
        f"s{i}": (rows[truth] < np.where(alike, common, rng.random(n))[:, None]).sum(1).clip(0, k - 1)
        for i in range(SYSTEMS)
    }
    try:
        found = compare_predictions(PairedPredictions.from_labels(truth, systems), metrics=["proficiency", "accuracy"])
    except ifs.InfoscopeError:  # one class only: nothing to compare
        return {"family": family, "claims": {}}
    claims: dict[str, list[int]] = {}
    for pair in found.pairs:
        said = claims.setdefault(pair.metric, [0, 0, 0])
        said[0] += pair.verdict in ("better", "worse")
        said[1] += 1
        said[2] = int(said[2] or bool(pair.significant))
    return {"family": family, "claims": claims}


def tasks(seed: int) -> Iterator[tuple[str, Record]]:
    """Everything there is to try, in an order in which every part gets its share of a small budget."""
    most = max(REPEATS.values())
    for rep in range(most):
        for k, n, family in product(CLASSES, SAMPLES, FAMILIES):
            for one in range(rep * REPEATS[k] // most, (rep + 1) * REPEATS[k] // most):
                key = f"interval {seed} {k} {n} {family} {one}"
                yield key, {"part": "interval", "k": k, "n": n, "family": family, "seed": [seed, one]}
        for k, n in PAIRS:
            for one in range(PAIR_REPEATS[k] * rep, PAIR_REPEATS[k] * (rep + 1)) if rep < PAIR_ROUNDS else ():
                yield f"pair {seed} {k} {n} {one}", {"part": "pair", "k": k, "n": n, "seed": [seed, one]}
        for (k, n), family in product(UNSEEN, FAMILIES) if rep < UNSEEN_REPEATS else ():
            key = f"unseen {seed} {k} {n} {family} {rep}"
            yield key, {"part": "unseen", "k": k, "n": n, "family": family, "seed": [seed, rep]}
        for one in range(rep * MODEL_REPEATS // 8, (rep + 1) * MODEL_REPEATS // 8) if rep < 8 else ():
            yield f"model {seed} {one}", {"part": "model", "seed": [seed, one]}


def run(task: Record) -> Record:
    part = task["part"]
    if part in ("interval", "unseen"):
        return (trial if part == "interval" else unseen_trial)(task["family"], task["k"], task["n"], task["seed"])
    return pair_trial(task["k"], task["n"], task["seed"]) if part == "pair" else simulated_ranks(task["seed"])


def load(path: Path) -> dict[str, Record]:
    if not path.exists():
        return {}
    return {record["key"]: record for record in map(json.loads, path.read_text().splitlines())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--report", action="store_true", help="the seed whose figures are shown, instead of the design's"
    )
    parser.add_argument("--budget", type=float, help="processor seconds (default: 600; no limit with --write)")
    parser.add_argument("--classes", type=int, nargs="+", help="try these numbers of classes alone")
    parser.add_argument("--part", choices=("interval", "pair", "unseen", "model"), help="try this part alone")
    parser.add_argument("--write", action="store_true", help="write table and picture into docs/ at the end")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the trials are kept (default: .benchmarks)")
    options = parser.parse_args()
    seed = REPORT_SEED if options.report else DESIGN_SEED
    path = options.folder / f"calibration-{'report' if options.report else 'design'}.jsonl"
    path.parent.mkdir(exist_ok=True)
    done = load(path)
    budget = options.budget if options.budget is not None else math.inf if options.write else 600
    with path.open("a") as file:
        for key, task in tasks(seed):
            if key in done or (options.classes and task.get("k") not in options.classes):
                continue
            if options.part not in (None, task["part"]):
                continue
            done[key] = {"key": key, **task, **run(task)}
            file.write(json.dumps(done[key]) + "\n")
            file.flush()
            if time.process_time() > budget:
                break
    from calibration_report import printed, written  # noqa: PLC0415 - a run needs no pictures

    print(printed(list(done.values())))
    if options.write:
        written(list(done.values()))


if __name__ == "__main__":
    main()

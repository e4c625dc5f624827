"""Coverage on families that guided no repair, cell by cell, and what each part of the tree contributes.

    python benchmarks/calibration_cells.py --folder DIR --workers 16 --seconds 500
    python benchmarks/calibration_cells.py --folder DIR --ablation --workers 16 --seconds 500
    python benchmarks/calibration_cells.py --folder DIR --summary
    INFOSCOPE_SOURCE=/other/version/src python benchmarks/calibration_cells.py --folder BEFORE

Every table is a line of JSON in a file of DIR; a run goes on where it was. It needs NumPy and SciPy alone. Families are
those that guided a repair and those that test only (unseen_populations.py); figures are given for each apart, the worst
cell beside the average. So the intervals are calibrated empirically, for populations like these: nothing is proved.

A variant switches a part of the tree off, from outside: the package has no such switches.
"""
# ruff: noqa: E402 - threads and paths are settled before what they concern is loaded

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # a worker is one thread

import numpy as np

_SOURCE = os.environ.get("INFOSCOPE_SOURCE") or str(Path(__file__).parents[1] / "src")  # of another version: before
sys.path[:0] = [str(Path(__file__).parent), _SOURCE]

from unseen_populations import GUIDED, TEST_ONLY, joint_probabilities

from infoscope.metrics.registry import find
from infoscope.posterior import Posterior, tree, tree_levels, tree_rows
from infoscope.posterior.tree_levels import LogLaw, NormalLogs, PowerLaw
from infoscope.tables import Contingency

try:
    from infoscope.posterior.sample_size import DOMINANT_CLASS_METRICS, find_dominant_class
except ImportError:  # a version that withholds nothing
    DOMINANT_CLASS_METRICS, find_dominant_class = frozenset(), lambda _: None

INFORMATION = ("mutual_information", "proficiency", "false_information_ratio", "erroneous_information_ratio")
CONVENTIONAL = ("accuracy", "balanced_accuracy", "macro_precision", "macro_f1", "weighted_f1", "kappa", "mcc")
LOWER_IS_BETTER = ("false_information_ratio", "erroneous_information_ratio")
CLASS_METRICS = ("class_recall", "class_precision", "class_f1")
CELLS = (*product((2, 3, 5, 10, 20, 50), (50, 200, 1000, 5000)), (100, 1000), (100, 5000))
PREVALENCES = ("mild", "uniform", "zipf", "rare", "dominant")
ABLATION_CELLS = (*product((3, 10, 30), (200, 2000)), (100, 2000))
SEED = 36_220_001
Record = dict[str, Any]


# ── parts of the tree, switched off ──────────────────────────────────────────────────────────────────────


def _without_rows(*kinds: str) -> AbstractContextManager[Any]:
    models = tree.list_row_models
    return patch.object(tree, "list_row_models", lambda *a: (m for m in models(*a) if m[0] not in kinds))


def _without_matches(*names: str) -> AbstractContextManager[Any]:
    weigh = tree.Tree._weigh
    return patch.object(tree.Tree, "_weigh", lambda self, name, *a: () if name in names else weigh(self, name, *a))


def _without_law(law: type[LogLaw]) -> AbstractContextManager[Any]:
    others = {kind: spreads for kind, spreads in tree_levels.SPREADS.items() if kind is not law}
    return patch.object(tree_levels, "SPREADS", others)


def _with_one_trend() -> AbstractContextManager[Any]:
    fits = vars(tree_levels.TrendLevel)["_fits"].func
    return patch.object(tree_levels.TrendLevel, "_fits", property(lambda self: fits(self)[:1]))


VARIANTS: Mapping[str, Callable[[], Sequence[AbstractContextManager[Any]]]] = {
    "whole": lambda: (),
    "no trends": lambda: (patch.object(tree_levels, "_FEWEST_CLASSES", 10**9),),
    "one trend of three": lambda: (_with_one_trend(),),
    "no rising trend": lambda: (patch.object(tree_levels, "_RISING", 0.0),),
    "no prevalence laws": lambda: (patch.object(tree_levels, "SPREADS", {}),),
    "no log-normal law": lambda: (_without_law(NormalLogs),),
    "no power law": lambda: (_without_law(PowerLaw),),
    "no merged classes": lambda: (patch.object(tree, "FEWEST_CLASSES_MERGED", 10**9),),
    "no relabelling": lambda: (_without_matches("relabelled"),),
    "no unmatched": lambda: (_without_matches("unmatched"),),
    "no blocks": lambda: (patch.object(tree, "find_best_blocks", lambda *_: None),),
    "no dominant class": lambda: (patch.object(tree, "_DOMINANT", np.inf),),
    "no frequent": lambda: (_without_rows("frequent"),),
    "no shared": lambda: (_without_rows("shared"),),
    "no subsets": lambda: (_without_rows("subsets"),),
    "no hot cells": lambda: (patch.object(tree, "_FEWEST_CLASSES", 10**9),),
    "no popular classes": lambda: (patch.object(tree_rows, "_POWERS", np.zeros(1)),),
    "no guesses": lambda: (patch.object(tree, "_guess_again", lambda *_: None),),
    "no column factors": lambda: (
        patch.object(tree, "fit_column_factors", lambda e, _: np.ones((len(e), e.shape[2]))),
    ),
    "no stretch": lambda: (patch.multiple(tree, _DOUBT=0.0, _DOUBT_ALONE=0.0, _DOUBT_OF_MANY=0.0),),
    "no Miller and Madow": lambda: (patch.object(Posterior, "_reach_to_miller_madow", lambda *parts: parts[-1]),),
}


# ── one table ────────────────────────────────────────────────────────────────────────────────────────────


def tables(task: Record) -> tuple[Contingency, Contingency]:
    """A population and a sample of it."""
    families = (*GUIDED, *TEST_ONLY)
    place = families.index(task["family"]), PREVALENCES.index(task["prevalence"])
    rng = np.random.default_rng([task["seed"], task["k"], task["n"], task["repeat"], *place])
    joint = joint_probabilities(task["family"], task["k"], task["prevalence"], rng)
    names = [f"c{i}" for i in range(task["k"])]
    counts = rng.multinomial(task["n"], joint.ravel()).reshape(joint.shape)
    population = Contingency.from_matrix(joint, truth=names, system=names)
    return population, Contingency.from_matrix(counts, truth=names, system=names)


def measure_table(task: Record) -> Record:
    """Return where true values lie (−1 below the interval, 1 above, 0 inside) and the widths, for every metric."""
    truth, sample = tables(task)
    names = [*INFORMATION, *CONVENTIONAL]
    with ExitStack() as stack:
        for switch in VARIANTS[task["variant"]]():
            stack.enter_context(switch)
        tree_levels.get_prevalence_level.cache_clear()
        start = time.process_time()
        posterior = Posterior(sample, seed=task["repeat"])
        summaries = posterior.summaries([*names, *CLASS_METRICS])
        seconds = time.process_time() - start
    withheld = DOMINANT_CLASS_METRICS if find_dominant_class(sample) else frozenset()
    side, width, classes = {}, {}, {}
    for name in names:
        found, true = summaries[name], float(find(name).score(truth))
        value = float(find(name).score(sample))
        if name not in withheld and np.isfinite([value, true, float(found.low), float(found.high)]).all():
            side[name] = int(true > found.high + 1e-12) - int(true < found.low - 1e-12)
            width[name] = round(float(found.high - found.low), 5)
    for name in CLASS_METRICS:
        found, true = summaries[name], np.asarray(find(name).score(truth))
        is_known = np.isfinite(found.low) & np.isfinite(true)
        held = (found.low <= true + 1e-12) & (true - 1e-12 <= found.high) & is_known
        classes[name] = [int(held.sum()), int(is_known.sum())]
    return {**task, "side": side, "width": width, "classes": classes, "withheld": len(withheld), "seconds": seconds}


def tasks(*, variants: Sequence[str], families: Sequence[str], seed: int, repeats: int) -> Iterator[Record]:
    """Everything to try, round by round, so that a run that is stopped has tried all cells about equally often."""
    for repeat in range(repeats):
        for (k, n), family in product(ABLATION_CELLS if len(variants) > 1 else CELLS, families):
            kind = PREVALENCES[(repeat + families.index(family)) % len(PREVALENCES)]
            if kind == "dominant" and (k < 3 or family in GUIDED[:-2]):
                kind = "mild"
            for variant in variants:
                task = {"family": family, "prevalence": kind, "k": k, "n": n, "repeat": repeat}
                yield {**task, "seed": seed, "variant": variant}


def key(record: Record) -> tuple[Any, ...]:
    return tuple(record[name] for name in ("family", "prevalence", "k", "n", "repeat", "seed", "variant"))


# ── summaries ────────────────────────────────────────────────────────────────────────────────────────────


def _share_held(records: Sequence[Record], metric: str) -> tuple[float, int]:
    sides = np.array([record["side"][metric] for record in records if metric in record["side"]])
    return float((sides == 0).mean()) if sides.size else np.nan, sides.size


def _false_passes(records: Sequence[Record], metric: str) -> float:
    sides = np.array([record["side"][metric] for record in records if metric in record["side"]])
    return float((sides == (1 if metric in LOWER_IS_BETTER else -1)).mean()) if sides.size else np.nan


def _groups(records: Sequence[Record], *names: str) -> dict[tuple[Any, ...], list[Record]]:
    out: dict[tuple[Any, ...], list[Record]] = {}
    for record in records:
        out.setdefault(tuple(record[name] for name in names), []).append(record)
    return out


def summarize(records: Sequence[Record], fewest: int) -> Iterator[str]:
    """Averages and worst cells of both kinds of families, by cell and by family."""
    for role, families in (("test only", TEST_ONLY), ("guided a repair", GUIDED)):
        chosen = [record for record in records if record["family"] in families and record["variant"] == "whole"]
        if not chosen:
            continue
        yield f"\n{role}: {', '.join(families)}; {len(chosen):,} tables"
        cells = {place: group for place, group in _groups(chosen, "k", "n").items() if len(group) >= fewest}
        for metric in (*INFORMATION, *CONVENTIONAL):
            held, size = _share_held(chosen, metric)
            by_cell = [(*_share_held(group, metric), place) for place, group in cells.items()]
            known = [each for each in by_cell if each[1] >= fewest]
            if not known:
                continue
            worst = min(known)
            passes = max((_false_passes(cells[place], metric), place) for _, _, place in known)
            yield (
                f"  {metric:28s} {held:.3f} of {size:5d}; worst cell {worst[0]:.3f} of {worst[1]} at {worst[2]}; "
                f"gate passes falsely {_false_passes(chosen, metric):.3f}, worst {passes[0]:.3f} at {passes[1]}"
            )
        for metric in CLASS_METRICS:
            held, known = (sum(record["classes"][metric][at] for record in chosen) for at in (0, 1))
            shares = [
                (sum(r["classes"][metric][0] for r in group) / total, place)
                for place, group in cells.items()
                if (total := sum(r["classes"][metric][1] for r in group)) >= fewest
            ]
            yield f"  {metric:28s} {held / max(known, 1):.3f} of {known:,}; worst cell {min(shares, default=None)}"
        names = (*INFORMATION, *CONVENTIONAL)
        for title, fields in (("cell", ("k", "n")), ("family", ("family",)), ("prevalence", ("prevalence",))):
            yield f"  by {title}: " + " ".join(name[:9] for name in names) + ", false passes of proficiency"
            for place, group in sorted(_groups(chosen, *fields).items()):
                shares = " ".join(f"{_share_held(group, metric)[0]:9.3f}" for metric in names)
                yield f"    {place!s:22s} ({len(group):5d}) {shares} {_false_passes(group, 'proficiency'):9.3f}"


def summarize_ablation(records: Sequence[Record]) -> Iterator[str]:
    """Measure each part by coverage and mean width without it, against the whole tree on the same tables."""
    whole = {key(record)[:-1]: record for record in records if record["variant"] == "whole"}
    for variant in VARIANTS:
        pairs = [(r, whole[key(r)[:-1]]) for r in records if r["variant"] == variant and key(r)[:-1] in whole]
        if variant == "whole" or not pairs:
            continue
        yield f"\n{variant}: {len(pairs):,} tables; change of coverage and width by metric, and worst family"
        for metric in (*INFORMATION, *CONVENTIONAL):
            by_family: dict[str, tuple[float, float, int]] = {}
            for family in dict.fromkeys(r["family"] for r, _ in pairs):
                sides = np.array(
                    [
                        (a["side"][metric] == 0, b["side"][metric] == 0, a["width"][metric], b["width"][metric])
                        for a, b in pairs
                        if a["family"] == family and metric in a["side"] and metric in b["side"]
                    ],
                    dtype=float,
                )
                if len(sides) >= 20:  # fewer tables show no change of .01
                    without, held, width, wide = sides.mean(0)
                    by_family[family] = without - held, width / max(wide, 1e-300), len(sides)
            if by_family:
                change, ratio, _ = np.mean(list(by_family.values()), axis=0)
                lost = min(by_family, key=lambda name: by_family[name][0])
                wider = max(by_family, key=lambda name: by_family[name][1])
                yield (
                    f"  {metric:28s} {change:+.3f} ×{ratio:.3f}; worst {by_family[lost][0]:+.3f} of "
                    f"{by_family[lost][2]} ({lost}), ×{by_family[wider][1]:.3f} ({wider})"
                )


def load(folder: Path) -> list[Record]:
    return [
        json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines() if line
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where the tables are kept")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--seconds", type=float, default=60, help="stop after so long by the clock (default: 60)")
    parser.add_argument("--repeats", type=int, default=1000, help="rounds over all cells and families")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--families", choices=("test", "guided", "all"), default="all")
    parser.add_argument("--only", nargs="+", choices=(*GUIDED, *TEST_ONLY), help="these families alone")
    parser.add_argument("--cells", nargs="+", metavar="K,N", help="these cells alone, as 10,200")
    parser.add_argument("--ablation", action="store_true", help="try each table with every part switched off in turn")
    parser.add_argument("--parts", nargs="+", choices=tuple(VARIANTS)[1:], help="an ablation of these parts alone")
    parser.add_argument("--summary", action="store_true", help="summarize what is in the folder and try nothing")
    parser.add_argument("--fewest", type=int, default=60, help="tables that a worst cell has at least (default: 60)")
    options = parser.parse_args()
    options.ablation = options.ablation or options.parts is not None
    options.folder.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + options.seconds
    if not options.summary:
        families = options.only or {"test": TEST_ONLY, "guided": GUIDED, "all": (*GUIDED, *TEST_ONLY)}[options.families]
        wanted = {tuple(map(int, cell.split(","))) for cell in options.cells or ()}
        variants = ("whole", *(options.parts or tuple(VARIANTS)[1:])) if options.ablation else ("whole",)
        done = {key(record) for record in load(options.folder)}
        todo = (
            task
            for task in tasks(variants=variants, families=families, seed=options.seed, repeats=options.repeats)
            if key(task) not in done and (not wanted or (task["k"], task["n"]) in wanted)
        )
        path = options.folder / f"{'ablation' if options.ablation else 'cells'}-{os.getpid()}.jsonl"
        with path.open("a") as file, multiprocessing.get_context("fork").Pool(options.workers) as pool:
            waiting: list[Any] = []
            for task in todo:
                waiting.append(pool.apply_async(measure_table, (task,)))
                while len(waiting) >= 4 * options.workers and time.monotonic() < deadline:
                    ready = [each for each in waiting if each.ready()]
                    waiting = [each for each in waiting if not each.ready()]
                    for each in ready:
                        file.write(json.dumps(each.get()) + "\n")
                    if not ready:
                        time.sleep(0.002)
                if time.monotonic() >= deadline:
                    break
            for each in waiting:
                if time.monotonic() < deadline or each.ready():
                    each.wait(max(0.0, deadline - time.monotonic()))
                    if each.ready():
                        file.write(json.dumps(each.get()) + "\n")
            pool.terminate()
    records = load(options.folder)
    print("\n".join(summarize_ablation(records) if options.ablation else summarize(records, options.fewest)))


if __name__ == "__main__":
    main()

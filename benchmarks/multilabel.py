"""Speed of multi-label metrics and of clusterings against scikit-learn, as ratios in one run.

Run with ``make bench`` or ``.venv/bin/python benchmarks/multilabel.py``. Where scikit-learn would take minutes or hours
its time is extrapolated from a sample of the same work, and the line says so.
"""

import subprocess
import sys
import time

import numpy as np
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_mutual_info_score, mutual_info_score
from timing import best, peak_mebibytes, show, sized

import infoscope as ifs
from infoscope.metrics.chance import expected_information
from infoscope.studies.multilabel_measures import assign_categories, permuted_proficiency, proficiency, sum_categories
from infoscope.tables.label_sets import LabelSets, align_label_sets

OBJECTS, CATEGORIES, PER_OBJECT = sized(100_000, 500), sized(1000, 20), 4
PEER_PAIRS = 12


def label_sets(rng: np.random.Generator, noise: float) -> tuple[csr_array, csr_array]:
    shares = 1 / np.arange(1, CATEGORIES + 1)
    rows = np.repeat(np.arange(OBJECTS), PER_OBJECT)
    truth = rng.choice(CATEGORIES, size=len(rows), p=shares / shares.sum())
    system = np.where(rng.random(len(rows)) < noise, rng.integers(CATEGORIES, size=len(rows)), truth)
    made = []
    for columns in (truth, system):
        matrix = csr_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(OBJECTS, CATEGORIES))
        matrix.sum_duplicates()
        matrix.data[:] = 1
        made.append(matrix)
    return made[0], made[1]


def both_proficiencies(truth: csr_array, system: csr_array) -> tuple[float, float]:
    pair = align_label_sets(LabelSets.from_indicator(truth), LabelSets.from_indicator(system))
    sums = sum_categories(pair, assign_categories(pair, pair.joint_counts()))
    return float(proficiency(sums)), float(permuted_proficiency(sums))


def proficiencies_of_many_categories(rng: np.random.Generator) -> None:
    truth, system = label_sets(rng, 0.3)
    before = peak_mebibytes()
    ours = best(lambda: both_proficiencies(truth, system), 3)
    memory = peak_mebibytes() - before
    columns = [truth[:, [at]].toarray().ravel() for at in range(PEER_PAIRS)]
    others = [system[:, [at]].toarray().ravel() for at in range(PEER_PAIRS)]
    pairs = list(zip(columns, others, strict=True))
    one = best(lambda: [mutual_info_score(a, b) for a, b in pairs], 2) / PEER_PAIRS
    what = "α and α', 10^5 objects × 1000 categories"
    show(what, ours, one * CATEGORIES**2, peer="scikit-learn", wanted=1000)
    print(f"  scikit-learn: {one * 1e3:.1f} ms a pair, {PEER_PAIRS} pairs timed, extrapolated to 10^6 pairs")
    print(f"  memory above the input: {memory:.0f} MiB (promised below 2048)")


def adjusted_information(rng: np.random.Generator) -> None:
    truth, system = rng.integers(sized(1000, 30), size=(2, sized(1_000_000, 5000)))
    values: dict[str, float] = {}

    def mine() -> None:
        table = ifs.Contingency.from_labels(truth, system, labels="own")
        values["ours"] = float(ifs.metrics.adjusted_mutual_information(table))

    ours = best(mine, 3)
    # scikit-learn's cost is one step for each possible count of each pair of groups: Σ min(a_i, b_j)
    few = sized(200_000, 1000)
    few_truth, few_system = truth[:few], system[:few]
    theirs = best(lambda: adjusted_mutual_info_score(few_truth, few_system), 1)
    steps, few_steps = (_steps(a, b) for a, b in ((truth, system), (few_truth, few_system)))
    show(
        "AMI, 10^6 items, 1000 × 1000 groups, table included",
        ours,
        theirs * steps / few_steps,
        peer="scikit-learn",
        wanted=50,
    )
    print(
        f"  scikit-learn: 2·10^5 items timed ({theirs:.1f} s), extrapolated by {steps / few_steps:.1f} times the steps"
    )
    small_truth = truth[:20_000] % 50
    small_system = np.where(rng.random(len(small_truth)) < 0.5, small_truth, 0)
    mine_small = float(
        ifs.metrics.adjusted_mutual_information(ifs.Contingency.from_labels(small_truth, small_system, labels="own"))
    )
    gap = abs(mine_small - adjusted_mutual_info_score(small_truth, small_system))
    print(f"  difference to scikit-learn at 2·10^4 items: {gap:.1e}")


def _steps(truth: np.ndarray, system: np.ndarray) -> float:
    return float(np.minimum.outer(np.bincount(truth), np.bincount(system)).sum())


def skewed_groups(rng: np.random.Generator) -> None:
    shares = 1 / np.arange(1, 1001)
    truth, system = (rng.choice(1000, size=sized(1_000_000, 5000), p=shares / shares.sum()) for _ in range(2))
    margins = [np.bincount(side).astype(float) for side in (truth, system)]
    ours = best(lambda: expected_information(*margins), 2)
    sizes = " × ".join(str(len(np.unique(margin))) for margin in margins)
    print(f"  expected information of Zipf groups, {sizes} distinct sizes: {ours * 1e3:.0f} ms")


def a_million_groups() -> None:
    """In a process of its own, so that the memory is its own."""
    code = """
import resource, time
import numpy as np
import infoscope as ifs
from infoscope.studies.clustering import splits_and_merges
rng = np.random.default_rng(0)
truth = rng.integers(GROUPS, size=10 * GROUPS)
system = np.where(rng.random(len(truth)) < 0.7, truth, rng.integers(GROUPS, size=len(truth)))
before = time.perf_counter()
table = ifs.Contingency.from_labels(truth, system, labels="own")
ami = float(ifs.metrics.adjusted_mutual_information(table))
took = time.perf_counter() - before
found = splits_and_merges(table)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(f"AMI, 10^7 items, 10^6 × 10^6 groups, table included: {took:.1f} s (promised 60), AMI {ami:.4f}")
rest = time.perf_counter() - before - took
print(f"  peak {peak:.2f} GiB, input included (promised 4); splits and merges {rest:.1f} s")
"""
    subprocess.run([sys.executable, "-c", f"GROUPS = {sized(10**6, 1000)}\n{code}"], check=True)


def main() -> None:
    rng = np.random.default_rng(0)
    start = time.perf_counter()
    proficiencies_of_many_categories(rng)
    adjusted_information(rng)
    skewed_groups(rng)
    a_million_groups()
    print(f"{time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    main()

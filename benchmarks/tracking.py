"""File to all metrics: Infoscope against TrackEval, interleaved in one run, CPU seconds, best of several.

    python benchmarks/tracking.py [repeats]

Both read the same MOTChallenge files and compute HOTA, CLEAR and Identity; Infoscope also the ledger, the seven
continuity metrics and every interval. The figures are first checked to be equal to 1e-9. TrackEval's importing and
printing are not counted, nor is our importing.
"""

import contextlib
import functools
import importlib.util
import io
import sys
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.optimize
import scipy.sparse.csgraph  # noqa: F401 - loaded before the clock starts, as TrackEval's own imports are
from timing import show, sized

from infoscope import tracking

FRAMES = sized(1000, 10)
NAMES = {
    "HOTA": {"HOTA": "hota", "DetA": "deta", "AssA": "assa", "LocA": "loca"},
    "CLEAR": {"MOTA": "mota", "MOTP": "motp", "IDSW": "id_switches", "Frag": "fragmentations", "MT": "mostly_tracked"},
    "Identity": {"IDF1": "idf1", "IDP": "idp", "IDR": "idr"},
}


def scene(area: tuple[int, int], frames: int, objects: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """Objects that walk about and bounce off the walls; a tracker with misses, lost ids, noise and false boxes."""
    rng = np.random.default_rng(0)
    walls = np.array(area)
    start, speed = rng.uniform(0, 1, (objects, 2)) * walls, rng.normal(0, 3, (objects, 2))
    size = np.column_stack([rng.uniform(30, 60, objects), rng.uniform(70, 130, objects)])
    at, which = np.divmod(np.arange(frames * objects), objects)
    walked = start[which] + speed[which] * at[:, None]
    boxes = np.hstack([np.abs((walked + walls) % (2 * walls) - walls), size[which]])
    truth = np.column_stack([at + 1, which + 1, boxes])
    epoch = np.cumsum(rng.random((frames, objects)) < 0.025, axis=0)
    tracks = truth.copy()
    tracks[:, 1] = np.unique(which * frames + epoch.ravel(), return_inverse=True)[1] + 1
    tracks[:, 2:] += rng.normal(0, 2.5, (len(tracks), 4))
    tracks = tracks[rng.random(len(tracks)) > 0.08]
    false = rng.permutation(len(tracks))[: len(tracks) // 33]
    stray = tracks[false] + [0, 1e5, 0, 0, 0, 0]
    stray[:, 1] = 1e5 + np.arange(len(stray)) // 50
    stray[:, 2:4] = rng.uniform(0, 1, (len(stray), 2)) * walls
    first = np.unique(stray[:, :2], axis=0, return_index=True)[1]
    return truth, np.vstack([tracks, stray[first]])


def write(rows: np.ndarray, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    tail = np.column_stack([np.ones(len(rows)), -np.ones((len(rows), 3))])
    np.savetxt(path, np.hstack([rows, tail]), fmt="%d,%d,%.2f,%.2f,%.2f,%.2f,%d,%d,%d,%d")


def peer(folder: Path, frames: int) -> Callable[[], dict[str, Any]]:
    """TrackEval on the same files, silenced."""
    import trackeval  # noqa: PLC0415 - a peer, and only where it is installed

    silent = ("PRINT_RESULTS", "PRINT_CONFIG", "TIME_PROGRESS", "OUTPUT_SUMMARY", "OUTPUT_DETAILED", "PLOT_CURVES",
              "OUTPUT_EMPTY_CLASSES")  # fmt: skip
    quiet = dict.fromkeys(silent, False) | {"LOG_ON_ERROR": None}
    where = {
        "GT_FOLDER": str(folder / "truth"), "TRACKERS_FOLDER": str(folder / "trackers"), "OUTPUT_FOLDER": str(folder),
        "BENCHMARK": "MOT15", "SKIP_SPLIT_FOL": True, "DO_PREPROC": False, "PRINT_CONFIG": False,
        "SEQ_INFO": {"scene": frames}, "TRACKERS_TO_EVAL": ["peer"],
    }  # fmt: skip

    def run() -> dict[str, Any]:
        with contextlib.redirect_stdout(io.StringIO()):
            metrics = [trackeval.metrics.HOTA(), trackeval.metrics.CLEAR({"PRINT_CONFIG": False}),
                       trackeval.metrics.Identity({"PRINT_CONFIG": False})]  # fmt: skip
            dataset = trackeval.datasets.MotChallenge2DBox(where)
            results, _ = trackeval.Evaluator(quiet).evaluate([dataset], metrics)
        return results["MotChallenge2DBox"]["peer"]["COMBINED_SEQ"]["pedestrian"]

    return run


def seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.process_time()
    result = run()
    return time.process_time() - begin, result


def check_equal(expected: dict[str, Any], found: dict[str, Any]) -> float:
    apart = [
        abs(float(np.mean(expected[family][theirs])) - found[ours].value)
        for family, names in NAMES.items()
        for theirs, ours in names.items()
    ]
    if max(apart) > 1e-9:
        raise SystemExit(f"the figures differ by up to {max(apart):.2g}")
    return max(apart)


def main(repeats: int) -> None:
    warnings.simplefilter("ignore")
    for name, (area, wanted) in {"sparse": ((8000, 4500), 12.0), "crowded": ((1600, 900), 8.0)}.items():
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            truth, tracks = scene(area, FRAMES)
            paths = folder / "truth" / "scene" / "gt" / "gt.txt", folder / "trackers" / "peer" / "data" / "scene.txt"
            for rows, path in zip((truth, tracks), paths, strict=True):
                write(rows, path)
            evaluate, other = functools.partial(tracking.evaluate, *paths), peer(folder, FRAMES)
            evaluate()
            ours, theirs = [], []
            for _ in range(repeats):
                spent, result = seconds(evaluate)
                ours.append(spent)
                spent, expected = seconds(other)
                theirs.append(spent)
            apart = check_equal(expected, dict(result.systems[0].metrics))
            tracemalloc.start()
            evaluate()
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        boxes = len(truth) + len(tracks)
        show(
            f"track, {name} scene: {FRAMES} frames × 100 objects",
            min(ours),
            min(theirs),
            peer="TrackEval",
            wanted=wanted,
        )
        memory = f"peak memory {peak / 2**20:.0f} MiB, {peak / boxes:.0f} bytes a box"
        print(f"    figures apart by at most {apart:.1g}; {memory}")


if __name__ == "__main__":
    if importlib.util.find_spec("trackeval") is None:
        sys.exit("the peer is not installed: pip install trackeval")
    main(int(sys.argv[1]) if len(sys.argv) > 1 else sized(3, 1))

"""The page of a run: figures beside the peers', growth as tables and pictures, the GPU, and all that was printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from tools.bench.run import Run

__all__ = ["page", "write"]

PICTURES = "benchmarks"
BUSY = 2.0
"""A load from which other work disturbs."""
GPU_PAGE = Path(__file__).parents[2] / "docs" / "contributors" / "gpu.md"
Record = dict[str, Any]
PARTS = {
    "rows": ("Rows", "A table of 100 classes from two arrays of integers, by rows; processor time."),
    "classes": (
        "Classes",
        "Every metric of a full table, by classes; processor time. PyCM computes its own set of metrics.",
    ),
    "draws": (
        "Draws",
        "The mutual information of tables drawn from the posterior of a table of ten classes; processor time.",
    ),
    "workers": ("Workers", "A Parquet file of 10⁷ rows of text labels, by threads; wall-clock time."),
}
HEAD = """\
# Benchmarks

How fast Infoscope is, compared with packages that do the same, and how its cost grows with rows, classes, draws and
workers. `make bench` measures everything and writes this page; `make bench ONLY=growth` repeats a part:

```text
make bench ONLY=growth
```

Both sides of a ratio were measured in the same process, one after the other. “Processor time” is the sum over all
cores, best of several runs.
"""


def write(runs: Sequence[Run], docs: Path) -> None:
    """The page and its pictures under a folder."""
    folder = docs / PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        if points := _points(runs, part):
            _picture(points, part, folder / f"growth-{part}.svg")
    if ratios := [record for record in _records(runs, "ratio") if record["theirs"] > 0]:
        _ratios_picture(ratios, folder / "ratios.svg")
    (docs / "benchmarks.md").write_text(page(runs), encoding="utf-8")


def page(runs: Sequence[Run]) -> str:
    """The page in Markdown."""
    return "\n".join([HEAD, *_machine(runs), *_beside(runs), *_growth(runs), *_gpu(), *_printed(runs)]).rstrip() + "\n"


def _records(runs: Sequence[Run], kind: str) -> list[Record]:
    return [record for run in runs for record in run.records if record["kind"] == kind]


def _machine(runs: Sequence[Run]) -> Iterator[str]:
    if any(run.briefly for run in runs):
        yield "**A trial with little data, only to see that it runs: these figures mean nothing.**\n"
    for machine in dict.fromkeys(run.machine for run in runs):
        own = [run for run in runs if run.machine == machine]
        days = sorted({run.date for run in own})
        when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
        load = f"{min(run.load for run in own):.1f} to {max(run.load for run in own):.1f}"
        yield f"**Machine:** {machine}; {when}; load {load} before each benchmark.\n"
    if busy := [run.name for run in runs if run.load > BUSY]:
        yield (
            f"**The machine was busy** before {', '.join(busy)}: wall-clock times there are too long, and "
            "ratios are rough. Run `make bench` on a quiet machine to write this page again.\n"
        )
    for versions in dict.fromkeys(run.versions for run in runs):
        yield f"**Versions:** {versions}.\n"


def _beside(runs: Sequence[Run]) -> Iterator[str]:
    ratios, figures = _records(runs, "ratio"), _records(runs, "figure")
    if not ratios and not figures:
        return
    yield "## Compared with other packages\n"
    if ratios:
        yield "![How many times faster than the other package.](benchmarks/ratios.svg)\n"
        yield "| what | Infoscope | other package | its time | times faster |\n|---|---:|---|---:|---:|"
        for record in ratios:
            ours, theirs = record["ours"], record["theirs"]
            cells = (_cell(record["what"]), _time(ours), record["peer"], _time(theirs), _times(theirs / ours))
            yield f"| {' | '.join(cells)} |"
        yield ""
    if figures:
        yield "| what | figure |\n|---|---|"
        yield from (f"| {_cell(record['what'])} | {_cell(record['figure'])} |" for record in figures)
        yield ""


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


_UNITS = ((1e6, "µs"), (1e3, "ms"), (1.0, "s"))


def _time(seconds: float) -> str:
    """With three digits, in the unit that fits.

    >>> _time(0.000004), _time(0.0321), _time(12.3)
    ('4.00 µs', '32.1 ms', '12.3 s')
    """
    value, unit = next(
        (seconds * factor, unit) for factor, unit in _UNITS if seconds * factor < 1000 or unit == _UNITS[-1][1]
    )
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} {unit}"


def _times(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"


def _points(runs: Sequence[Run], part: str) -> dict[str, dict[float, float]]:
    found: dict[str, dict[float, float]] = {}
    for record in _records(runs, "growth"):
        if record["part"] == part:
            found.setdefault(record["series"], {})[record["size"]] = record["seconds"]
    return found


def _growth(runs: Sequence[Run]) -> Iterator[str]:
    yield "## How the cost grows\n"
    for part, (title, says) in PARTS.items():
        points = _points(runs, part)
        if not points:
            continue
        yield f"### {title}\n\n{says}\n"
        yield f"![Seconds over {part}, logarithmic on both axes.](benchmarks/growth-{part}.svg)\n"
        sizes = sorted({size for series in points.values() for size in series})
        yield f"| {part} | {' | '.join(points)} |\n|---:|{'---:|' * len(points)}"
        for size in sizes:
            cells = [_time(series[size]) if size in series else "" for series in points.values()]
            yield f"| {size:,.0f} | {' | '.join(cells)} |"
        yield ""


def _gpu() -> Iterator[str]:
    """The main table of the page that benchmarks/gpu.py wrote on a machine with a GPU."""
    text = GPU_PAGE.read_text(encoding="utf-8")
    machine = text.partition(" on one ")[2].partition(")")[0].replace("\n", " ") + ")"
    title, _, rest = text.partition("\n## 2")[2].partition("\n")
    rows = [
        line.strip("| ").split(" | ")
        for line in rest.strip().split("\n\n")[0].splitlines()
        if not line.startswith("| ---")
    ]
    kept = [
        at
        for at, name in enumerate(rows[0])
        if name in ("classes", "labels", "right", "TorchMetrics", "Counter", "faster")
    ]
    yield f"## On a GPU\n\n2{title}, on one {machine}. All figures: [counting on a GPU](gpu.md).\n"
    for at, row in enumerate(rows):
        yield f"| {' | '.join(row[column] for column in kept)} |"
        if at == 0:
            yield "|" + "---:|" * len(kept)
    yield ""


def _printed(runs: Sequence[Run]) -> Iterator[str]:
    yield "## Complete output\n"
    for run in runs:
        how = "" if run.status == 0 else f", **failed with status {run.status}**"
        yield f"### {run.name}\n\n{run.seconds:.0f} s{how}, load {run.load:.1f} before it.\n"
        yield f"```text\n{run.output.rstrip() or '(nothing)'}\n```\n"


def _axes(wide: float, high: float) -> tuple[Any, Axes]:
    mpl.rcParams["svg.hashsalt"] = "benchmarks"
    mpl.rcParams["font.size"] = 9
    figure, axes = plt.subplots(figsize=(wide, high))
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _saved(figure: Any, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


COLOURS = ("#1f6fb2", "#c0562b", "#5a8f3d", "#7d5ba6")


def _picture(points: dict[str, dict[float, float]], part: str, path: Path) -> None:
    """Time over size, both logarithmic; each series is named at its last point."""
    figure, axes = _axes(6.4, 3.4)
    for colour, (name, series) in zip(COLOURS, points.items(), strict=False):
        sizes = sorted(series)
        axes.plot(sizes, [series[size] for size in sizes], marker="o", ms=4, lw=1.6, color=colour, label=name)
    axes.set(xscale="log", yscale="log", xlabel=part, ylabel="seconds")
    axes.grid(color="#e4e7ec", lw=0.6)
    axes.legend(frameon=False)
    if part == "workers":
        sizes = sorted({size for series in points.values() for size in series})
        axes.set_xticks(sizes, [f"{size:.0f}" for size in sizes])
        axes.minorticks_off()
    _saved(figure, path)


def _ratios_picture(ratios: Sequence[Record], path: Path) -> None:
    """One bar per line of the table, the slowest peer on top."""
    ordered = sorted(ratios, key=lambda record: record["theirs"] / record["ours"])
    figure, axes = _axes(8, 0.6 + 0.3 * len(ordered))
    names = [f"{_cell(record['what'])} ({record['peer']})" for record in ordered]
    values = [record["theirs"] / record["ours"] for record in ordered]
    axes.barh(names, values, color=COLOURS[0], height=0.6)
    for at, value in enumerate(values):
        axes.annotate(f"{_times(value)}×", (value, at), xytext=(4, 0), textcoords="offset points", va="center")
    axes.set(xscale="log", xlabel="times faster than the other package")
    axes.axvline(1, color="#5a6070", lw=1)
    axes.set_xlim(right=max(values) * 4)
    _saved(figure, path)

"""The figures of benchmarks/calibration.py: text, a table of docs/contributors/intervals.md, a picture beside it."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binom, kstest, norm

__all__ = ["printed", "written"]

DOCS = Path(__file__).parents[1] / "docs"
PAGE, PICTURE = DOCS / "contributors" / "intervals.md", DOCS / "contributors" / "calibration.svg"
BEGIN, END = "<!-- calibration: begin -->", "<!-- calibration: end -->"
SHORT = {
    "mutual_information": "I",
    "proficiency": "proficiency",
    "false_information_ratio": "r",
    "erroneous_information_ratio": "S_I/H(T)",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "macro_f1": "macro F1",
    "mcc": "MCC",
}
PROMISED, BAND = 0.95, (0.93, 0.97)
MOST_FALSE_PASSES, MOST_CLAIMS = 0.03, 0.05
RISK = 0.05  # of naming any cell that is within the limits
Record = dict[str, Any]


def _groups(records: Sequence[Record], key: Callable[[Record], Any]) -> dict[Any, list[Record]]:
    out: dict[Any, list[Record]] = {}
    for record in records:
        out.setdefault(key(record), []).append(record)
    return dict(sorted(out.items()))


def _places(records: Sequence[Record], metric: str) -> np.ndarray:
    return np.array([record["places"][metric] for record in records if metric in record["places"]])


def _coverage(places: np.ndarray, digits: int = 2) -> str:
    return _short(float((np.abs(places) <= 1).mean()), digits) if places.size else "–"


def _short(share: float, digits: int = 2) -> str:
    return f"{share:.{digits}f}".removeprefix("0")


def _share(pairs: Sequence[Sequence[int]]) -> str:
    held, asked = (sum(pair[i] for pair in pairs) for i in (0, 1))
    return _short(held / asked) if asked else "–"


def _width(places: np.ndarray) -> float:
    """Return the width of intervals relative to those that would hold exactly 95 %."""
    return float(1 / max(np.quantile(np.abs(places), 0.95), 1e-9))


def _table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cells(records: Sequence[Record]) -> Iterator[list[str]]:
    for (k, n), group in _groups(records, lambda r: (r["k"], r["n"])).items():
        places = [_places(group, metric) for metric in SHORT]
        classes = [_share([r["classes"][name] for r in group]) for name in ("recall", "precision")]
        low = np.mean(_places(group, "proficiency") < -1)
        width = np.median([_width(p) for p in places if p.size])
        yield [f"{k}, {n} ({len(group)})", *map(_coverage, places), *classes, f"{low:.3f}", f"{width:.2f}"]


def _families(records: Sequence[Record], key: str) -> Iterator[list[str]]:
    for name, group in _groups(records, lambda r: str(r[key])).items():
        places = [_places(group, metric) for metric in SHORT]
        yield [f"{name} ({len(group)})", *map(_coverage, places)]


def _unseen(records: Sequence[Record]) -> Iterator[list[str]]:
    for (k, n), group in _groups([r for r in records if r["warned"]], lambda r: (r["k"], r["n"])).items():
        yield [f"{k}, {n} ({len(group)})", *(_coverage(_places(group, metric)) for metric in SHORT)]


def _pairs(records: Sequence[Record]) -> Iterator[list[str]]:
    for (k, n), group in _groups(records, lambda r: (r["k"], r["n"])).items():
        cells = []
        for metric in ("proficiency", "accuracy"):
            said = [r["claims"][metric] for r in group if metric in r["claims"]]
            pairs = sum(s[1] for s in said)
            spread = np.std([s[0] / s[1] for s in said], ddof=1) / np.sqrt(len(said)) if len(said) > 1 else np.nan
            cells.append(f"{sum(s[0] for s in said) / max(pairs, 1):.3f} ± {spread:.3f} of {pairs}")
            cells.append(f"{sum(s[2] for s in said)} of {len(said)}")
        yield [f"{k}, {n}", *cells]


def _models(records: Sequence[Record]) -> Iterator[list[str]]:
    for name in records[0]["ranks"] if records else ():
        ranks = np.array([r["ranks"][name] for r in records])
        tails = [(ranks <= 0.05).mean(), (ranks >= 0.95).mean()]
        yield [f"{name} ({len(ranks)})", *map(_short, (ranks.mean(), *tails, kstest(ranks, "uniform").pvalue))]


def _overall(parts: dict[str, list[Record]]) -> str:
    """The whole grid in a sentence."""
    tables = parts["interval"]
    shares = ", ".join(f"{name} {_coverage(_places(tables, metric), 3)}" for metric, name in SHORT.items())
    classes = [_share([r["classes"][name] for r in tables]) for name in ("recall", "precision")]
    low = float(np.mean(_places(tables, "proficiency") < -1))
    widths = [_width(places) for metric in SHORT if (places := _places(tables, metric)).size]
    claims = [
        np.mean([r["claims"][metric][0] / r["claims"][metric][1] for r in parts["pair"] if metric in r["claims"]])
        for metric in ("proficiency", "accuracy")
    ]
    return (
        f"Over all {len(tables):,} tables: {shares}; recall {classes[0]} and precision {classes[1]} per class; false "
        f"passes {low:.3f}; false claims about pairs {claims[0]:.3f} in proficiency and {claims[1]:.3f} in accuracy; "
        f"intervals {min(widths):.2f} to {max(widths):.2f} times as wide as needed."
    )


def _holm(found: Sequence[tuple[str, float]], tests: int) -> str:
    """Tests that are significant after Holm's correction for this many, with their corrected P."""
    said, worst = [], 0.0
    for at, (name, p) in enumerate(sorted(found, key=lambda each: each[1])):
        worst = max(worst, p * (tests - at))
        if worst > RISK:
            break
        said.append(f"{name} (P = {worst:.2g})")
    return ", ".join(said) or "none"


def _beyond_chance(parts: dict[str, list[Record]]) -> str:
    """List the cells outside the goals, the number expected there by chance, and those there beyond chance."""
    cells = _groups(parts["interval"], lambda r: (r["k"], r["n"]))
    held = {
        f"{k} × {n} {name}": (int((np.abs(places) <= 1).sum()), places.size)
        for (k, n), group in cells.items()
        for metric, name in SHORT.items()
        if (places := _places(group, metric)).size
    }
    low, high = BAND
    outside = sum(not low <= x / m <= high for x, m in held.values())
    by_chance = sum(1 - _within(m, PROMISED) for _, m in held.values())
    below = [(f"{name} {_short(x / m)}", float(binom.cdf(x, m, low))) for name, (x, m) in held.items()]
    above = [(f"{name} {_short(x / m)}", float(binom.sf(x - 1, m, high))) for name, (x, m) in held.items()]
    passes = {
        f"{k} × {n}": (int((places < -1).sum()), places.size)
        for (k, n), group in cells.items()
        if (places := _places(group, "proficiency")).size
    }
    loose = sum(x / m > MOST_FALSE_PASSES for x, m in passes.values())
    loose_by_chance = sum(float(binom.sf(np.floor(MOST_FALSE_PASSES * m), m, 0.025)) for _, m in passes.values())
    by_gate = [(f"{name} {x / m:.3f}", float(binom.sf(x - 1, m, MOST_FALSE_PASSES))) for name, (x, m) in passes.items()]
    claims = [(f"{k} × {n} {metric} {mean:.3f}", p) for k, n, metric, mean, p in _claims_too_often(parts["pair"])]
    return (
        f"{outside} of the {len(held)} pairs of cell and metric are outside .93 to .97; chance alone would put "
        f"{by_chance:.0f} there if every interval held in .95. Exact binomial tests against .93 and .97, with Holm's "
        f"correction over both sides of all pairs (risk of any false one 5 %), find outside: "
        f"{_holm([*below, *above], 2 * len(held))}. Gates pass falsely more often than .03 in {loose} of "
        f"{len(passes)} cells, where chance would put {loose_by_chance:.0f} if the rate were .025; by exact binomial "
        f"tests against .03: {_holm(by_gate, len(by_gate))}. False claims about pairs above .05, by their standard "
        f"error over sets of four: {_holm(claims, len(claims))}."
    )


def _within(m: int, rate: float) -> float:
    """Probability that a share of m is within the band if each succeeds at this rate."""
    low, high = BAND
    shares = np.arange(m + 1) / m
    return float(binom.pmf(np.flatnonzero((shares >= low) & (shares <= high)), m, rate).sum())


def _claims_too_often(records: Sequence[Record]) -> Iterator[tuple[int, int, str, float, float]]:
    """Classes, samples, metric, share of false claims, and P of so many or more if pairs are claimed in .05."""
    for (k, n), group in _groups(records, lambda r: (r["k"], r["n"])).items():
        for metric in ("proficiency", "accuracy"):
            shares = np.array([r["claims"][metric][0] / r["claims"][metric][1] for r in group if metric in r["claims"]])
            if shares.size > 1 and (error := shares.std(ddof=1) / np.sqrt(shares.size)) > 0:
                yield k, n, metric, shares.mean(), float(norm.sf((shares.mean() - MOST_CLAIMS) / error))


def _sections(records: Sequence[Record]) -> str:
    parts = {
        name: [r for r in records if r["part"] == name and "skipped" not in r]
        for name in ("interval", "pair", "unseen", "model")
    }
    head = [*SHORT.values()]
    out = [
        _overall(parts) if parts["interval"] and parts["pair"] else "No pairs were tried.",
        _beyond_chance(parts),
        _table(
            [
                "classes, samples (tables)",
                *head,
                "recall",
                "precision",
                "false passes of a gate",
                "width / needed",
            ],
            iter(_cells(parts["interval"])),
        ),
        "By family, all sizes together:",
        _table(["family (tables)", *head], _families(parts["interval"], "family")),
        "By prevalence, and by whether the system abstains:",
        _table(["prevalence (tables)", *head], _families(parts["interval"], "prevalence")),
        _table(["abstains (tables)", *head], _families(parts["interval"], "abstains")),
        "With classes that neither occur nor are declared, which a finding reports. I, macro F1 and other metrics that "
        "depend on the number of classes are therefore shown without an interval:",
        _table(["classes, samples (tables)", *head], _unseen(parts["unseen"])),
        "Equal systems that were declared different (nominal .05): fraction of the six pairs of four systems, with the "
        "standard error over sets of four, and sets of four with any false claim:",
        _table(
            ["classes, samples", "pairs, proficiency", "any of four", "pairs, accuracy", "any of four"],
            _pairs(parts["pair"]),
        ),
        "Simulation-based calibration: ranks of the true value among the draws (expected mean .5, tails .05; p of "
        "the KS test):",
        _table(["level (tables)", "mean", "up to .05", "from .95", "p"], _models(parts["model"])),
    ]
    return "\n\n".join(out)


def printed(records: Sequence[Record]) -> str:
    """Everything as text."""
    return _sections(records)


def written(records: Sequence[Record]) -> None:
    """The tables between the marks in the page, and the picture."""
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{_sections(records)}\n\n{END}{after}", encoding="utf-8")
    _picture([r for r in records if r["part"] == "interval"])


def _picture(records: Sequence[Record]) -> None:
    """Coverage by classes, one panel per sample size."""
    import matplotlib as mpl  # noqa: PLC0415 - only for the picture

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "calibration"
    from matplotlib import pyplot as plt  # noqa: PLC0415 - only for the picture

    panels = _groups(records, lambda r: r["n"])
    figure, axes = plt.subplots(1, len(panels), figsize=(11, 3.2), sharey=True)
    for axis, (n, of_n) in zip(axes, panels.items(), strict=True):
        by_k = _groups(of_n, lambda r: r["k"])
        axis.axhspan(0.93, 0.97, color="#dde8f0")
        axis.axhline(0.95, color="#8aa", lw=0.8)
        for metric in ("mutual_information", "proficiency", "accuracy", "balanced_accuracy", "macro_f1", "mcc"):
            known = {k: places for k, group in by_k.items() if (places := _places(group, metric)).size}
            shares = [(np.abs(places) <= 1).mean() for places in known.values()]
            axis.plot(list(known), shares, marker="o", ms=3, lw=1, label=SHORT[metric])
        axis.set(xscale="log", title=f"{n} samples", xlabel="classes", ylim=(0.8, 1.005), xticks=list(by_k))
        crowded = {k for before, k in pairwise(by_k) if k < 1.6 * before}
        axis.set_xticklabels(["" if k in crowded else str(k) for k in by_k])
        axis.minorticks_off()
    axes[0].set_ylabel("95 % intervals that hold")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center", fontsize=7, frameon=False)
    figure.tight_layout(rect=(0, 0, 0.88, 1))
    figure.savefig(PICTURE, metadata={"Date": None})
    plt.close(figure)

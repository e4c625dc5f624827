"""Show a calibration: whether the probabilities are too certain, what that costs, and the correction."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from infoscope.figures.comparison import ComparisonDisplay, ForestRow
from infoscope.figures.display import Display
from infoscope.reports.outline import Appendix, Column, Outline, Section, Table, Tile
from infoscope.reports.shared import tabulate
from infoscope.results.notation import Units, format_count
from infoscope.studies.calibration import Calibration


def _list_corrections(result: Calibration) -> dict[str, float | None]:
    """List the cross-entropy of the probabilities as they are and after each correction."""
    known = {"as they are": result.cross_entropy, f"raised to the power {result.sharpness:.3g}": result.sharpened}
    return known if result.ranked is None else known | {"after the best monotone correction": result.ranked}


def _make_display(result: Calibration) -> ComparisonDisplay:
    rows = [
        ForestRow(name, bits)
        for name, bits in _list_corrections(result).items()
        if bits is not None and np.isfinite(bits)
    ]
    return ComparisonDisplay(rows, "Cross-entropy, bits per sample", higher_is_better=False, noun="corrections")


PICTURES: dict[str, Callable[[Calibration], Display]] = {"corrections": _make_display}


def outline(result: Calibration, unit: Units) -> Outline:
    """Write the outline: the verdict, then the cross-entropy before and after each correction."""
    rows = tabulate(
        _list_corrections(result).items(),
        (Column("probabilities", "text"), lambda item: item[0]),
        (Column(f"cross-entropy, {unit.name} per sample"), lambda item: _format_bits(item[1], unit)),
        (Column("perplexity"), lambda item: _format_perplexity(item[1])),
    )
    advice = (
        f"Raise all probabilities to the power {result.sharpness:.3g} and normalise them: the cross-entropy is then "
        f"{_format_bits(result.sharpened, unit)} {unit.name} per sample."
    )
    lost = (
        f"{_format_bits(result.bits_lost, unit)} of {_format_bits(result.cross_entropy, unit)} {unit.name} of "
        "cross-entropy come from that."
    )
    headline = f"The probabilities are {result.verdict}: {lost}"
    if result.verdict == "calibrated":
        headline = (
            "The probabilities are calibrated: no common power of them leaves less than "
            f"{_format_bits(result.cross_entropy, unit)} {unit.name} of cross-entropy."
        )
    elif result.bits_lost is None or np.isinf(result.bits_lost):
        headline = f"The probabilities are {result.verdict}: a true class was given probability 0, an infinite loss."
    return Outline(
        title=f"The probabilities are {result.verdict}",
        kicker=("Calibration", f"{format_count(result.samples)} samples"),
        headline=headline,
        lede=[] if result.verdict == "calibrated" else [advice],
        tiles=[
            Tile(_format_bits(result.cross_entropy, unit), f"cross-entropy, {unit.name}"),
            Tile(_format_bits(result.bits_lost, unit), f"lost to calibration, {unit.name}"),
            Tile(f"{result.sharpness:.3g}", "best power", note="1 is calibrated"),
            Tile(_format_perplexity(result.cross_entropy), "perplexity", note="equally likely classes that remain"),
        ],
        sections=[Section("Cross-entropy", [Table(*rows, "Cross-entropy")], "cross-entropy")],
        appendix=Appendix(
            method=(
                "The best power is the one common exponent of all probabilities, normalised again, that leaves the "
                "least cross-entropy; below 1 the system is over-confident, above 1 under-confident.",
            )
        ),
    )


def _format_bits(value: float | None, unit: Units) -> str:
    return "∞" if value is None or np.isinf(value) else f"{value * unit.per_bit:.4f}"


def _format_perplexity(bits: float | None) -> str:
    return "∞" if bits is None or np.isinf(bits) else f"{np.exp2(bits):.3f}"

"""Show a calibration: whether the probabilities are too certain, what that costs, and the correction."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from infoscope.figures.comparison import ComparisonDisplay, ForestRow
from infoscope.figures.display import Display
from infoscope.reports.outline import Appendix, Column, Outline, Section, Table, Tile
from infoscope.reports.shared import tabulate
from infoscope.results.estimate import Estimate
from infoscope.results.notation import MetricNotation, Units, format_count, format_interval, format_share
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
    """Write the outline: the verdict, how far confidence is from accuracy, and what the correction is worth."""
    rows = tabulate(
        _list_corrections(result).items(),
        (Column("probabilities", "text"), lambda item: item[0]),
        (Column(f"cross-entropy, {unit.name} per sample"), lambda item: _format_bits(item[1], unit)),
        (Column("perplexity"), lambda item: _format_perplexity(item[1])),
    )
    stated, right = format_share(result.confidence), format_share(result.accuracy.value)
    confidence = f"they state {stated} on average for the predicted class, which is right in {right}"
    headline = f"The probabilities are {result.verdict}: {confidence}."
    if result.verdict == "calibrated":
        headline = f"The probabilities are neither over- nor under-confident as far as the sample tells: {confidence}."
    elif result.cross_entropy is None or np.isinf(result.cross_entropy):
        headline = f"The probabilities are {result.verdict}: a true class was given probability 0, an infinite loss."
    temperature = Estimate(
        1.0 / result.sharpness, low=_invert(result.sharpness_high), high=_invert(result.sharpness_low)
    )
    by_chance = format_share(result.calibration_error_by_chance)
    tiles = [
        Tile.from_estimate(result.accuracy, MetricNotation("accuracy"), "accuracy", f"confidence {stated}"),
        Tile(
            format_share(result.expected_calibration_error),
            "expected calibration error",
            note=f"{by_chance} if calibrated",
        ),
        Tile(
            f"{temperature.value:.3g}",
            "best temperature",
            format_interval(temperature, 1.0, 2),
            "1 if calibrated",
        ),
        Tile(
            _format_bits(result.cross_entropy, unit),
            f"cross-entropy, {unit.name}",
            note=f"{_format_bits(result.sharpened, unit)} corrected",
        ),
    ]
    return Outline(
        title=f"The probabilities are {result.verdict}",
        kicker=(f"{format_count(result.samples)} samples", "calibration"),
        headline=headline,
        tiles=tiles,
        sections=[Section("Corrections", [Table(*rows, "Cross-entropy")], "cross-entropy", folded=True)],
        appendix=Appendix(
            method=(
                "Temperature scaling raises all probabilities to the power 1 / temperature and normalises them: above "
                "1 the system is over-confident, below 1 under-confident. Its interval holds the temperatures that the "
                "likelihood-ratio test does not reject at 5%.",
                "The expected calibration error is over 15 bins of equal width; sampling alone keeps it above 0, so "
                "beside it stands what calibrated probabilities would show.",
            )
        ),
    )


def _invert(power: float | None) -> float | None:
    return None if power is None else 1.0 / power


def _format_bits(value: float | None, unit: Units) -> str:
    return "∞" if value is None or np.isinf(value) else f"{value * unit.per_bit:.4f}"


def _format_perplexity(bits: float | None) -> str:
    return "∞" if bits is None or np.isinf(bits) else f"{np.exp2(bits):.3f}"

"""What is shown of a calibration: whether the probabilities are too certain, what that costs, and the correction."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from infoscope.figures.comparison import ComparisonDisplay, ForestRow
from infoscope.figures.display import Display
from infoscope.reports.outline import Appendix, Column, Outline, Phrase, Section, Table, Tile
from infoscope.reports.shared import tabulate
from infoscope.results.notation import Units, format_count
from infoscope.studies.scores import Calibration


def _corrected(found: Calibration) -> dict[str, float | None]:
    """The cross-entropy of the probabilities as they are and after each correction."""
    known = {"as they are": found.cross_entropy, f"raised to the power {found.sharpness:.3g}": found.sharpened}
    return known if found.ranked is None else known | {"after the best monotone correction": found.ranked}


def _corrections(found: Calibration) -> ComparisonDisplay:
    rows = [ForestRow(name, bits) for name, bits in _corrected(found).items() if bits is not None and np.isfinite(bits)]
    return ComparisonDisplay(rows, "Cross-entropy, bits per sample", higher_is_better=False, noun="corrections")


PICTURES: dict[str, Callable[[Calibration], Display]] = {"corrections": _corrections}


def outline(found: Calibration, unit: Units) -> Outline:
    """The verdict first, then the cross-entropy before and after each correction."""
    rows = tabulate(
        _corrected(found).items(),
        (Column("probabilities", "text"), lambda each: each[0]),
        (Column(f"cross-entropy, {unit.name} per sample"), lambda each: _number(each[1], unit)),
        (Column("perplexity"), lambda each: _perplexity(each[1])),
    )
    return Outline(
        title=f"The probabilities are {found.verdict}",
        kicker=("Calibration", f"{format_count(found.samples)} samples"),
        headline=_headline(found, unit),
        lede=list(_lede(found, unit)),
        tiles=[
            Tile(_number(found.cross_entropy, unit), f"cross-entropy, {unit.name}"),
            Tile(_number(found.bits_lost, unit), f"lost to calibration, {unit.name}"),
            Tile(f"{found.sharpness:.3g}", "best power", note="1 is calibrated"),
            Tile(_perplexity(found.cross_entropy), "perplexity", note="equally likely classes that remain"),
        ],
        sections=[Section("Cross-entropy", [Table(*rows, "Cross-entropy")], "cross-entropy")],
        appendix=Appendix(
            method=(
                "The best power is the one common exponent of all probabilities, normalised again, that leaves the "
                "least cross-entropy; below 1 the system is over-confident, above 1 under-confident.",
            )
        ),
    )


def _number(value: float | None, unit: Units) -> str:
    return "∞" if value is None or np.isinf(value) else f"{value * unit.per_bit:.4f}"


def _perplexity(bits: float | None) -> str:
    return "∞" if bits is None or np.isinf(bits) else f"{np.exp2(bits):.3f}"


def _headline(found: Calibration, unit: Units) -> Phrase:
    if found.verdict == "calibrated":
        return (
            "The probabilities are calibrated: no common power of them leaves less than "
            f"{_number(found.cross_entropy, unit)} {unit.name} of cross-entropy."
        )
    if found.bits_lost is None or np.isinf(found.bits_lost):
        return f"The probabilities are {found.verdict}: a true class was given probability 0, an infinite loss."
    return (
        f"The probabilities are {found.verdict}: {_number(found.bits_lost, unit)} of "
        f"{_number(found.cross_entropy, unit)} {unit.name} of cross-entropy come from that."
    )


def _lede(found: Calibration, unit: Units) -> Iterator[Phrase]:
    if found.verdict != "calibrated":
        yield (
            f"Raise all probabilities to the power {found.sharpness:.3g} and normalise them: the cross-entropy is then "
            f"{_number(found.sharpened, unit)} {unit.name} per sample."
        )

"""The result document of a tracker evaluation: every number that will be shown, to JSON."""

import importlib
import importlib.util
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np

from infoscope.errors import InputError
from infoscope.tracking.comparing import Comparison
from infoscope.tracking.measures import captured_bits, curve, measures, values_of
from infoscope.tracking.preprocessing import Removal
from infoscope.tracking.sequence import Sequence
from infoscope.tracking.settings import Settings
from infoscope.tracking.tally import LEVELS, Tally, stack
from infoscope.tracking.tuning import GateSweep
from infoscope.tracking.uncertainty import Estimate, Spread

__all__ = ["LINES", "Origin", "System", "TrackingEvaluation", "ledger_lines", "renders", "track_accounts"]

LINES = ("truth", "captured", "missed", "confused", "fragmented", "spurious")

Renderer = Callable[..., Any]
_RENDERERS: dict[str, Renderer] = {}


def renders(form: str) -> Callable[[Renderer], Renderer]:
    """File a function as the renderer of a form; reports do this when they are loaded."""

    def file(renderer: Renderer) -> Renderer:
        _RENDERERS[form] = renderer
        return renderer

    return file


@dataclass(frozen=True)
class Origin:
    """What became of the input before anything was matched."""

    doubts: tuple[str, ...]
    removals: tuple[Removal, ...]
    set_aside: tuple[tuple[str, int], ...]
    extra: tuple[str, ...]

    def ignored(self) -> list[dict[str, Any]]:
        """Rows that were read but not evaluated, by reason."""
        system = sum(each.system_removed for each in self.removals)
        truth = sum(each.truth_removed for each in self.removals)
        rules = " and ".join(sorted({each.rules for each in self.removals} - {"off"}))
        by = f" ({rules} preprocessing)" if rules else ""
        reasons = [
            (f"system boxes on distractors{by}", system),
            (f"truth boxes marked or classed as not to be evaluated{by}", truth),
            *self.set_aside,
        ]
        return [{"reason": reason, "rows": rows} for reason, rows in reasons if rows]


@dataclass(frozen=True, eq=False)
class System:
    """One tracker: its sequences, its metrics with intervals, and where its input came from."""

    name: str
    settings: Settings
    sequences: tuple[Sequence, ...]
    estimates: Mapping[str, Estimate]
    spread: Spread
    origin: Origin

    @cached_property
    def total(self) -> Tally:
        """The sums over all sequences."""
        return stack([each.total for each in self.sequences]).total()

    @property
    def ledger(self) -> dict[str, float]:
        """Where the bits go, over all sequences."""
        return ledger_lines(self.total)

    def remarks(self) -> list[dict[str, Any]]:
        """What a reader should know before the numbers, as codes and sentences."""
        single = [each.name for each in self.sequences if len(each.tracks.truth.ids) == 1]
        found: list[tuple[str, str, dict[str, Any]]] = [("input_doubt", doubt, {}) for doubt in self.origin.doubts]
        found += [
            ("removed", f"{each['rows']} row{'s' * (each['rows'] != 1)} not evaluated: {each['reason']}.", each)
            for each in self.origin.ignored()
        ]
        if self.origin.extra:
            names = ", ".join(self.origin.extra[:5])
            found.append(("no_truth", f"Tracks without a truth were left out: {names}.", {}))
        if single:
            text = (
                f"{', '.join(single[:5])}: one truth track, so who-is-who has no information; captured and"
                " false shares are undefined there, and only spurious bits count."
            )
            found.append(("single_truth_track", text, {"sequences": single}))
        if self.spread.note:
            found.append(("interval", f"{self.spread.note[0].upper()}{self.spread.note[1:]}.", {}))
        return [{"code": code, "text": text, "evidence": evidence} for code, text, evidence in found]

    def to_dict(self) -> dict[str, Any]:
        """The system's part of the document."""
        reasons = {each.name: each.card.undefined for each in measures(self.settings.per)}
        return {
            "name": self.name,
            "n": int(self.total.truth_boxes),
            "truth_labels": [],
            "system_labels": [],
            "reject": None,
            "metrics": {name: _as_entry(estimate, reasons[name]) for name, estimate in self.estimates.items()},
            "ledger": self.ledger,
            "curve": {"level": LEVELS.round(2).tolist()}
            | {name: _numbers(values) for name, values in curve(self.total).items()},
            "interval": {
                "method": self.spread.method,
                "level": self.settings.level,
                "note": self.spread.note,
                "coverage": None if self.spread.coverage is None else self.spread.coverage.tolist(),
            },
            "sequences": [_sequence(each, self.settings.per, reasons) for each in self.sequences],
            "diagnosis": self.remarks(),
        }


@dataclass(frozen=True, eq=False)
class TrackingEvaluation:
    """Trackers on one truth: metrics with intervals, ledgers, sequences, tracks and differences."""

    settings: Settings
    systems: tuple[System, ...]
    comparison: Comparison | None = None
    sweeps: Mapping[str, GateSweep] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, in the form of the JSON contract."""
        first = self.systems[0]
        return {
            "schema": "infoscope/evaluation/1",
            "kind": "tracking",
            "source": {"rows": int(first.total.truth_boxes), "ignored": first.origin.ignored()},
            "settings": self.settings.to_dict() | {"convention": self.settings.describe()},
            "systems": [each.to_dict() for each in self.systems],
            **({"comparison": self.comparison.to_dict()} if self.comparison else {}),
            **({"gate_sweep": {name: each.to_dict() for name, each in self.sweeps.items()}} if self.sweeps else {}),
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """The document as JSON, always in bits; an undefined number is null with its reason."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_text(self, *, width: int = 100, unit: str = "bits") -> str:
        """A page for the terminal."""
        from infoscope.tracking.printing import as_text  # noqa: PLC0415 - the printer knows the document

        return as_text(self, width=width, unit=unit)

    def to_markdown(self, *, unit: str = "bits") -> str:
        """Tables for a pull request, an issue or a wiki."""
        from infoscope.tracking.printing import as_markdown  # noqa: PLC0415 - the printer knows the document

        return as_markdown(self, unit=unit)

    @overload
    def to_html(self, path: None = None, *, unit: str = "bits", force: bool = False) -> str: ...
    @overload
    def to_html(self, path: str | Path, *, unit: str = "bits", force: bool = False) -> Path: ...
    def to_html(self, path: str | Path | None = None, *, unit: str = "bits", force: bool = False) -> str | Path:
        """The report as one page that opens offline: its text, or the file that it was written to.

        A file that is no such page is replaced only by force.
        """
        importlib.import_module("infoscope").load_renderers("report.html.trackers")  # the one upward step
        if path is None:
            return str(_RENDERERS["html"](self, unit=unit))
        return Path(_RENDERERS["html file"](self, path, unit=unit, force=force))

    def to_frame(self) -> Any:
        """One row a system, one column a metric, as a pandas or polars data frame, whichever is installed."""
        rows = [
            {"system": each.name, "n": int(each.total.truth_boxes)}
            | {name: estimate.value for name, estimate in each.estimates.items()}
            for each in self.systems
        ]
        for package in ("pandas", "polars"):
            if importlib.util.find_spec(package) is not None:
                return importlib.import_module(package).DataFrame(rows)
        raise InputError("a data frame needs pandas or polars; install one of them, or use to_dict()")

    def __iter__(self) -> Iterator[System]:
        """System by system."""
        return iter(self.systems)

    def __getitem__(self, name: str) -> System:
        """The system of this name."""
        for system in self.systems:
            if system.name == name:
                return system
        raise KeyError(name)

    def _repr_html_(self) -> str:
        importlib.import_module("infoscope").load_renderers("report.tracker_cell")  # the one upward step
        return str(_RENDERERS["notebook"](self))

    def __repr__(self) -> str:
        """The headline of each system."""
        lines = []
        for system in self.systems:
            f, r = (system.estimates[name].value for name in ("proficiency", "false_information_ratio"))
            lines.append(f"{system.name}: captured {f:.3f}, false {r:.3f}")
        return f"TrackingEvaluation({'; '.join(lines)})"


def ledger_lines(tally: Tally) -> dict[str, float]:
    """The six lines of the ledger in bits."""
    return {
        "truth": float(tally.truth_bits),
        "captured": float(captured_bits(tally)),
        "missed": float(tally.missed_bits),
        "confused": float(tally.confused_bits),
        "fragmented": float(tally.fragmented_bits),
        "spurious": float(tally.spurious_bits),
    }


def track_accounts(sequence: Sequence) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The ledger by truth track and by system track, worst first."""
    table, ledger = sequence.association, sequence.ledger
    ids = np.bincount(table.rows, minlength=len(table.truth_ids))
    lengths, system_lengths = sequence.tracks.truth.lengths, sequence.tracks.system.lengths
    truth: list[dict[str, Any]] = [
        {
            "id": str(name),
            "frames": int(lengths[at]),
            "matched": float(lengths[at] - table.missed[at]),
            "ids": int(ids[at]),
            "truth": float(ledger.truth[at]),
            "missed": float(ledger.missed[at]),
            "confused": float(ledger.confused[at]),
            "fragmented": float(ledger.fragmented[at]),
        }
        for at, name in enumerate(table.truth_ids)
    ]
    system: list[dict[str, Any]] = [
        {
            "id": str(name),
            "frames": int(system_lengths[at]),
            "false": float(table.false[at]),
            "confused": float(ledger.confused_by_system[at]),
            "spurious": float(ledger.spurious[at]),
        }
        for at, name in enumerate(table.system_ids)
    ]
    truth.sort(key=lambda each: -(each["missed"] + each["confused"] + each["fragmented"]))
    system.sort(key=lambda each: -(each["confused"] + each["spurious"]))
    return truth, system


def _sequence(sequence: Sequence, per: str, reasons: Mapping[str, str]) -> dict[str, Any]:
    table, total = sequence.association, sequence.total
    tracks, system_tracks = track_accounts(sequence)
    return {
        "name": sequence.name,
        "frames": len(sequence.tracks.frame_numbers),
        "truth_boxes": int(total.truth_boxes),
        "system_boxes": int(total.system_boxes),
        "metrics": {
            name: _as_entry(Estimate(float(value)), reasons[name]) for name, value in values_of(total, per).items()
        },
        "ledger": ledger_lines(total),
        "tracks": tracks,
        "system_tracks": system_tracks,
        "association": [
            [str(table.truth_ids[row]), str(table.system_ids[column]), float(count)]
            for row, column, count in zip(
                table.rows.tolist(), table.columns.tolist(), table.counts.tolist(), strict=True
            )
        ],
    }


def _as_entry(estimate: Estimate, reason: str) -> dict[str, Any]:
    if not np.isfinite(estimate.value):
        return {"value": None, "undefined": reason}
    if not np.isfinite(estimate.sd):
        return {"value": estimate.value}
    return {
        "value": estimate.value,
        "mean": estimate.value,
        "sd": estimate.sd,
        "low": estimate.low,
        "high": estimate.high,
    }


def _numbers(values: Any) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]

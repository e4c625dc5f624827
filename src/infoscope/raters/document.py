"""The result document of annotators: every number that will be shown, to JSON and to a page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from infoscope.pages import Block, Bullets, Grid, Heading, Page, PageDocument, Words, percent
from infoscope.raters.pairs import Mixed, PairAgreement
from infoscope.raters.reliability import OddOneOut

__all__ = ["Agreement", "items_left_out"]

_MOST = 15


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(PageDocument):
    """How annotators agree, without a truth."""

    names: tuple[str, ...]
    items: int
    categories: tuple[str, ...]
    single: bool
    answered: Mapping[str, int]
    used: Mapping[str, Mapping[str, int]]
    """How often each annotator gave each category."""
    alpha: float | None
    alpha_low: float | None
    alpha_high: float | None
    alpha_without: Mapping[str, float]
    odd_one_out: OddOneOut | None
    pairs: tuple[PairAgreement, ...]
    mixed: tuple[Mixed, ...]
    left_out: int = 0
    """Items that fewer than two annotators labelled: nothing can be said of agreement on them."""

    def matrix(self, metric: str = "proficiency") -> list[list[float | None]]:
        """Annotators × annotators: rows are taken as the truth, columns as the system."""
        found = {(pair.truth, pair.system): getattr(pair, metric) for pair in self.pairs}
        return [[1.0 if a == b else found.get((a, b)) for b in self.names] for a in self.names]

    def closeness(self, name: str) -> float | None:
        """Mean proficiency between one annotator and the others, in both directions."""
        found = [
            pair.proficiency
            for pair in self.pairs
            if name in (pair.truth, pair.system) and pair.proficiency is not None
        ]
        return sum(found) / len(found) if found else None

    def findings(self) -> list[dict[str, Any]]:
        """What the numbers say, as codes and sentences."""
        return [{"code": code, "text": text, "evidence": evidence} for code, text, evidence in self._told()]

    def _told(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        if self.left_out:
            yield "items_left_out", f"{items_left_out(self.left_out)}.", {"items": self.left_out}
        yield from self._said()

    def _said(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        if self.alpha is None:
            yield "no_variation", "All answers are the same: there is nothing to agree or disagree about.", {}
        odd = self.odd_one_out
        if odd is not None:
            text = f"alpha is {odd.alpha_without:.2f} without {odd.name} and {self.alpha or 0:.2f} with everyone"
            sure = f"{odd.probability:.0%} of resampled item sets say the same"
            if odd.finding:
                yield "odd_one_out", f"{odd.name} stands apart: {text}; {sure}.", odd.to_dict()
            else:
                yield "no_odd_one_out", f"Nobody clearly stands apart: {text}; {sure}.", odd.to_dict()
        said: set[frozenset[tuple[str, str]]] = set()
        for pair in self.pairs:
            for each in pair.renamings:
                both = frozenset({(pair.truth, each.truth), (pair.system, each.system)})
                if both not in said:  # the same pair comes again with truth and system exchanged
                    said.add(both)
                    yield "renamed", f"{each.sentence(pair.truth, pair.system)}.", {"p_value": each.p_value}
        for mixed in self.mixed[:_MOST]:
            yield "mixed_up", f"{mixed.sentence()}.", mixed.to_dict()
        for name in self.names:
            never = [label for label in self.categories if not self.used[name].get(label)]
            if never:
                shown = ", ".join(f"'{label}'" for label in never[:5]) + (" and more" if len(never) > 5 else "")
                yield "never_used", f"{name} never used {shown}.", {"categories": never}

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "schema": "infoscope/agreement/1",
            "annotators": [
                {
                    "name": name,
                    "answered": self.answered[name],
                    "closeness": self.closeness(name),
                    "alpha_without": self.alpha_without.get(name),
                    "used": dict(self.used[name]),
                }
                for name in self.names
            ],
            "items": self.items,
            "categories": list(self.categories),
            "several_categories_an_item": not self.single,
            "krippendorff_alpha": {"value": self.alpha, "low": self.alpha_low, "high": self.alpha_high}
            | ({} if self.alpha is not None else {"undefined": "all answers are the same"}),
            "odd_one_out": None if self.odd_one_out is None else self.odd_one_out.to_dict(),
            "proficiency": self.matrix("proficiency"),
            "permuted_proficiency": self.matrix("permuted_proficiency"),
            "kappa": self.matrix("kappa"),
            "pairs": [pair.to_dict() for pair in self.pairs],
            "mixed_up": [each.to_dict() for each in self.mixed],
            "diagnosis": self.findings(),
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """The document as JSON; an undefined number is null."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)

    def _page(self) -> Page:
        sure = "" if self.alpha_low is None else f" ({self.alpha_low:.2f} to {self.alpha_high:.2f})"
        told = "undefined" if self.alpha is None else f"{self.alpha:.2f}{sure}"
        title = f"{len(self.names)} annotators on {self.items} items: Krippendorff's alpha is {told}"
        blocks: list[Block] = [Bullets([each["text"] for each in self.findings()])]
        for metric, words in (
            ("proficiency", "Share of the row's information that the column tells (proficiency)"),
            ("permuted_proficiency", "The same by categories, after the best one-to-one renaming"),
            ("kappa", "Cohen's kappa"),
        ):
            rows = [
                (
                    name,
                    *("·" if name == other else percent(value) for other, value in zip(self.names, line, strict=True)),
                )
                for name, line in zip(self.names, self.matrix(metric), strict=True)
            ]
            blocks += [Heading(words), Grid(("", *self.names), rows)]
        blocks.append(Heading("Annotators"))
        blocks.append(
            Grid(
                ("annotator", "answered", "mean proficiency with the others", "alpha without"),
                [
                    (
                        name,
                        str(self.answered[name]),
                        percent(self.closeness(name)),
                        f"{self.alpha_without[name]:.2f}" if name in self.alpha_without else "",
                    )
                    for name in self.names
                ],
            )
        )
        if self.mixed:
            blocks += [Heading("Categories taken for one another"), self._mixed_grid()]
        blocks.append(Words(f"{len(self.categories)} categories in all."))
        return Page(title, blocks)

    def _mixed_grid(self) -> Grid:
        return Grid(
            ("who", "says", "where", "says", "items", "expected", "p"),
            [
                (
                    each.first,
                    each.first_category,
                    each.second,
                    each.second_category,
                    str(each.count),
                    f"{each.expected:.1f}",
                    f"{each.p_value:.2g}",
                )
                for each in self.mixed[:_MOST]
            ],
            names=4,
        )

    def __repr__(self) -> str:
        """The headline."""
        told = "undefined" if self.alpha is None else f"{self.alpha:.3f}"
        head = f"Agreement of {len(self.names)} annotators on {self.items} items: alpha {told}"
        return f"{head}\n  {items_left_out(self.left_out)}" if self.left_out else head


def items_left_out(items: int) -> str:
    """Items that do not enter the agreement, and why."""
    return f"{items:,} item{'s' * (items != 1)} left out: labelled by fewer than two annotators"

"""What the labels of several annotators say, as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from infoscope.core.markup import counted
from infoscope.results.codec import encode
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding, shorten_list
from infoscope.studies.agreement.pairs import ConfusedCategories, PairAgreement
from infoscope.studies.agreement.reliability import OddOneOut
from infoscope.studies.agreement.result import Annotator
from infoscope.studies.inputs import blank_findings
from infoscope.tables.column_kinds import BlankLabels

__all__ = ["agreement_findings", "items_left_out"]

MAX_CONFUSED = 15
"""Pairs of categories that are named."""


def items_left_out(items: int) -> str:
    """Items that do not enter the agreement, and why."""
    return f"{counted(items, 'item')} left out: labelled by fewer than two annotators"


def agreement_findings(
    annotators: Sequence[Annotator],
    alpha: Estimate,
    odd: OddOneOut | None,
    pairs: Sequence[PairAgreement],
    confused: Sequence[ConfusedCategories],
    lonely: int = 0,
) -> Iterator[Finding]:
    """Findings in the order of their weight."""
    blanks = BlankLabels.of_columns(
        {each.name: (tuple(each.used), np.array([*each.used.values()])) for each in annotators}
    )
    yield from blank_findings(blanks)
    if lonely:
        yield Finding("items_left_out", f"{items_left_out(lonely)}.", "warning", {"items": lonely})
    if alpha.value is None:
        yield Finding(
            "no_variation", "All labels are the same: there is nothing to agree or disagree about.", "warning"
        )
    if odd is not None:
        yield _odd_one_out(odd, alpha.value or 0.0)
    renamed = _renamed(pairs)
    yield from renamed.values()
    for each in confused[:MAX_CONFUSED]:
        if frozenset({(each.first, each.first_category), (each.second, each.second_category)}) not in renamed:
            yield Finding("mixed_up", f"{each.sentence()}.", evidence=encode(each))
    for annotator in annotators:
        never = [label for label, times in annotator.used.items() if not times]
        if never:
            shown, every = shorten_list([f"'{label}'" for label in never])
            found = Finding("never_used", f"{annotator.name} never used {shown}.", evidence={"categories": never})
            yield found.with_names(shown, every)


def _odd_one_out(odd: OddOneOut, alpha: float) -> Finding:
    text = f"alpha is {odd.alpha_without:.3f} without {odd.name} and {alpha:.3f} with everyone"
    again = f"{odd.probability:.0%} of resampled item sets agree"
    if odd.finding:
        return Finding("odd_one_out", f"{odd.name} stands apart: {text}; {again}.", "warning", encode(odd))
    return Finding("no_odd_one_out", f"No annotator clearly stands apart: {text}; {again}.", evidence=encode(odd))


def _renamed(pairs: Sequence[PairAgreement]) -> dict[frozenset[tuple[str, str]], Finding]:
    """Categories under two names, by annotators and categories; each pair of annotators occurs in both orders."""
    found: dict[frozenset[tuple[str, str]], Finding] = {}
    for pair in pairs:
        for each in pair.renamings:
            both = frozenset({(pair.truth, each.truth), (pair.system, each.system)})
            if both not in found:
                text = f"{each.sentence(pair.truth, pair.system)}."
                found[both] = Finding("renamed", text, evidence={"p_value": each.p_value})
    return found

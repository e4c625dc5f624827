"""Decisions on each published figure with their reasons, read by the tests and the page published-figures.md.

A figure with a metric and a matrix is compared. Formulas and claims are judged by rules written for them
(``@rule``), or held in a test elsewhere; the rest waits for a capability or is out of reach, for a stated reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from tests.published.elsewhere import HELD
from tests.published.figures import Figure, has_table
from tests.published.reasons import CLAIMS, REASONS

if TYPE_CHECKING:
    from tests.papers.statements import Statement


class Fate(Enum):
    """Treatment of a figure by the tests."""

    COMPARED = "compared with our value, to the printed digits"
    JUDGED = "checked by a separate rule"
    AS_PRINTED = "true as printed, stated more broadly in the reference data"
    REFUTED = "not reproduced"
    ELSEWHERE = "checked in another test"
    MISTAKEN = "inconsistent in print, nothing to compute"
    WAITS = "waiting for a feature"
    UNCHECKED = "not checkable with the reference data"


CHECKED_HERE = frozenset({Fate.COMPARED, Fate.JUDGED, Fate.AS_PRINTED, Fate.REFUTED})
NOT_CHECKABLE = frozenset({Fate.MISTAKEN, Fate.WAITS, Fate.UNCHECKED})
"""With ``Fate.ELSEWHERE`` these are all fates."""


@dataclass(frozen=True)
class Rule:
    """A check of a formula or claim, which raises an assertion error when it does not hold."""

    says: str
    patterns: dict[str, str]
    judge: Callable[[Figure], None]

    def covers(self, figure: Figure) -> bool:
        return all(fnmatchcase(getattr(figure, name) or "", pattern) for name, pattern in self.patterns.items())


_RULES: list[Rule] = []


def rule(**patterns: str) -> Callable[[Callable[[Figure], None]], Callable[[Figure], None]]:
    """File a judge for the figures whose fields match these shell patterns; its docstring says what it tries."""

    def file(judge: Callable[[Figure], None]) -> Callable[[Figure], None]:
        says = (judge.__doc__ or "").partition("\n\n")[0].replace("\n    ", " ")
        _RULES.append(Rule(says, patterns, judge))
        return judge

    return file


def rule_of(figure: Figure) -> Rule | None:
    """The rule that judges this figure, if one was written."""
    from tests.published import rules  # noqa: F401 - the rules file themselves

    found = [rule for rule in _RULES if rule.covers(figure)]
    assert len(found) <= 1, f"{figure.id} is claimed by {len(found)} rules"
    return found[0] if found else None


WAITING: tuple[tuple[str, dict[str, str]], ...] = ()
"""Capabilities that figures wait for; a rule for a figure takes it off this list."""


def fate_of(figure: Figure) -> tuple[Fate, str]:
    """Return what the tests do with a figure, and how or why."""
    wrong = figure.reproduces is False
    if figure.is_number and figure.metric and has_table(figure.input) and (figure.testable or wrong):
        return (Fate.REFUTED, reason_of(figure)) if wrong else (Fate.COMPARED, figure.convention)
    judged = rule_of(figure)
    if judged is not None:
        if wrong:
            claim = claim_of(figure)
            return Fate.AS_PRINTED if claim and claim.verdict.value == "true" else Fate.REFUTED, judged.says
        return Fate.JUDGED, judged.says
    for patterns, test in HELD:
        if Rule("", patterns, _nothing).covers(figure):
            return Fate.ELSEWHERE, test
    for capability, patterns in WAITING:
        if Rule("", patterns, _nothing).covers(figure):
            return Fate.WAITS, capability
    if wrong:
        return Fate.MISTAKEN, reason_of(figure)
    return Fate.UNCHECKED, reason_of(figure)


def claim_of(figure: Figure) -> Statement | None:
    """Return the statement on the paper's page that decides a claim of which the reference data say it is wrong."""
    from tests.papers.statements import statements  # they use the rules of this ledger

    for patterns, beginning in CLAIMS:
        if Rule("", patterns, _nothing).covers(figure):
            (found,) = (each for each in statements(figure.paper) if each.claim.startswith(beginning))
            return found
    return None


def _nothing(_: Figure) -> None: ...


def reason_of(figure: Figure) -> str:
    """Why a figure is wrong in print or out of reach; empty where nobody has written it."""
    found = next((why for patterns, why in REASONS if Rule("", patterns, _nothing).covers(figure)), "")
    return found(figure) if callable(found) else found

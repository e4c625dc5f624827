"""Laws that a paper states, as functions that can be run: they hold, fail, or hold under a condition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

__all__ = ["Statement", "Verdict", "statement", "statements"]


class Verdict(Enum):
    """Outcome of the tests of a statement."""

    TRUE = "true"
    FALSE = "false"
    ONLY_IF = "true only if"


@dataclass(frozen=True)
class Statement:
    """A claim of a paper with the search that decides it."""

    paper: str
    name: str
    """Place in the paper."""
    claim: str
    verdict: Verdict
    condition: str
    """The condition under which it holds, where the verdict is "true only if"."""
    check: Callable[[], str]
    """Raises an assertion where the verdict is wrong; returns what was tried, with the counterexample."""
    data: str = ""
    """A file of the reference data that the check needs."""

    @property
    def verdict_in_words(self) -> str:
        return f"{self.verdict.value} {self.condition}".strip()


_FILED: list[Statement] = []


def statement(
    paper: str, name: str, claim: str, verdict: Verdict, condition: str = "", data: str = ""
) -> Callable[[Callable[[], str]], Callable[[], str]]:
    """File a check under what it decides."""
    if (verdict is Verdict.ONLY_IF) != bool(condition):
        raise ValueError(f"{name}: a condition belongs to the verdict “{Verdict.ONLY_IF.value}”, and to no other")

    def file(check: Callable[[], str]) -> Callable[[], str]:
        _FILED.append(Statement(paper, name, claim, verdict, condition, check, data))
        return check

    return file


def statements(paper: str = "") -> tuple[Statement, ...]:
    """Return the statements of one paper, or all, in the order in which the papers have them."""
    from tests.papers import statements as package

    assert package.MODULES
    return tuple(each for each in _FILED if not paper or each.paper == paper)

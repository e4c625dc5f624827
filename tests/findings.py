"""Findings of a result, for tests of sentences."""

from tests.api import Result


def notes(result: Result) -> tuple[str, ...]:
    """The sentences of a result's findings."""
    return tuple(finding.text for finding in result.findings)

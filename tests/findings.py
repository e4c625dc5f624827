"""What a result says about its data, for tests of sentences."""

from tests.api import Result


def notes(result: Result) -> tuple[str, ...]:
    """The sentences of a result's findings."""
    return tuple(finding.text for finding in result.findings)

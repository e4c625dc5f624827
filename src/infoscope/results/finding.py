"""A finding: one sentence about the data or the systems, with its code and its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from infoscope.core.validation import KeywordHints
from infoscope.typing import Json

Severity = Literal["note", "warning"]
_DOUBTS = frozenset(
    {
        "normalised_matrix",
        "measured_labels",
        "only_errors",
        "named_clusters",
        "relabelled",
        "lookalike_labels",
        "reversed_scores",
        "perfect_result",
    }
)
"""Findings by which the numbers do not mean what they seem to mean: a reader needs them before any other."""
_ADVICE = frozenset({"abstains", "no_clear_winner", "rows_needed", "open_condition"})
"""Findings that say what to do without anything to type."""
_BACKGROUND = frozenset(
    {
        "tied_scores",
        "thinned",
        "removed",
        "sparse_sets",
        "repeated_memberships",
        "mixed_up",
        "captured",
        "no_odd_one_out",
    }
)
"""Findings about how the numbers were made or what they would be by chance, with nothing to do about them."""


@dataclass(frozen=True, repr=False)
class Finding(KeywordHints):
    """One sentence with its code, its evidence and how loud it is."""

    code: str
    text: str
    severity: Severity = "note"
    evidence: Mapping[str, Json] = field(default_factory=dict)
    action: str = ""
    """Action, in two or three words."""
    tag: str = ""
    """The finding in two or three words, for a cell of a table."""
    detail: str = ""
    """The sentence with every name, where the text leaves some out."""
    system: str = field(default="", metadata={"stored": False})
    """System that it is about, with its group where there is one; empty where it is about all of the data."""
    command: str = ""
    """What to type about it."""

    @property
    def rank(self) -> int:
        """Place by use, 0 first: data that are not what they seem, a warning with something to type, others, notes."""
        if self.code in _DOUBTS:
            return 0
        return 1 if self.code in _ADVICE else 4 - 2 * self.is_warning - bool(self.command)

    def __repr__(self) -> str:
        """Return the sentence with its code, how loud it is, and the system that it is about."""
        system = f", system={self.system!r}" if self.system else ""
        return f"Finding({self.code!r}, {self.text!r}, {self.severity!r}{system})"

    @property
    def is_background(self) -> bool:
        """True if it is about how the numbers were made: reports have it in full only."""
        return self.code in _BACKGROUND

    @property
    def is_warning(self) -> bool:
        """True if a reader must know it before using the numbers."""
        return self.severity == "warning"

    def with_names(self, shown: str, every: str) -> Finding:
        """Return the same with a sentence that has all names in place of the few that the text shows.

        >>> Finding("never_used", "ann never used a and 2 more.").with_names("a and 2 more", "a, b and c").detail
        'ann never used a, b and c.'
        """
        return self if shown == every else replace(self, detail=self.text.replace(shown, every))


def shorten_list(names: Sequence[str], most: int = 5) -> tuple[str, str]:
    """Return a list of names as a sentence shows it, the many cut short, and the whole list.

    >>> shorten_list(["a", "b", "c"], most=2)
    ('a, b and 1 more', 'a, b, c')
    """
    every = ", ".join(names)
    return (every if len(names) <= most else f"{', '.join(names[:most])} and {len(names) - most} more"), every

"""What looks wrong in label sets: names run together, names that differ by white space, sets stated twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from infoscope.core.markup import counted
from infoscope.readers.labels import cleaner
from infoscope.results.finding import Finding, shorten_list
from infoscope.studies.inputs import blank_findings
from infoscope.tables.column_kinds import BlankLabels
from infoscope.tables.label_sets import Categorization, LabelSets
from infoscope.tables.labels import Label, lookalikes

__all__ = ["input_findings", "objects_left_out", "quoted", "run_together"]

_SEPARATORS = (" ", ",", ";", "|", ", ", "; ", " | ", "/")
_CLEANING = {"strip": "white space", "casefold": "case", "nfc": "unicode form", "number": "the spelling of a number"}
"""Steps of cleaning, and the difference that each removes."""


def quoted(label: Label) -> str:
    """A name as it is, between marks that show where it ends."""
    return f"'{label}'"


def objects_left_out(ignored: Mapping[str, int]) -> list[str]:
    """Objects that do not enter the numbers, and why, a sentence for each reason."""
    return [f"{counted(objects, 'object')} left out: {reason}" for reason, objects in ignored.items()]


def run_together(categories: Sequence[Label]) -> list[tuple[str, str, str]]:
    """Categories that are two others with a stray separator between them.

    >>> run_together(["sport", "news", "news sport"])
    [('news sport', 'news', 'sport')]
    """
    known = {str(category) for category in categories} | {str(category).strip() for category in categories}
    found = []
    for category in map(str, categories):
        for sign in _SEPARATORS:
            head, _, tail = category.partition(sign)
            while tail:
                if head in known and tail in known:
                    found.append((category, head, tail))
                    break
                more, _, tail = tail.partition(sign)
                head = f"{head}{sign}{more}"
            else:
                continue
            break
    return found


def input_findings(pair: Categorization, sides: Sequence[LabelSets], names: Sequence[str]) -> list[Finding]:
    """Everything a reader should know about the input before the numbers."""
    found = [
        Finding("objects_left_out", f"{sentence}.", "warning", {"objects": objects})
        for objects, sentence in zip(pair.ignored.values(), objects_left_out(pair.ignored), strict=True)
    ]
    found += [
        Finding(
            "objects_emptied",
            f"{objects:,} {reason.replace('object in', 'object is in' if objects == 1 else 'objects are in')}; "
            "the other side counts as giving no category.",
            evidence={"objects": objects},
        )
        for reason, objects in pair.emptied.items()
    ]
    if pair.weights is not None:
        worth = pair.effective_size
        text = f"Objects count by their weights; {pair.n:,} objects are worth {worth:,.0f} that count the same."
        found.append(Finding("weighted_objects", text, evidence={"objects": pair.n, "effective": worth}))
    nameless = sum(name == "" for name in pair.objects or ())
    if nameless:
        text = f"{nameless:,} object{'s have' if nameless > 1 else ' has'} an empty name and counts like any other."
        found.append(Finding("empty_names", text, evidence={"objects": nameless}))
    if pair.repeated_objects:
        found.append(
            Finding(
                "repeated_objects",
                f"{pair.repeated_objects} objects have a name that occurs more than once; they are paired by their "
                "order.",
                evidence={"objects": pair.repeated_objects},
            )
        )
    listed = {sets.numbers_per_object for sets in sides if sets.numbers_per_object}
    if listed:
        text = (
            f"Every object has a list of {' or '.join(map(str, sorted(listed)))} numbers, which are read as the names "
            "of its categories. A matrix has 0 and 1 for each category, or scores with a threshold (threshold=)."
        )
        found.append(Finding("numbers_as_categories", text, evidence={"numbers": sorted(listed)}))
    for name, sets in zip(names, sides, strict=True):
        if sets.repeated:
            found.append(
                Finding(
                    "repeated_memberships",
                    f"{name} states {sets.repeated} memberships more than once; each counts once.",
                    evidence={"memberships": sets.repeated},
                )
            )
    used = {name: (sets.categories, sets.supports) for name, sets in zip(names, sides, strict=True)}
    found += blank_findings(BlankLabels.of_columns(used, sets=True))
    found += _name_findings(pair)
    found += _one_sided(pair, names)
    return found


def _name_findings(pair: Categorization) -> list[Finding]:
    found = [
        Finding(
            "run_together",
            f"Category {quoted(whole)} looks like {quoted(head)} and {quoted(tail)} with a stray separator between.",
            evidence={"category": whole},
        )
        for whole, head, tail in run_together(pair.categories)
    ]
    for group in lookalikes(pair.categories):
        shown = " and ".join(map(quoted, group))
        text = f"Categories {shown} {_difference_and_cleaning(group)}."
        found.append(Finding("lookalike_categories", text, evidence={"categories": list(group)}))
    return found


def _difference_and_cleaning(group: Sequence[str]) -> str:
    """In what names that look alike differ, and the steps of cleaning that make them one.

    >>> _difference_and_cleaning(["News", "news"])
    "differ only by case and count as different; clean=('casefold',) or --clean casefold makes them one"
    """
    for size in range(1, len(_CLEANING) + 1):
        for steps in combinations(_CLEANING, size):
            if len(set(map(cleaner(steps), group))) == 1:
                differing = " and ".join(_CLEANING[step] for step in steps)
                asked = " ".join(f"--clean {step}" for step in steps)
                return f"differ only by {differing} and count as different; clean={steps!r} or {asked} makes them one"
    return "look alike and count as different; if they are one category, rename them"


def _one_sided(pair: Categorization, names: Sequence[str]) -> list[Finding]:
    found = []
    for name, other, only in zip(names, reversed(names), pair.categories_on_one_side(), strict=True):
        if only:
            shown, every = shorten_list(list(map(quoted, only)))
            found.append(
                Finding(
                    "one_sided_categories",
                    f"{other} never used {shown}, which {name} did; kept, with nothing on the other side.",
                    evidence={"categories": [str(label) for label in only], "used_by": name},
                ).with_names(shown, every)
            )
    return found

"""Which columns of a source to count, in the caller's own names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from infoscope.errors import InputError, UnknownNameError, did_you_mean


@dataclass(frozen=True)
class Columns:
    """The truth, the systems beside it, and what weighs or splits the rows."""

    truth: str
    systems: tuple[str, ...]
    weight: str | None = None
    by: tuple[str, ...] = ()
    joint: bool = False

    @classmethod
    def asked(
        cls,
        truth: str,
        system: str | Sequence[str],
        *,
        weight: str | None = None,
        by: str | Sequence[str] | None = None,
        joint: bool = False,
    ) -> Columns:
        """The columns a caller named, once each.

        >>> Columns.asked("gold", "svm").systems
        ('svm',)
        """
        systems = (system,) if isinstance(system, str) or not isinstance(system, Iterable) else tuple(system)
        groups = () if by is None else (by,) if isinstance(by, str) or not isinstance(by, Iterable) else tuple(by)
        for name in (truth, *systems, *groups, *(() if weight is None else (weight,))):
            check_name(name)
        if not systems:
            raise InputError("no system column was named; name at least one beside the truth")
        for kind, names in (("system", systems), ("group", groups)):
            twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
            if twice:
                raise InputError(f"{kind} column {twice[0]!r} is named twice; name it once")
        if truth in systems:
            raise InputError(f"column {truth!r} is named as truth and as system; it would score itself perfectly")
        for name in groups:
            if name in (truth, *systems):
                raise InputError(f"column {name!r} is named as group and as label; it is one of them")
        return cls(truth, systems, weight, groups, joint)

    @property
    def names(self) -> tuple[str, ...]:
        """Every column to be read, once."""
        weight = () if self.weight is None else (self.weight,)
        return tuple(dict.fromkeys((*self.by, self.truth, *self.systems, *weight)))

    def with_further(self, names: Iterable[str]) -> Columns:
        """The same with columns that are read beside them."""
        return replace(self, systems=(*self.systems, *(name for name in names if name not in self.names)))

    @property
    def margins(self) -> tuple[tuple[str, ...], ...]:
        """The sets of system columns that are counted together with the truth."""
        return (self.systems,) if self.joint else tuple((name,) for name in self.systems)

    def keys(self, margin: tuple[str, ...]) -> tuple[str, ...]:
        """Columns that identify a cell of one margin: groups, truth, systems."""
        return (*self.by, self.truth, *margin)


def check_name(name: object) -> None:
    """Reject what is not the name of a column: names are text."""
    if hasattr(name, "__len__") and not isinstance(name, (str, bytes, tuple)):
        raise InputError(
            f"a {type(name).__name__} is given where the name of a column is expected; put its values into the source "
            "as a column, and give the name"
        )
    if not isinstance(name, str):
        raise InputError(
            f"the column {name!r} is named by {type(name).__name__}, and names are text; "
            "rename the columns, in pandas by frame.rename(columns=str)"
        )


def pick_columns(asked: Collection[str], present: Sequence[str], source: str) -> None:
    """Reject a column that is not there, or is there twice, with the nearest name that is."""
    often = Counter(present)
    for name in asked:
        if name not in often:
            short = (known if len(known) <= 80 else f"{known[:80]}…" for known in present[:12])
            shown = ", ".join(map(repr, short)) + (", …" if len(present) > 12 else "")
            hint = did_you_mean(name, present, f"it has {shown or 'no columns'}")
            raise UnknownNameError(f"{source} has no column {name!r}; {hint}")
        if often[name] > 1:
            raise InputError(f"{source} has {name!r} as the name of two columns; rename one of them")

"""How tracks are to be compared: the choices that every number depends on, named in every output."""

from dataclasses import dataclass
from typing import Any

from infoscope.errors import InputError, UnknownNameError
from infoscope.tracking.association import MATCHES
from infoscope.tracking.ledger import NULLS
from infoscope.tracking.similarity import FrameSimilarity

__all__ = ["DUPLICATES", "PERS", "PREPROCESSINGS", "Settings"]

PERS = ("truth", "event")
DUPLICATES = ("error", "first", "split")
PREPROCESSINGS = ("auto", "off", "mot16", "mot20")
SIMILARITIES = ("auto", "overlap", "distance")


@dataclass(frozen=True)
class Settings:
    """Gate, matching and conventions.

    ``gate`` is the least overlap (IoU, or the caller's own similarity) of a match, or the greatest distance;
    it is 0.5 for boxes unless given.
    """

    gate: float | None = None
    similarity: str | FrameSimilarity = "auto"
    match: str = "sticky"
    null: str = "prior"
    per: str = "truth"
    duplicates: str = "error"
    preprocessing: str = "auto"
    level: float = 0.95

    def __post_init__(self) -> None:
        for option, known in _CHOICES.items():
            chosen = getattr(self, option)
            if isinstance(chosen, str) and chosen not in known:
                raise UnknownNameError(f"{option} has no {chosen!r}; it can be {', '.join(known)}")
        if self.gate is not None and not 0 < self.gate < float("inf"):
            raise InputError(
                f"the gate is {self.gate:g}; it must be above 0: the least overlap, or the greatest"
                " distance, of a match"
            )
        if self.similarity == "overlap" and self.gate is not None and self.gate > 1:
            raise InputError(
                f"the gate is {self.gate:g}; boxes overlap by at most 1, so choose a gate between 0 and 1"
            )
        if not 0 < self.level < 1:
            raise InputError(f"the level is {self.level:g}; it must lie between 0 and 1")

    @property
    def threshold(self) -> float:
        """The least similarity of a match: half-way to the distance where similarity ends."""
        return 0.5 if self.similarity == "distance" or self.gate is None else self.gate

    @property
    def zero_at(self) -> float:
        """The distance at which two points have nothing in common: twice the gate."""
        return 2.0 * (self.gate or 0.5)

    def to_dict(self) -> dict[str, Any]:
        """The choices in words, for the output."""
        similarity = self.similarity if isinstance(self.similarity, str) else "given"
        return {
            "gate": self.gate,
            "similarity": similarity,
            "match": self.match,
            "null": self.null,
            "per": self.per,
        }


_CHOICES = {
    "similarity": SIMILARITIES,
    "match": tuple(MATCHES),
    "null": NULLS,
    "per": PERS,
    "duplicates": DUPLICATES,
    "preprocessing": PREPROCESSINGS,
}

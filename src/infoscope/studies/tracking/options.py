"""How tracks are to be compared: the choices that every number depends on, named in every output."""

from dataclasses import dataclass
from typing import TypedDict

from infoscope.errors import InputError, UnknownNameError
from infoscope.studies.tracking.ledger import MATCHES, NULLS
from infoscope.studies.tracking.similarity import FrameSimilarity

__all__ = ["DUPLICATES", "PERS", "PREPROCESSINGS", "Convention", "TrackingKeywords", "TrackingOptions"]

PERS = ("truth", "event")
DUPLICATES = ("error", "first", "split")
PREPROCESSINGS = ("auto", "off", "mot16", "mot20")
SIMILARITIES = ("auto", "overlap", "distance")


class TrackingKeywords(TypedDict, total=False):
    """The choices as keyword arguments of the public functions."""

    gate: float | None
    similarity: str | FrameSimilarity
    match: str
    null: str
    per: str
    duplicates: str
    preprocessing: str
    input_format: str
    level: float
    seed: int


@dataclass(frozen=True)
class Convention:
    """How tracks were compared, in fields and in a sentence."""

    gate: float | None
    similarity: str
    match: str
    null: str
    per: str
    level: float
    text: str


@dataclass(frozen=True)
class TrackingOptions:
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
    input_format: str = "auto"
    level: float = 0.95
    seed: int = 0

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
            raise InputError(f"the gate is {self.gate:g}; boxes overlap by at most 1, so choose a gate between 0 and 1")
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

    @property
    def convention(self) -> Convention:
        """The choices that every number depends on, as a result holds them."""
        similarity = self.similarity if isinstance(self.similarity, str) else "given"
        return Convention(self.gate, similarity, self.match, self.null, self.per, self.level, self.describe())

    def describe(self) -> str:
        """The convention in a sentence."""
        distance = self.similarity == "distance"
        gate = f"a distance of at most {self.gate:g}" if distance else f"a similarity of at least {self.gate:g}"
        false = "truth bits" if self.per == "truth" else "truth bits, each side per detection of its own"
        return f"Pairs need {gate}; {_MATCHING[self.match]}; {_NULL[self.null]}; false bits are counted over {false}."


_MATCHING = {
    "sticky": "matching continues the pairs of the frame before, then takes the most similar (sticky)",
    "independent": "each frame is matched by itself for the most similarity (independent)",
    "global": "matching prefers tracks that agree over the whole sequence (global)",
    "fractional": "a detection is shared among all that pass the gate (fractional)",
}
_NULL = {
    "prior": "a miss leaves the prior and a false detection costs its own name (null: prior)",
    "exclude": "misses and false detections are left out of the information figures (null: exclude)",
    "class": "misses and false detections are one more track on either side (null: class)",
}
_CHOICES = {
    "similarity": SIMILARITIES,
    "match": tuple(MATCHES),
    "null": NULLS,
    "per": PERS,
    "duplicates": DUPLICATES,
    "preprocessing": PREPROCESSINGS,
}

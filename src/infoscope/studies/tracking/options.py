"""Choices of how tracks are compared: every number depends on them, so every result names them (``Convention``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from infoscope.errors import InputError, UnknownNameError, check_level
from infoscope.studies.tracking.matching import FrameSimilarity

Match: TypeAlias = Literal["sticky", "independent", "global", "fractional"]
Null: TypeAlias = Literal["prior", "exclude", "class"]
Per: TypeAlias = Literal["truth", "event"]
Duplicates: TypeAlias = Literal["error", "first", "split"]
Preprocessing: TypeAlias = Literal["auto", "off", "mot16", "mot20"]

NULLS: tuple[str, ...] = get_args(Null)
_CHOICES: dict[str, tuple[str, ...]] = {
    "similarity": ("auto", "overlap", "distance"),
    "match": get_args(Match),
    "null": NULLS,
    "per": get_args(Per),
    "duplicates": get_args(Duplicates),
    "preprocessing": get_args(Preprocessing),
}


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
    """Gate, matching and conventions, as ``evaluate`` documents them.

    ``gate`` is the least overlap (IoU, or the caller's own similarity) of a match, or the greatest distance;
    it is 0.5 for boxes unless given.
    """

    gate: float | None = None
    similarity: str | FrameSimilarity = "auto"
    match: Match = "sticky"
    null: Null = "prior"
    per: Per = "truth"
    duplicates: Duplicates = "error"
    preprocessing: Preprocessing = "auto"
    input_format: str = "auto"
    level: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        """Reject words that are no choice, and gates that nothing or everything passes."""
        for option, words in _CHOICES.items():
            chosen = getattr(self, option)
            if isinstance(chosen, str) and chosen not in words:
                raise UnknownNameError(f"{option} has no {chosen!r}; it can be {', '.join(words)}")
        if self.gate is not None and not 0 < self.gate < float("inf"):
            raise InputError(
                f"the gate is {self.gate:g}; it must be above 0: the least overlap, or the greatest"
                " distance, of a match"
            )
        if self.similarity == "overlap" and self.gate is not None and self.gate > 1:
            raise InputError(f"the gate is {self.gate:g}; boxes overlap by at most 1, so choose a gate between 0 and 1")
        check_level(self.level)

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
        is_distance = self.similarity == "distance"
        gate = f"a distance of at most {self.gate:g}" if is_distance else f"a similarity of at least {self.gate:g}"
        match = {
            "sticky": "matching continues the pairs of the frame before, then takes the most similar (sticky)",
            "independent": "each frame is matched by itself for the most similarity (independent)",
            "global": "matching prefers tracks that agree over the whole sequence (global)",
            "fractional": "a detection is shared among all that pass the gate (fractional)",
        }[self.match]
        null = {
            "prior": "a miss leaves the prior and a false detection costs its own name (null: prior)",
            "exclude": "misses and false detections are left out of the information figures (null: exclude)",
            "class": "misses and false detections are one more track on either side (null: class)",
        }[self.null]
        false = "truth bits" if self.per == "truth" else "truth bits, each side per detection of its own"
        return Convention(
            self.gate,
            self.similarity if isinstance(self.similarity, str) else "given",
            self.match,
            self.null,
            self.per,
            self.level,
            f"Pairs need {gate}; {match}; {null}; false bits are counted over {false}.",
        )

"""Pictures of trackers: from what a tracker reported, or from an evaluation of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

from infoscope.errors import InputError
from infoscope.figures.display import Display
from infoscope.figures.inputs import a_kind
from infoscope.tracking import TrackingEvaluation, compare, evaluate
from infoscope.tracking.options import TrackingOptions

__all__ = ["TrackDisplay", "tracking_only"]


class TrackDisplay(Display):
    """A picture that is drawn from tracks."""

    from_evaluation: ClassVar[Callable[..., Any]]
    """The picture of a tracking evaluation; each picture has its own options."""

    @classmethod
    def from_predictions(cls, truth: Any, tracks: Any, *, ax: Any = None, **options: Any) -> Self:
        """Evaluate a tracker, or several by name, and draw.

        Either side is a path, an array with rows of frame, id, left, top, width, height, or a data frame. Options are
        those of ``tracking.evaluate`` and of the picture.
        """
        settings = {key: options.pop(key) for key in list(options) if key in TrackingOptions.__dataclass_fields__}
        several = isinstance(tracks, Mapping)
        found = compare(truth, tracks, **settings) if several else evaluate(truth, tracks, **settings)
        display: Self = cls.from_evaluation(found, **options)
        return display.plot(ax)


def tracking_only(evaluation: Any, picture: str) -> TrackingEvaluation:
    """The evaluation, if it is one of trackers."""
    if not isinstance(evaluation, TrackingEvaluation):
        raise InputError(
            f"{picture} is drawn from tracks, and this is {a_kind(evaluation)}; give what "
            "infoscope.tracking.evaluate returns"
        )
    return evaluation

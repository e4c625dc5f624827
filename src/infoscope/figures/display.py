"""Displays: the base classes of all pictures, and what pictures take: tables by name, out of whatever holds them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import lazy_loader
import numpy as np

from infoscope.core.files import check_target, explain_write_error, write_file
from infoscope.core.validation import KeywordHints
from infoscope.errors import InputError, UnknownNameError
from infoscope.figures.layout import shorten
from infoscope.figures.matplotlib import draw, image, make_axes
from infoscope.figures.scene import Panel
from infoscope.figures.svg import make_standalone_svg, picture
from infoscope.readers import Tables as ReadTables
from infoscope.studies.evaluation import Evaluation, SystemResult
from infoscope.tables import Contingency, Label
from infoscope.tables.construction import Declared, count_labels
from infoscope.tables.counting import merge_ignored, warn_of_rows
from infoscope.typing import ArrayLike, Axes, LabelsByName, LabelsLike

if TYPE_CHECKING:
    import narwhals as nw

    from infoscope.studies.tracking import TrackingEvaluation
else:
    nw = lazy_loader.load("narwhals")  # only for frames


Tables = Contingency | Mapping[Any, Contingency] | Sequence[Contingency] | Evaluation
"""One table, tables by name, a list of tables, or an evaluation with its systems."""


def name_tables(tables: Tables, name: str = "system") -> dict[str, Contingency]:
    """Return tables under their names; one without samples, or a batch, cannot be drawn.

    >>> table = Contingency.from_matrix([[3, 1], [0, 4]])
    >>> list(name_tables(table)), list(name_tables([table, table]))
    (['system'], ['system 1', 'system 2'])
    """
    given: Any = tables  # which may be anything
    if isinstance(given, Contingency):
        named = {name: given}
    elif isinstance(given, Evaluation):
        named = {system.title: _get_table(system) for system in given.systems}
    elif isinstance(given, ReadTables):
        named = given.by_name()
    elif isinstance(given, Mapping):
        named = {str(key): table for key, table in given.items()}
    elif isinstance(given, Sequence) and not isinstance(given, str):
        named = {f"{name} {number + 1}": table for number, table in enumerate(given)}
    else:
        raise InputError(f"this is {describe_kind(tables)}, not a table; {_WAY_OUT}")
    if not named:
        raise InputError("there is no table to draw; give at least one")
    for key, table in named.items():
        if not isinstance(table, Contingency):
            raise InputError(f"{key!r} is {describe_kind(table)}, not a table; {_WAY_OUT}")
        if table.batch_shape:
            raise InputError(f"{key!r} is a batch of tables; draw its tables one by one")
        if not table.total > 0:
            raise InputError(f"the table of {key!r} has no samples; a picture needs at least one")
    return named


def get_only_table(tables: Tables, name: str, picture: str) -> Contingency:
    """Return the only table, for a picture of one system."""
    named = name_tables(tables, name)
    if len(named) > 1:
        raise InputError(f"{picture} shows one system, not {len(named)} ({list_names(named)}); draw them one by one")
    return next(iter(named.values()))


_WAY_OUT = "count labels with Contingency.from_labels, or give a matrix of counts to Contingency.from_matrix"


def describe_kind(thing: object) -> str:
    """Say what kind of thing was given."""
    name = type(thing).__name__
    return f"{'an' if name[:1] in 'AEIOaeio' else 'a'} {name}"


def require_tracking(evaluation: object, picture: str) -> TrackingEvaluation:
    """Return the evaluation, if it is one of trackers."""
    if getattr(evaluation, "kind", None) != "tracking":
        raise InputError(
            f"{picture} is drawn from tracks, and this is {describe_kind(evaluation)}; give what "
            "infoscope.tracking.evaluate returns"
        )
    return cast("TrackingEvaluation", evaluation)


def rename_sample_weight(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of a sweep, whose ``weight`` may also be called as scikit-learn does.

    >>> rename_sample_weight({"sample_weight": [1, 2], "positive": "yes"})
    {'positive': 'yes', 'weight': [1, 2]}
    """
    rest = {name: value for name, value in options.items() if name != "sample_weight"}
    weight = options.get("sample_weight")
    if weight is not None and rest.get("weight") is not None:
        raise InputError("weight and sample_weight are one thing; give one of them")
    return rest if weight is None else {**rest, "weight": weight}


def list_names(names: Iterable[str], most: int = 4) -> str:
    """Write the first names, and how many more there are."""
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(shorten(name, 40) for name in every[:most]) + more


def _get_table(system: SystemResult) -> Contingency:
    if system.table is None:
        raise InputError(
            f"the evaluation holds no table of {system.title!r}, as if it was read from a file; evaluate the rows again"
        )
    return system.table


def name_predictions(y_pred: object, name: str = "system") -> dict[str, Any]:
    """Return predictions of one system, or of several: by name, as columns of a data frame, or in a list.

    >>> list(name_predictions(["a", "b"], "mine")), list(name_predictions([["a", "b"], ["b", "b"]]))
    (['mine'], ['system 1', 'system 2'])
    """
    if isinstance(y_pred, Mapping):
        return {str(key): predicted for key, predicted in y_pred.items()}
    frame = nw.from_native(y_pred, pass_through=True, eager_only=True)
    if isinstance(frame, nw.DataFrame):
        columns = {str(column.name): column.to_native() for column in frame.iter_columns()}
        return columns if len(columns) > 1 else dict(zip([name], columns.values(), strict=False))
    if isinstance(y_pred, (list, tuple)) and y_pred:
        first = y_pred[0]  # many predictions rather than one
        if isinstance(first, (list, tuple)) or (hasattr(first, "__len__") and np.ndim(first) == 1):
            return {f"{name} {number + 1}": predicted for number, predicted in enumerate(y_pred)}
    return {name: y_pred}


def name_estimators(estimator: object, name: str | None) -> dict[str, Any]:
    """Return estimators under their names, or their kinds; a list of them is numbered where kinds repeat."""
    if isinstance(estimator, Mapping):
        return {str(key): each for key, each in estimator.items()}
    if not isinstance(estimator, (list, tuple)):
        return {type(estimator).__name__ if name is None else name: estimator}
    kinds = [type(each).__name__ for each in estimator]
    return {
        kind if kinds.count(kind) == 1 else f"{kind} {kinds[: number + 1].count(kind)}": each
        for number, (kind, each) in enumerate(zip(kinds, estimator, strict=True))
    }


_MARKS = {
    ".svg": b'data-maker="infoscope"',
    ".png": b"tEXtSoftware\0infoscope",
    ".pdf": b"/Creator (infoscope)",
}
"""The mark that every picture of infoscope carries, by which it is recognised."""


class Display(KeywordHints):
    """One picture: its coordinates are ready when it is made, ``plot`` draws them on matplotlib axes."""

    figure_: Any = None
    ax_: Any = None

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """Reject a picture of nothing: its first part is what it shows."""
        shown = given[0] if given else next(iter(named.values()), None)
        if isinstance(shown, (list, tuple, dict)) and not shown:
            raise InputError(f"there is nothing to draw; give {cls.__name__} at least one system, row or point")
        return super().__new__(cls, *given, **named)

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {self.panel().summary}"

    def panel(self) -> Panel:
        """Return the picture as marks in data coordinates."""
        raise NotImplementedError

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on matplotlib axes, new ones unless given; on given axes words shrink with the room there is."""
        panel = self.panel()
        self.ax_ = make_axes(panel) if ax is None else ax
        self.figure_ = self.ax_.figure
        draw(panel, self.ax_)
        return self

    def to_svg(self, *, dark: bool | None = None) -> str:
        """Return the picture as SVG text, without matplotlib; dark or light as its reader prefers unless stated."""
        return make_standalone_svg(self.panel(), dark=dark)

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the picture: ``.svg`` by itself, ``.pdf`` and ``.png`` with matplotlib.

        A file that exists is overwritten if it is a picture that was written so, any other only with ``force``.
        """
        target = Path(path)
        suffix = target.suffix.lower()
        if suffix not in _MARKS:
            raise InputError(f"{target.name!r} names no kind of picture; end it in .svg, .pdf or .png")
        check_target(target)
        try:
            taken = target.is_file()
            if taken and not force and _MARKS[suffix] not in target.read_bytes():
                raise InputError(
                    f"{target} exists and is no picture of infoscope; choose another name, or overwrite it with "
                    "force=True"
                )
        except OSError as problem:
            raise explain_write_error(target, problem) from None
        kind = suffix.removeprefix(".")
        write_file(target, self.to_svg() if kind == "svg" else image(self.panel(), kind), replace=taken or force)
        return target

    def _repr_html_(self) -> str | None:
        """Return the picture for a notebook, unless it has been drawn on axes, which the notebook shows by itself."""
        if self.ax_ is not None:
            return None
        return picture(self.panel())


class TableDisplay(Display):
    """A picture that is drawn from tables.

    ``from_predictions`` and ``from_estimator`` draw at once, as scikit-learn's do; ``from_table`` and
    ``from_evaluation`` wait for ``plot``, ``save`` or ``to_svg``.
    """

    _single: ClassVar[bool] = False
    """True if the picture is of one system only."""

    from_table: ClassVar[Callable[..., Any]]
    """The picture of a table, of tables by name or in a list, or of an evaluation; each picture has its own options."""

    @classmethod
    def from_predictions(
        cls,
        y_true: LabelsLike,
        y_pred: LabelsByName,
        *,
        sample_weight: ArrayLike | None = None,
        labels: Sequence[Label] | None = None,
        reject: Label | None = None,
        positive: Label | None = None,
        name: str = "system",
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Count the labels and draw; ``y_pred`` may hold several systems: by name, as columns of a frame, in a list."""
        tables = {
            key: count_labels(Contingency, y_true, predicted, sample_weight, Declared(labels, reject, positive))
            for key, predicted in name_predictions(y_pred, name).items()
        }
        warn_of_rows(merge_ignored(table.ignored for table in tables.values()))
        given: Tables = next(iter(tables.values())) if cls._single and len(tables) == 1 else tables
        display: Self = cls.from_table(given, **options)
        return display.plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: object, X: object, y: LabelsLike, *, name: str | None = None, **options: Any
    ) -> Self:
        """Let a fitted estimator predict, count and draw; several may come by name or in a list."""
        predicted = {}
        for key, fitted in name_estimators(estimator, name).items():
            predict = getattr(fitted, "predict", None)
            if not callable(predict):
                raise InputError(f"{key!r} is {describe_kind(fitted)}, which cannot predict; give a fitted estimator")
            predicted[key] = predict(X)
        return cls.from_predictions(y, predicted, **options)

    @classmethod
    def from_evaluation(cls, evaluation: object, *, system: str | None = None, **options: object) -> Self:
        """Draw every system of an evaluation; for a picture of one system the best, or the one that is named."""
        if not isinstance(evaluation, Evaluation):
            raise InputError(
                f"{cls.__name__} draws tables, and {describe_kind(evaluation)} has none; give what infoscope.evaluate "
                "returns"
            )
        systems = [part for part in evaluation.systems if system in (None, part.title, part.name)]
        if not systems:
            titles = list_names(part.title for part in evaluation.systems)
            raise UnknownNameError(f"there is no system {system!r}; there are {titles}")
        if cls._single:
            systems = list(evaluation.ranking[:1]) if system is None else systems[:1]
        display: Self = cls.from_table({part.title: _get_table(part) for part in systems}, **options)
        return display

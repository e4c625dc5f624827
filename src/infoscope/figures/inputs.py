"""What pictures take: tables by name, out of whatever holds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import lazy_loader
import numpy as np

from infoscope.errors import InputError, UnknownNameError
from infoscope.figures.drawing.layout import shortened
from infoscope.readers import Tables as ReadTables
from infoscope.studies.evaluate import Evaluation, SystemResult
from infoscope.tables import Contingency
from infoscope.typing import LabelsLike

if TYPE_CHECKING:
    import narwhals as nw

    from infoscope.studies.tracking import TrackingEvaluation
else:
    nw = lazy_loader.load("narwhals")  # only for frames

__all__ = [
    "Tables",
    "a_kind",
    "chosen_systems",
    "estimators_by_name",
    "one_table",
    "predictions",
    "predictions_by_name",
    "tables_by_name",
    "tracking_only",
    "with_sample_weight",
]

Tables = Contingency | Mapping[Any, Contingency] | Sequence[Contingency] | Evaluation
"""One table, tables by name, a list of tables, or an evaluation with its systems."""


def tables_by_name(tables: Tables, name: str = "system") -> dict[str, Contingency]:
    """Tables under their names; one without samples, or a batch, cannot be drawn.

    >>> table = Contingency.from_matrix([[3, 1], [0, 4]])
    >>> list(tables_by_name(table)), list(tables_by_name([table, table]))
    (['system'], ['system 1', 'system 2'])
    """
    named = _named(tables, name)
    if not named:
        raise InputError("there is no table to draw; give at least one")
    for key, table in named.items():
        if not isinstance(table, Contingency):
            raise InputError(f"{key!r} is {a_kind(table)}, not a table; {_WAY_OUT}")
        if table.batch_shape:
            raise InputError(f"{key!r} is a batch of tables; draw its tables one by one")
        if not table.total > 0:
            raise InputError(f"the table of {key!r} has no samples; a picture needs at least one")
    return named


def one_table(tables: Tables, name: str, picture: str) -> Contingency:
    """The only table, for a picture of one system."""
    named = tables_by_name(tables, name)
    if len(named) > 1:
        raise InputError(f"{picture} shows one system, not {len(named)} ({listed(named)}); draw them one by one")
    return next(iter(named.values()))


_WAY_OUT = "count labels with Contingency.from_labels, or give a matrix of counts to Contingency.from_matrix"


def _named(tables: Any, name: str) -> dict[str, Contingency]:
    if isinstance(tables, Contingency):
        return {name: tables}
    if isinstance(tables, Evaluation):
        return {system.title: _table_of(system) for system in tables.systems}
    if isinstance(tables, ReadTables):
        return tables.by_name()
    if isinstance(tables, Mapping):
        return {str(key): table for key, table in tables.items()}
    if isinstance(tables, Sequence) and not isinstance(tables, str):
        return {f"{name} {at + 1}": table for at, table in enumerate(tables)}
    raise InputError(f"this is {a_kind(tables)}, not a table; {_WAY_OUT}")


def a_kind(thing: object) -> str:
    """What kind of thing was given, in words."""
    name = type(thing).__name__
    return f"{'an' if name[:1] in 'AEIOaeio' else 'a'} {name}"


def tracking_only(evaluation: object, picture: str) -> TrackingEvaluation:
    """The evaluation, if it is one of trackers."""
    if getattr(evaluation, "kind", None) != "tracking":
        raise InputError(
            f"{picture} is drawn from tracks, and this is {a_kind(evaluation)}; give what "
            "infoscope.tracking.evaluate returns"
        )
    return cast("TrackingEvaluation", evaluation)


def with_sample_weight(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a sweep, whose ``weight`` may also be called as scikit-learn does.

    >>> with_sample_weight({"sample_weight": [1, 2], "positive": "yes"})
    {'positive': 'yes', 'weight': [1, 2]}
    """
    rest = {name: value for name, value in options.items() if name != "sample_weight"}
    weight = options.get("sample_weight")
    if weight is not None and rest.get("weight") is not None:
        raise InputError("weight and sample_weight are one thing; give one of them")
    return rest if weight is None else {**rest, "weight": weight}


def listed(names: Iterable[str], most: int = 4) -> str:
    """The first names, and how many more there are."""
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(shortened(name, 40) for name in every[:most]) + more


def _table_of(system: SystemResult) -> Contingency:
    if system.table is None:
        raise InputError(
            f"the evaluation holds no table of {system.title!r}, as if it was read from a file; evaluate the rows again"
        )
    return system.table


def chosen_systems(evaluation: Evaluation, system: str | None, *, single: bool) -> dict[str, Contingency]:
    """The tables of all systems; of the one that is named; or, for a picture of one system, of the best."""
    if system is None:
        systems = evaluation.ranking[:1] if single else evaluation.systems
        return {each.title: _table_of(each) for each in systems}
    found = [each for each in evaluation.systems if system in (each.title, each.name)]
    if not found:
        raise UnknownNameError(
            f"there is no system {system!r}; there are {listed(each.title for each in evaluation.systems)}"
        )
    return {each.title: _table_of(each) for each in (found[:1] if single else found)}


def predictions_by_name(y_pred: object, name: str = "system") -> dict[str, Any]:
    """Predictions of one system, or of several: by name, as columns of a data frame, or in a list.

    >>> list(predictions_by_name(["a", "b"], "mine")), list(predictions_by_name([["a", "b"], ["b", "b"]]))
    (['mine'], ['system 1', 'system 2'])
    """
    if isinstance(y_pred, Mapping):
        return {str(key): predicted for key, predicted in y_pred.items()}
    frame = nw.from_native(y_pred, pass_through=True, eager_only=True)
    if isinstance(frame, nw.DataFrame):
        columns = {str(column.name): column.to_native() for column in frame.iter_columns()}
        return columns if len(columns) > 1 else dict(zip([name], columns.values(), strict=False))
    if isinstance(y_pred, (list, tuple)) and y_pred and _is_run(y_pred[0]):
        return {f"{name} {at + 1}": predicted for at, predicted in enumerate(y_pred)}
    return {name: y_pred}


def _is_run(thing: object) -> bool:
    """Whether this is many predictions rather than one."""
    return isinstance(thing, (list, tuple)) or (hasattr(thing, "__len__") and np.ndim(thing) == 1)  # type: ignore[arg-type]


def estimators_by_name(estimator: object, name: str | None) -> dict[str, Any]:
    """Estimators under their names, or their kinds; a list of them is numbered where kinds repeat."""
    if isinstance(estimator, Mapping):
        return {str(key): each for key, each in estimator.items()}
    if not isinstance(estimator, (list, tuple)):
        return {type(estimator).__name__ if name is None else name: estimator}
    kinds = [type(each).__name__ for each in estimator]
    return {
        kind if kinds.count(kind) == 1 else f"{kind} {kinds[: at + 1].count(kind)}": each
        for at, (kind, each) in enumerate(zip(kinds, estimator, strict=True))
    }


def predictions(estimator: object, X: object, name: str) -> LabelsLike:
    """What a fitted estimator predicts."""
    predict = getattr(estimator, "predict", None)
    if not callable(predict):
        raise InputError(f"{name!r} is {a_kind(estimator)}, which cannot predict; give a fitted estimator")
    found: LabelsLike = predict(X)
    return found

"""Tables that are evaluated: gathered from labels, tables or rows, given a posterior with intervals, and measured.

``gather_inputs`` makes a ``TableInput`` of each system (in each group), and says what was left out; ``prepare_table``
makes of it the table that the caller asked about: in its order, with its costs, re-weighted, or of clusters.
``add_examples`` reads rows of the confused pairs again, and searches the groups of rows in which they are frequent.
``fit_belief`` adds the posterior, or the reason why there is none; ``measure`` returns the ``SystemResult``. A judge is
evaluated in the same way (``evaluate.py``), and the classes of ``infoscope.report``.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, starmap
from math import isfinite
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from infoscope.errors import InfoscopeError, InputError, mask_secrets, suggest_name
from infoscope.metrics.chance import chance_p_value
from infoscope.metrics.registry import catalogue, metrics_of
from infoscope.metrics.shannon import entropies
from infoscope.posterior import Posterior, samples_to_halve
from infoscope.posterior.groups import GroupPosterior
from infoscope.posterior.measures import compute_information_sds
from infoscope.posterior.sample_size import explain_sample_size
from infoscope.posterior.summary import DrawnBelief
from infoscope.readers import Joint, Query, ReadOptions, Tables, read_together
from infoscope.readers.cell_rows import (
    MAX_ROWS_PER_CELL,
    MAX_SEGMENT_VALUES,
    CellRows,
    find_segments,
    sample_labels,
    sample_rows,
)
from infoscope.readers.files import Files, is_read_once
from infoscope.readers.labels import Cleaning
from infoscope.readers.query import as_names
from infoscope.readers.reader import count_tables, prepare_finished_tables
from infoscope.results.estimate import Estimate, drop_infinite
from infoscope.results.finding import Finding
from infoscope.results.provenance import IgnoredRows, Provenance
from infoscope.studies.clustering import splits_and_merges
from infoscope.studies.diagnose import withheld_metrics
from infoscope.studies.diagnose_statistics import TableBelief, find_confusions, find_directed_errors
from infoscope.studies.evaluation import (
    MAX_CELLS,
    CellCost,
    CellExamples,
    CellLoss,
    ClassEstimates,
    ConfusedPair,
    ErrorSegment,
    ExampleRow,
    IntervalMethod,
    RowLabels,
    SystemResult,
    describe_halving,
)
from infoscope.studies.inputs import (
    Prevalence,
    StatedOrder,
    UncertaintyOptions,
    check_rows,
    describe_groups,
    materialize_labels,
    name_predictions,
    name_tables,
    pick_column,
    pick_labels,
)
from infoscope.studies.predictions import PairedPredictions
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import check_labels, is_positive_open
from infoscope.tables.construction import Declared, count_labels, declare_classes
from infoscope.tables.counting import Support, merge_ignored, warn_of_rows
from infoscope.tables.ifs_file import hash_tables
from infoscope.tables.labels import Label
from infoscope.tables.transformations import StatedCosts, match_shares, order_classes, sort_by_scale
from infoscope.typing import LabelsByName, LabelsLike, Source

MAX_CLASSES = 10_000
"""A document lists at most this many classes per side, the costliest."""
MAX_GROUPS_NAMED = 3
"""Groups that are split, and groups that are merged, that findings name."""

MAX_KEPT_ROWS = 100_000
"""Rows up to which a result keeps their labels by default: about as many bytes as its other numbers."""
MAX_PAIRED_ROWS = 2_000_000
"""Rows up to which it keeps them when asked."""
MAX_COMPARED_ROWS = 1_000_000
"""Labels up to which systems are compared by default."""

MAX_CHARACTERS = 500_000
"""Size of all example rows of a document: with their markup they add less than 300 kB to a page."""
EXAMPLE_STEPS = (50, 20, 10, 5, 3, 2, 1)
"""Rows of each confused pair that are tried where more take too much room."""
MAX_SEGMENT_COLUMNS = 4
"""Columns that are looked at as groups, the first ones that have few values."""
MIN_ROWS_PER_VALUE = 2


@dataclass(frozen=True)
class Clusters:
    """Groups of rows that belong together: their column, and the cells of each group, one line per group."""

    column: str
    lines: Any


@dataclass(frozen=True)
class TableInput:
    """One table to be evaluated, with its system and group."""

    name: str
    table: Contingency
    group: Mapping[str, str] | None = None
    n: float | None = None
    cluster: Clusters | None = None
    """Groups of rows that belong together; None where rows are independent."""
    belief: TableBelief | None = None
    interval: IntervalMethod | None = None
    examples: tuple[CellExamples, ...] = ()
    """Rows of its confused pairs."""
    clusters: bool = False
    """True if the names of the predictions mean nothing."""

    @property
    def is_counted(self) -> bool:
        """True if the table is of a sample, not expected by a model from draws."""
        return self.interval is None or self.interval.method != "draws"

    @property
    def has_one_class(self) -> bool:
        """True if the truth has one class, of which only a prior could say that others carry information."""
        return int(np.count_nonzero(self.table.row_totals)) == 1


@dataclass(frozen=True)
class ColumnRequest:
    """Which columns of a source to read, and what its labels mean."""

    truth: str | None = None
    system: str | Sequence[str] | None = None
    weight: Any = None
    by: str | Sequence[str] | None = None
    reject: Label | None = None
    positive: Label | None = None
    clean: Cleaning = ()
    labels: Any = None
    groups: Any = None
    keep_rows: bool | None = None
    how: ReadOptions | None = None

    @property
    def max_kept(self) -> int:
        """Most rows to keep: as many as possible where asked for, none where rejected, else a moderate number."""
        return 0 if self.keep_rows is False else MAX_PAIRED_ROWS if self.keep_rows else MAX_KEPT_ROWS

    @property
    def query(self) -> Query:
        """The same as readers take it."""
        for name, value in (("weight", self.weight), ("groups", self.groups)):
            if value is not None and not isinstance(value, str):
                raise InputError(f"{name} is not the name of a column; name one, or give labels as (y_true, y_pred)")
        if self.labels is not None and self.groups is not None:
            raise InputError("groups are resampled over the classes that occur; leave out labels= or groups=")
        return Query(
            self.truth or "",
            as_names(self.system),
            self.weight,
            as_names(self.by),
            self.groups,
            self.reject,
            self.positive,
            self.clean,
            read=self.how or ReadOptions(),
        )


@dataclass(frozen=True)
class Inputs:
    """Systems and tables to evaluate."""

    provenance: Provenance
    subjects: list[TableInput]
    joints: Mapping[tuple[str, ...], Joint | PairedPredictions] = field(default_factory=dict)
    """The systems row by row, by group, where they were read together; without groups there is one, ()."""
    notes: tuple[Finding, ...] = ()
    """About what was read."""
    row_labels: RowLabels | None = None
    """All rows in their order, where they are kept."""


# Tables ---------------------------------------------------------------------------------------------------------------


def gather_inputs(source: Source, y_pred: LabelsByName | None, request: ColumnRequest) -> Inputs:
    """Gather the tables to evaluate: from labels, from tables, or from rows that are read."""
    if y_pred is not None:
        if request.truth is not None or request.system is not None:
            raise InputError("give labels as (y_true, y_pred), or name columns with truth= and system=, not both")
        y_true, systems = materialize_labels(cast(LabelsLike, source)), name_predictions(y_pred)
        check_labels(y_true, systems)
        return _count_labels(y_true, systems, request)
    finished = source if isinstance(source, Tables) else None
    if finished is None and (tables := name_tables(source, request.system)) is not None:
        finished = Tables({(): tables}, None, merge_ignored(table.ignored for table in tables.values()))
    if finished is not None:
        if not finished:
            raise InputError("there is no table, as no row belongs to a group; there is nothing to evaluate")
        subjects = []
        for (group, name), table in prepare_finished_tables(dict(finished.items()), vars(request)).items():
            if table.batch_shape:
                raise InputError("a batch of tables is no single result; evaluate its tables one by one")
            if not table.total:
                raise InputError(f"the table of {name!r} has no data; there is nothing to evaluate")
            subjects.append(TableInput(name, table, group=_name_group(finished.by, group), n=table.sample_size))
        return Inputs(
            Provenance(rows=finished.rows, ignored=tuple(starmap(IgnoredRows, finished.ignored.items()))), subjects
        )
    columns = pick_labels(source, request.truth, request.system)
    if columns is not None and not request.by and not request.clean:
        rows = cast("Mapping[str, Any]", source)
        values = {name: pick_column(rows, getattr(request, name)) for name in ("weight", "groups")}
        return _count_labels(*columns, replace(request, **values))
    return _read_rows(source, request)


def _count_labels(y_true: Any, systems: Mapping[str, Any], request: ColumnRequest) -> Inputs:
    """Count labels that pair by position; rows side by side are kept where something asks for them."""
    if request.by is not None:
        raise InputError("by= names columns of rows; split the labels, or give a data frame with truth= and system=")
    if request.clean:
        raise InputError("clean= is about labels that are read; clean the labels before you give them")
    declared = Declared(request.labels, request.reject, request.positive)
    tables = {
        name: count_labels(Contingency, y_true, labels, request.weight, declared) for name, labels in systems.items()
    }
    ignored = merge_ignored(table.ignored for table in tables.values())
    rows = int(max(float(table.total) + sum(table.ignored.values()) for table in tables.values()))
    are_kept = request.weight is None and rows <= request.max_kept
    predictions = None
    if request.groups is not None or are_kept or (len(tables) > 1 and rows <= MAX_COMPARED_ROWS):
        predictions = PairedPredictions.from_labels(
            y_true,
            systems,
            sample_weight=request.weight,
            cluster=request.groups,
            reject=request.reject,
            positive=request.positive,
        )
    subjects = [TableInput(name, table, n=table.sample_size) for name, table in tables.items()]
    if request.groups is not None and predictions is not None:
        lost = max(predictions.lacking(name) - sum(table.ignored.values()) for name, table in tables.items())
        ignored |= {"missing group": lost} if lost > 0 else {}
        subjects = []
        for name in tables:
            own = predictions.pair(name, name)
            cluster = Clusters("groups", own.clusters_a)
            subjects.append(TableInput(name, own.table_a, n=own.table_a.sample_size, cluster=cluster))
    warn_of_rows(ignored)
    provenance = Provenance(
        rows=rows if request.weight is None else None, ignored=tuple(starmap(IgnoredRows, ignored.items()))
    )
    joints: dict[tuple[str, ...], Joint | PairedPredictions] = {}
    if predictions is not None and len(tables) > 1:
        joints[()] = predictions
    row_labels = RowLabels.pack(predictions.rows) if are_kept and predictions is not None else None
    return Inputs(provenance, _drop_empty(subjects, None), joints, row_labels=row_labels)


def _read_rows(source: Any, request: ColumnRequest) -> Inputs:
    """Read and count rows of a source, by group where they are split."""
    check_rows(source, request.truth)
    query = request.query
    together = read_together(source, query, request.max_kept)
    reading = together.reading
    warn_of_rows(reading.ignored)
    subjects = [
        TableInput(
            name,
            declare_classes(table, request.labels),
            group=_name_group(reading.by, group),
            n=table.sample_size,
            cluster=None if query.groups is None else Clusters(query.groups, together.clusters[group, name]),
        )
        for group, tables in reading.by_group.items()
        for name, table in tables.items()
    ]
    name = name_source(source)
    provenance = Provenance(name, reading.rows, tuple(starmap(IgnoredRows, reading.ignored.items())))
    joints = {tuple(map(str, group)): joint for group, joint in together.joints.items()}
    rows = together.ordered
    row_labels = None if rows is None else RowLabels.pack(PairedPredictions.from_joint(rows).rows)
    return Inputs(provenance, _drop_empty(subjects, name), joints, row_labels=row_labels)


def _drop_empty(subjects: list[TableInput], source: str | None) -> list[TableInput]:
    """Leave out groups in which a system has no usable row; a system without any is an error."""
    used = [subject for subject in subjects if subject.table.total > 0]
    names = {subject.name for subject in used}
    for subject in subjects:
        if subject.name in names:
            continue
        if subject.table.weight_squares is not None and subject.table.truth_labels:
            raise InputError(f"all rows predicted by {subject.name!r} have weight 0; there is nothing to evaluate")
        raise InputError(
            f"{source or 'the source'} has no row with both a truth and a prediction of {subject.name!r}; "
            "there is nothing to evaluate"
        )
    if not used:
        raise InputError(f"{source or 'the source'} has no rows; there is nothing to evaluate")
    return used


def _name_group(by: Sequence[str], group: Sequence[Label]) -> dict[str, str] | None:
    """Return the group by column; tables counted elsewhere may not say which columns those were."""
    names = by if len(by) == len(group) else [f"group {number}" for number in range(1, len(group) + 1)]
    return dict(zip(names, map(str, group), strict=True)) or None


def name_source(source: object) -> str | None:
    """Return how reports name a source; None where it has no name."""
    if isinstance(source, Files):
        return Path(source.name).name
    if isinstance(source, (list, tuple)) and source:
        first = name_source(source[0])
        return first if len(source) == 1 or first is None else f"{first} and {len(source) - 1} more"
    if isinstance(source, (str, Path)):
        pipe = {"-": "standard input", "/dev/stdin": "standard input"}.get(str(source))
        return pipe or (str(source) if str(source).startswith("/dev/") else Path(mask_secrets(str(source))).name)
    return None


def prepare_table(
    subject: TableInput,
    order: StatedOrder | None,
    costs: StatedCosts | None,
    prevalence: Prevalence | None,
    *,
    clusters: bool,
) -> TableInput:
    """Return the table that was asked about: classes in their order, with costs, re-weighted, or of clusters."""
    table = subject.table
    cluster = subject.cluster
    scale = None if order is None or clusters else order.scale(table)
    if scale is not None:
        if cluster is not None:
            cluster = replace(cluster, lines=cluster.lines[:, order_classes(table, scale, scale).cells])
        table = sort_by_scale(table, scale)
    if costs is not None:
        table = costs.on(table)
    if clusters:
        table = _separate_names(table)
    if prevalence is not None:
        shares = prevalence if isinstance(prevalence, str) else match_shares(table, prevalence)
        table = table.with_prevalence(shares)
    return replace(subject, table=table, cluster=cluster, clusters=clusters)


def _separate_names(table: Contingency) -> Contingency:
    """Rename predicted clusters that share a name with a class, as their names mean nothing; empty ones go."""
    rows = np.flatnonzero(table.row_totals > 0)
    columns = np.flatnonzero((table.column_totals > 0) | [label == table.reject for label in table.system_labels])
    truth = tuple(table.truth_labels[row] for row in rows)
    system = tuple(table.system_labels[column] for column in columns)
    if {str(label) for label in truth} & {str(label) for label in system}:
        system = tuple(label if label == table.reject else f"cluster {label}" for label in system)
    if table.support is None:
        values, support = table.values[np.ix_(rows, columns)], None
    else:
        used = np.flatnonzero(table.cells > 0)
        row_of, column_of = (np.zeros(size, dtype=np.int64) for size in table.shape)
        row_of[rows], column_of[columns] = np.arange(len(rows)), np.arange(len(columns))
        support = Support(row_of[table.cell_rows[used]], column_of[table.cell_columns[used]])
        values = table.values[used]
    return replace(
        table,
        truth_labels=truth,
        system_labels=system,
        values=values,
        support=support,
        positive=table.positive if table.positive in truth else None,
        declared=True,
    )


# Example rows ---------------------------------------------------------------------------------------------------------


def check_examples(source: object, examples: int | None, show: object) -> None:
    """Reject example rows of a source that is read once, and columns to show without a number of rows."""
    if examples is None:
        if show is not None:
            raise InputError("show names what is shown of example rows; say how many with examples= (--examples N)")
        return
    if isinstance(examples, bool) or not isinstance(examples, int) or not 1 <= examples <= MAX_ROWS_PER_CELL:
        raise InputError(f"examples must be a whole number from 1 to {MAX_ROWS_PER_CELL}, got {examples!r}")
    if is_read_once(source):
        raise InputError("standard input and pipes are read once, and examples need a second look; give a file")


def add_examples(
    inputs: Inputs,
    source: Source,
    y_pred: LabelsByName | None,
    request: ColumnRequest,
    limit: int,
    show: str | Sequence[str] | Mapping[str, Any] | None,
) -> Inputs:
    """Add random rows of the confused pairs to each table, and the groups of rows in which they are frequent."""
    samples = _sample_rows(source, y_pred, request, limit, (show,) if isinstance(show, str) else show)
    subjects, kept = [], limit
    for subject in inputs.subjects:
        group = tuple((subject.group or {}).values())
        cells, rows = _list_examples(
            samples.get((group, subject.name), {}), subject.table, MAX_CHARACTERS // len(inputs.subjects), limit
        )
        subjects.append(replace(subject, examples=tuple(cells)))
        kept = min(kept, rows)
    if y_pred is None and not request.by:
        searched = _search_segments({subject.name: subject.examples for subject in subjects}, source, request)
        subjects = [replace(subject, examples=tuple(searched[subject.name])) for subject in subjects]
    notes = inputs.notes
    if kept < limit:
        text = f"Example rows are limited to {kept} instead of {limit} per confused pair to keep the result small."
        if not kept:
            text = (
                "Example rows are kept for the most frequent confused pairs only, one each, to keep the result small."
            )
        notes = (*notes, Finding("examples_limited", text, evidence={"kept": kept, "asked": limit}))
    return replace(inputs, subjects=subjects, notes=notes)


def _sample_rows(
    source: Any,
    y_pred: Any,
    request: ColumnRequest,
    limit: int,
    show: Sequence[str] | Mapping[str, Any] | None,
) -> dict[tuple[tuple[str, ...], str], CellRows]:
    """Sample rows of every cell, by group and system: of labels, of a mapping of columns, or of rows read again."""
    if y_pred is None and name_tables(source, request.system) is not None:
        raise InputError("a finished table does not know its rows; examples= needs labels or rows")
    labels = (source, name_predictions(y_pred)) if y_pred is not None else None
    if labels is None and (labels := pick_labels(source, request.truth, request.system)) is not None:
        used = {request.truth, *as_names(request.system)}
        names = [name for name in source if name not in used] if show is None else show
        for name in names:
            if name not in source:
                raise InputError(f"the source has no column {name!r}; {suggest_name(name, source, 'it has')}")
        show = {name: source[name] for name in names}
    if labels is not None:
        if show is not None and not isinstance(show, Mapping):
            raise InputError("beside labels show= maps names to values, one for each label: show={'text': texts}")
        samples = sample_labels(*labels, show or {}, limit, request.reject)
    else:
        if isinstance(show, Mapping):
            raise InputError("show= names columns of the source; a mapping of values is for labels (y_true, y_pred)")
        samples = sample_rows(source, request.query, show, limit)
    return {(tuple(map(str, group)), name): cells for (group, name), cells in samples.items()}


def _list_examples(samples: CellRows, table: Contingency, room: int, limit: int) -> tuple[list[CellExamples], int]:
    """List cells off the diagonal, the largest first, with as many rows of each as fit; return how many these are.

    They are 0 where even one row of each cell does not fit, and the smaller cells go.
    """
    counts = {
        (table.truth_labels[row], table.system_labels[column]): float(count)
        for row, column, count in zip(table.cell_rows, table.cell_columns, table.cells, strict=True)
    }
    cells = []
    for (truth, predicted), sampled in samples.items():
        column = predicted if predicted in table.system_labels else f"cluster {predicted}"
        if truth != column:
            rows = tuple(ExampleRow(row.number, row.values) for row in sampled)
            count = counts.get((truth, column), 0.0)
            cells.append(CellExamples(str(truth), str(column), int(count) if count.is_integer() else count, rows))
    cells.sort(key=lambda cell: (-cell.count, cell.truth, cell.system))

    def estimate_size(cell: CellExamples) -> int:
        values = [item for row in cell.rows for item in row.values.items()]
        return 40 + 20 * len(cell.rows) + sum(len(name) + len(str(value)) + 6 for name, value in values)

    for kept in (limit, *(step for step in EXAMPLE_STEPS if step <= limit)):
        shown = [replace(cell, rows=cell.rows[:kept]) for cell in cells]
        if sum(map(estimate_size, shown)) <= room:
            break
    else:
        kept, shown = 0, []
        for cell in cells:
            one_row = replace(cell, rows=cell.rows[:1])
            room -= estimate_size(one_row)
            if room < 0:
                break
            shown.append(one_row)
    in_order = [replace(cell, rows=tuple(sorted(cell.rows, key=lambda row: row.row or 0))) for cell in shown]
    return in_order, kept


def _search_segments(
    cells: Mapping[str, Sequence[CellExamples]], source: Source, request: ColumnRequest
) -> dict[str, list[CellExamples]]:
    """Add to each cell of each system the groups of rows in which its errors are more frequent than elsewhere."""
    # columns with a few values that come back: groups, rather than names or measurements
    values: dict[str, list[Any]] = {}
    for cell in chain.from_iterable(cells.values()):
        for row in cell.rows:
            for name, value in row.values.items():
                values.setdefault(name, []).append(value)
    # those of another system are no groups
    classes = {label for cell in chain.from_iterable(cells.values()) for label in (cell.truth, cell.system)}
    taken = {request.truth, request.weight, *as_names(request.system)}
    columns = []
    for name, own_values in values.items():
        distinct = {value for value in own_values if value is not None}
        few = 2 <= len(distinct) <= MAX_SEGMENT_VALUES and len(own_values) >= MIN_ROWS_PER_VALUE * len(distinct)
        is_other = any(isinstance(value, float) or str(value) in classes for value in distinct)
        if few and name not in taken and not is_other:
            columns.append(name)

    tables: dict[str, dict[str, dict[str, Contingency]]] = {name: {} for name in cells}
    for column in columns[:MAX_SEGMENT_COLUMNS]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of missing labels, which was said before
                by_group = count_tables(
                    source,
                    request.truth,
                    list(cells),
                    request.how,
                    by=column,
                    weight=request.weight,
                    reject=request.reject,
                    clean=request.clean,
                )
        except InfoscopeError:
            continue  # a column that cannot be grouped by
        for (group, system), table in by_group.items():
            tables.setdefault(system, {}).setdefault(column, {})[str(group[0])] = table
    searched: dict[str, list[CellExamples]] = {name: [] for name in cells}
    for system, own in cells.items():
        for cell in own:
            counts = {
                column: {value: _count_errors(table, cell.truth, cell.system) for value, table in by_value.items()}
                for column, by_value in tables[system].items()
                if 1 < len(by_value) <= MAX_SEGMENT_VALUES
            }
            segments = tuple(
                ErrorSegment(segment.column, segment.value, segment.rate, segment.elsewhere)
                for segment in find_segments(counts)
            )
            searched[system].append(replace(cell, segments=segments, searched=tuple(counts)))
    return searched


def _count_errors(table: Contingency, truth: str, system: str) -> tuple[int, int]:
    """Count rows of a cell, and of its true class; weighted ones as if each weighed one on average."""
    row = {str(label): place for place, label in enumerate(table.truth_labels)}.get(truth)
    column = {str(label): place for place, label in enumerate(table.system_labels)}.get(system)
    if row is None:
        return 0, 0
    errors = table.cells[(table.cell_rows == row) & (table.cell_columns == column)] if column is not None else ()
    return round(float(sum(errors))), round(float(table.row_totals[row]))


# Belief ---------------------------------------------------------------------------------------------------------------


def fit_belief(subject: TableInput, uncertainty: UncertaintyOptions) -> TableInput:
    """Add the posterior of a table, and a description of how it was obtained.

    A table that was estimated, without truth or by a judge, has the intervals of its draws; groups of rows are
    resampled as a whole; any other table has a posterior. There are no intervals if the caller wants none, the sample
    size is not known, or the result would depend on the prior.
    """
    level, stated_size = uncertainty.level, uncertainty.sample_size
    percent = f"{100 * level:.4g}%"
    n = subject.n if stated_size is None else stated_size

    def omit_intervals(reason: str) -> TableInput:
        return replace(subject, n=n, interval=IntervalMethod(level, "none", reason))

    if uncertainty.uncertainty is None:
        return omit_intervals(
            "values of this sample (maximum likelihood) without intervals, as asked; few rows per class inflate "
            "information"
        )

    reweighting = subject.table.reweighting
    origin = subject.table if reweighting is None else reweighting.origin
    estimation = origin.estimation
    is_estimated = estimation is not None and estimation.draws.shape[1:] == origin.shape  # and not changed since
    if estimation is not None and is_estimated and stated_size is None:
        if not estimation.has_interval:
            return omit_intervals(
                "no intervals: the draws of the estimated table disagree, so the data do not settle it"
            )
        source = "from few labels and a judge" if estimation.basis == "judge" else "without truth"
        text = f"{percent} intervals of {len(estimation.draws):,} draws of the table, estimated {source}"
        return replace(subject, belief=DrawnBelief(subject.table), interval=IntervalMethod(level, "draws", text))

    if n is None:
        return omit_intervals(
            "no intervals: the table is of total 1, so its sample size is not known; state it with sample_size= or "
            "--sample-size"
        )
    if subject.clusters and subject.table.is_sparse:
        # among a million groups nearly all cells are empty, and no prior about them is worth its interval
        return omit_intervals(
            "no intervals: among so many clusters nearly all cells are empty, and a prior would decide"
        )

    if subject.cluster is not None:
        if stated_size is not None or not (isinstance(uncertainty.prior, str) and uncertainty.prior == "default"):
            raise InputError("groups take neither a prior nor a stated sample size; leave them out")
        by_group = GroupPosterior(subject.table, subject.cluster.lines, seed=uncertainty.seed)
        groups = by_group.lines.shape[0]
        text = (
            f"{percent} intervals that take rows within the {groups:,} groups of {subject.cluster.column!r} as "
            f"dependent: for accuracy, {n:,.6g} rows count as {by_group.effective_size('accuracy', level):,.3g} "
            "independent ones, each metric by its own spread between groups"
        )
        interval = IntervalMethod(level, "groups", text, seed=uncertainty.seed, groups=groups)
        return replace(subject, n=n, belief=by_group, interval=interval)

    posterior = Posterior(subject.table, uncertainty.prior, sample_size=n, seed=uncertainty.seed)
    more = None if subject.has_one_class else samples_to_halve(posterior, "proficiency")
    parts = [
        f"{percent} intervals of the posterior, prior {posterior.prior}, rows taken as independent",
        *explain_sample_size(subject.table, n, stated=stated_size is not None),
    ]
    text = "; ".join(parts) + ("" if more is None else describe_halving(more))
    interval = IntervalMethod(level, "posterior", text, posterior.prior, uncertainty.seed, samples_to_halve=more)
    return replace(subject, n=n, belief=posterior, interval=interval)


# Results --------------------------------------------------------------------------------------------------------------


def _name_no_sides(finding: Finding) -> Finding:
    """Leave out that clusters are named otherwise than the classes: their names are made up."""
    start, said = "Truth and output share no label; read", (finding.text, finding.detail)
    text, detail = (part.replace(start, "Read") if part else part for part in said)
    return replace(finding, text=text, detail=detail)


def measure(subject: TableInput, findings: Sequence[Finding], level: float = 0.95) -> SystemResult:
    """Measure one table: every metric of the catalogue, classes, predictions, cells, confused pairs and findings."""
    table = subject.table
    has_two_classes = len(table.truth_labels) == 2
    positive = str(table.positive_label) if has_two_classes else None
    clustering = splits_and_merges(table) if subject.clusters else None
    diagnosis: list[Finding] = []
    if clustering is not None:
        findings = [_name_no_sides(finding) for finding in findings]
        evidence: dict[str, Any] = {"exact": clustering.exact, "groups": clustering.groups}
        if clustering.split_groups or clustering.merged_clusters:
            diagnosis.append(Finding("clusters", f"{clustering.sentence()}.", evidence=evidence))
        splits = clustering.splits[:MAX_GROUPS_NAMED] if clustering.split_groups else ()
        merges = clustering.merges[:MAX_GROUPS_NAMED] if clustering.merged_clusters else ()
        for part in (*splits, *merges):
            evidence = {"bits": part.bits, "size": part.size}
            diagnosis.append(Finding(f"{part.kind}_group", f"{part.sentence()}.", evidence=evidence))
    if subject.cluster is not None:
        diagnosis += describe_groups(subject.cluster.lines)
    leaks, costs = _list_cells(table)
    # two classes form a single pair, so report misses and false alarms separately
    find_pairs = find_directed_errors if has_two_classes else find_confusions
    return SystemResult(
        name=subject.name,
        n=_shorten(subject.n),
        truth_labels=tuple(map(str, table.truth_labels)),
        system_labels=tuple(map(str, table.system_labels)),
        reject=None if table.reject is None else str(table.reject),
        positive=positive,
        positive_by_sorting=is_positive_open(table) or None,
        ordinal=None if table.ordinal is None else tuple(map(str, table.ordinal)),
        group=subject.group,
        metrics=_measure_table(subject, level, positive, withheld=withheld_metrics(findings)),
        classes=tuple(_measure_classes(subject, "truth", level)),
        outputs=tuple(_measure_classes(subject, "system", level)),
        leaks=leaks,
        costs=costs,
        confusions=tuple(
            ConfusedPair((str(pair.first), str(pair.second)), _shorten(pair.count) or 0, pair.gain, pair.directed)
            for pair in find_pairs(table, float(entropies(table).truth))
        ),
        diagnosis=(*diagnosis, *findings),
        interval_method=subject.interval,
        clusters=clustering,
        chance_p_value=chance_p_value(table, subject.n),
        examples=subject.examples,
        data_hash=hash_tables(table),
        table=table,
    )


def _shorten(number: float | None) -> float | None:
    """Return whole numbers as integers, so that JSON shows a count as a count."""
    return int(number) if number is not None and float(number).is_integer() else number


def _measure_table(subject: TableInput, level: float, positive: str | None, withheld: set[str]) -> dict[str, Estimate]:
    """Measure the table in every metric, with intervals where the metric is defined.

    Metrics in ``withheld`` have a value without an interval, since its coverage would be too low.
    """
    table = subject.table
    entries = list(metrics_of("table", ordinal=table.ordinal is not None, costs=table.costs is not None))
    estimates: dict[str, Estimate] = {}
    for entry in entries:
        number = float(entry.score(table))
        estimate = Estimate.of(number, "" if np.isfinite(number) else entry.reason(table))
        estimates[entry.name] = replace(estimate, positive=positive) if entry.card.of_positive else estimate
    if subject.belief is None:
        return estimates
    names_with_intervals = [
        entry.name
        for entry in entries
        if entry.card.posterior != "none"
        and estimates[entry.name].value is not None
        and not (subject.has_one_class and entry.card.is_information)
    ]
    for name, summary in subject.belief.summaries(names_with_intervals, level).items():
        estimates[name] = estimates[name].with_belief(
            summary, corrected=catalogue[name].is_information, counted=subject.is_counted
        )
    if table.reweighting is None and subject.n is not None:
        for name, first_order in compute_information_sds(table, subject.n).items():
            if estimates[name].sd is not None:
                estimates[name] = estimates[name].with_first_order(first_order)
    for name in withheld & set(estimates):
        estimates[name] = replace(estimates[name], sd=None, low=None, high=None, first_order_sd=None)
    return estimates


def _measure_classes(subject: TableInput, side: Literal["truth", "system"], level: float) -> Iterator[ClassEstimates]:
    """Measure each class of one side in the metrics of that level, whose prefix is dropped.

    Of more than ``MAX_CLASSES`` classes the costliest are listed, in their order.
    """
    table = subject.table
    beliefs: Mapping[str, Any] = {}
    if subject.belief is not None:
        beliefs = subject.belief.by_class(level) if side == "truth" else subject.belief.by_output(level)
    entries = {entry.name.partition("_")[2]: entry for entry in metrics_of(side)}
    numbers: dict[str, list[float]] = {}
    undefined: dict[str, str] = {}
    for name, entry in entries.items():
        values, undefined[name] = np.asarray(entry.score(table)), entry.card.undefined
        if subject.clusters and entry.card.unit != "count" and not entry.card.is_information:
            values, undefined[name] = np.full(values.shape, np.nan), "names of clusters mean nothing"
        numbers[name] = values.tolist()

    places: Sequence[int] = range(len(next(iter(numbers.values()))))
    if len(places) > MAX_CLASSES:
        cost = sum(np.nan_to_num(numbers[name]) for name in ("missed_share", "false_share"))
        places = np.sort(np.argsort(-cost, kind="stable")[:MAX_CLASSES]).tolist()

    columns: list[list[Estimate]] = []
    for name, entry in entries.items():
        summary = None if subject.has_one_class and entry.card.is_information else beliefs.get(name)
        parts: list[list[float | None]] = []
        if summary is not None:
            parts = [list(map(drop_infinite, np.asarray(part))) for part in summary]
        column = []
        for place in places:
            number = numbers[name][place]
            mean, sd, low, high = (part[place] for part in parts) if parts else (None,) * 4
            if not isfinite(number):
                column.append(Estimate.of(number, undefined[name]))
            elif entry.card.unit == "count":
                column.append(Estimate(_shorten(number)))
            elif mean is not None and not subject.is_counted:
                column.append(Estimate(mean, mean, sd, low, high))
            else:
                corrected = mean is not None and entry.card.is_information
                column.append(Estimate(number, mean, sd, low, high, corrected=corrected))
        columns.append(column)
    labels = table.truth_labels if side == "truth" else table.system_labels
    for place, row in zip(places, zip(*columns, strict=True), strict=True):
        yield ClassEstimates(str(labels[place]), dict(zip(entries, row, strict=True)))


def _list_cells(table: Contingency) -> tuple[tuple[CellLoss, ...], tuple[CellCost, ...]]:
    """List cells by the bits that they lose and add, and by their total cost, the costliest first; no free ones."""
    rows, columns = ([str(label) for label in labels] for labels in (table.truth_labels, table.system_labels))
    parts = {entry.name: np.asarray(entry.score(table)) for entry in metrics_of("cell")}
    missed, false = parts["cell_missed_information"], parts["cell_false_information"]
    bits = missed + false
    leaks = [
        CellLoss(
            rows[table.cell_rows[cell]],
            columns[table.cell_columns[cell]],
            _shorten(float(table.cells[cell])) or 0,
            float(missed[cell]),
            float(false[cell]),
        )
        for cell in np.argsort(-bits, kind="stable")[:MAX_CELLS]
        if bits[cell] > 0
    ]
    if table.costs is None:
        return tuple(leaks), ()
    costs = table.costs.lay_out(table.truth_labels, table.system_labels)[table.cell_rows, table.cell_columns]
    totals = costs * table.cells
    return tuple(leaks), tuple(
        CellCost(
            rows[table.cell_rows[cell]],
            columns[table.cell_columns[cell]],
            _shorten(float(table.cells[cell])) or 0,
            float(costs[cell]),
            float(totals[cell] / table.grand_total),
        )
        for cell in np.argsort(-np.abs(totals), kind="stable")[:MAX_CELLS]
        if totals[cell]
    )

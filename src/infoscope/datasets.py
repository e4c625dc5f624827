"""Data sets that come with the package: true classes of real data, and what real classifiers predict for them.

>>> data = digits()
>>> data
digits: 1,797 samples, 10 classes; predictions of svm, naive_bayes, relabelled, majority
>>> y_true, predictions = data
>>> print(y_true[:4], predictions["svm"][:4])
['0' '1' '2' '3'] ['0' '1' '2' '3']

Each prediction was made by a model that had not seen the sample; sources and licences: docs/reference/datasets.md.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import as_file, files
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import freeze_arrays
from infoscope.core.validation import KeywordHints, validated
from infoscope.errors import UnknownNameError, did_you_mean
from infoscope.results.frame import build_frame
from infoscope.tables.contingency import reduce_by_fields
from infoscope.typing import DataFrame

__all__ = ["DATASETS", "Dataset", "csv_of", "digits", "languages", "page_blocks"]

Column = NDArray[np.str_] | NDArray[np.float64]
_SCORE = "_score"


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(KeywordHints):
    """True classes, what systems predict, and their scores where they have any.

    ``evaluate(*data)`` and ``compare(*data)`` take it apart into ``(y_true, predictions)``.
    """

    name: str
    title: str
    y_true: NDArray[np.str_]
    predictions: Mapping[str, NDArray[np.str_]]
    """Predicted classes by system."""
    scores: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """Scores of the positive class by system."""
    positive: str | None = None
    """The class to be detected, where there is one."""
    reject: str | None = None
    """The prediction that means "abstained", where a system may abstain."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by fields."""
        return reduce_by_fields(self)

    def __iter__(self) -> Iterator[Any]:  # two types, one after the other: a union would fit neither
        """Yield ``y_true``, then ``predictions``: what functions of labels take."""
        yield self.y_true
        yield self.predictions

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.y_true)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The true classes, sorted."""
        return tuple(str(label) for label in np.unique(self.y_true))

    @property
    def columns(self) -> dict[str, Column]:
        """The same as columns by name: truth, one per system, one per score."""
        scores = {f"{name}{_SCORE}": score for name, score in self.scores.items()}
        return {"truth": self.y_true, **self.predictions, **scores}

    def to_frame(self, backend: str | None = None) -> DataFrame:
        """Return the columns as a data frame of pandas, polars or pyarrow, whichever is installed unless named."""
        names = list(self.columns)
        rows = zip(*(column.tolist() for column in self.columns.values()), strict=True)
        return build_frame((dict(zip(names, row, strict=True)) for row in rows), backend)

    def __repr__(self) -> str:
        """Say name, size and systems in a line."""
        about = f"{self.name}: {len(self):,} samples, {len(self.labels)} classes"
        scored = f"; scores of {', '.join(self.scores)}" if self.scores else ""
        return f"{about}; predictions of {', '.join(self.predictions)}{scored}"


@validated()
def digits(*, abstaining: bool = False) -> Dataset:
    """Return handwritten digits: 10 classes, a good classifier, a poor one, one with renamed outputs, a constant one.

    Parameters
    ----------
    abstaining : bool, default False
        Add a classifier that may abstain, which is the prediction "?" (give ``reject=data.reject``).

    Returns
    -------
    Dataset
        1,797 samples.

    Examples
    --------
    >>> import infoscope as ifs
    >>> result = ifs.evaluate(*digits())
    >>> print(f"{result['svm'].shown('proficiency'):.2f}, {result['majority'].shown('proficiency'):.2f}")
    0.97, 0.00
    """
    columns = _read("digits")
    if not abstaining:
        columns.pop("cautious")
    return _make_dataset("digits", columns, reject="?" if abstaining else None)


def page_blocks() -> Dataset:
    """Return blocks of scanned pages, of which 1 of 48 is a picture: two classifiers with their scores.

    Returns
    -------
    Dataset
        With scores of the class "picture".

    Examples
    --------
    >>> import infoscope as ifs
    >>> data = page_blocks()
    >>> curve = ifs.sweep(data.y_true, data.scores["boosting"], positive=data.positive)
    >>> print(f"{curve.areas['roc_auc']:.2f}")
    0.98
    """
    return _make_dataset("page_blocks", _read("page_blocks"), positive="picture")


def languages() -> Dataset:
    """Return names of countries, languages and currencies in 195 languages, the classes of three classifiers.

    Returns
    -------
    Dataset
        The language of each name, and what classifiers predict.

    Examples
    --------
    >>> len(languages().labels)
    195
    """
    return _make_dataset("languages", _read("languages"))


DATASETS: Mapping[str, str] = MappingProxyType(
    {
        "digits": "handwritten digits, 10 classes",
        "page_blocks": "pictures on scanned pages, 1 of 48 blocks, with scores",
        "languages": "language of a name, 195 classes",
    }
)
"""Every data set with what it is about."""


def _make_dataset(name: str, columns: Mapping[str, list[str]], **stated: str | None) -> Dataset:
    truth, *systems = (column for column in columns if not column.endswith(_SCORE))
    return Dataset(
        name,
        DATASETS[name],
        freeze_arrays(np.array(columns[truth])),
        MappingProxyType({system: freeze_arrays(np.array(columns[system])) for system in systems}),
        MappingProxyType(
            {
                column.removesuffix(_SCORE): freeze_arrays(np.array(values, dtype=np.float64))
                for column, values in columns.items()
                if column.endswith(_SCORE)
            }
        ),
        **stated,
    )


@validated()
def csv_of(name: str) -> str:
    """Return the file of a data set, as CSV.

    Parameters
    ----------
    name : str
        One of ``DATASETS``.

    Returns
    -------
    str
        A header, and a row for each sample: the true class, predicted classes, scores.

    Raises
    ------
    UnknownNameError
        Where there is no such data set.

    Examples
    --------
    >>> csv_of("digits").splitlines()[0]
    'truth,svm,naive_bayes,relabelled,cautious,majority'
    """
    if name not in DATASETS:
        listed = f"there are {', '.join(DATASETS)}"
        raise UnknownNameError(f"there is no data set {name!r}; {did_you_mean(name, DATASETS, listed)}")
    folder = files("infoscope") / "data"
    plain = folder / f"{name}.csv"
    with as_file(plain if plain.is_file() else folder / f"{name}.csv.gz") as path:
        body = path.read_bytes()
    return (gzip.decompress(body) if path.suffix == ".gz" else body).decode("utf-8")


def _read(name: str) -> dict[str, list[str]]:
    header, *rows = csv.reader(csv_of(name).splitlines())
    return {column: list(values) for column, values in zip(header, zip(*rows, strict=True), strict=True)}

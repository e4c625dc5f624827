"""What a cost matrix says before any data are seen, for ``infoscope explain --costs``."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import numpy as np

from infoscope.metrics.costs import cost_doubt
from infoscope.readers.cost_matrix import stated_costs
from infoscope.tables import Contingency
from infoscope.tables.costs import CostMatrix, StatedCosts

__all__ = ["cost_sentences"]


def cost_sentences(path: str, width: int) -> list[str]:
    """The costs of a file as they are read, the dearest errors, and doubts about them."""
    stated = stated_costs(path)
    table = _blank_table(stated)
    matrix = stated.matrix(table)
    sentences = [*_dearest(matrix), *_threshold(matrix)]
    doubt = cost_doubt(table, matrix.laid_out(matrix.truth, matrix.system))
    if doubt is not None:
        sentences.append(doubt[0].upper() + doubt[1:] + ".")
    return [f"Costs of {path}", "", *_grid(matrix), "", *(_wrapped(each, width) for each in sentences), ""]


def _blank_table(stated: StatedCosts) -> Contingency:
    """A table of the classes that the costs name, one sample in each cell; without names they are 0, 1, …"""
    rows, columns = stated.values.shape
    truth = stated.truth or tuple(map(str, range(rows)))
    system = stated.system or tuple(map(str, range(columns)))
    return Contingency.from_matrix(np.ones((rows, columns)), truth=truth, system=system)


def _grid(matrix: CostMatrix) -> list[str]:
    cells = [["true ↓ predicted →", *matrix.system]]
    cells += [[name, *(f"{cost:g}" for cost in row)] for name, row in zip(matrix.truth, matrix.values, strict=True)]
    wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join([row[0].ljust(wide[0]), *map(str.rjust, row[1:], wide[1:])]) for row in cells]


def _errors(matrix: CostMatrix) -> list[tuple[float, str, str]]:
    """What each wrong prediction costs beyond the right one of the same true class, the dearest first."""
    found = []
    for truth, row in zip(matrix.truth, matrix.values, strict=True):
        right = row[matrix.system.index(truth)] if truth in matrix.system else 0.0
        found += [(cost - right, truth, said) for said, cost in zip(matrix.system, row, strict=True) if said != truth]
    return sorted(found, key=lambda error: -error[0])


def _dearest(matrix: CostMatrix) -> Iterator[str]:
    errors = _errors(matrix)
    if errors:
        cost, truth, said = errors[0]
        least, *_ = errors[-1]
        yield (
            f"The dearest error is to predict {said!r} where {truth!r} is true: {cost:g} more than the correct "
            f"prediction; the cheapest error costs {least:g} more."
        )


def _threshold(matrix: CostMatrix) -> Iterator[str]:
    """Of two classes: from which probability the second is the cheaper prediction."""
    if len(matrix.truth) != 2 or set(matrix.truth) != set(matrix.system):
        return
    first, second = matrix.truth
    by_truth = {truth: cost for cost, truth, _ in _errors(matrix)}
    if min(by_truth.values()) > 0:
        share = by_truth[first] / (by_truth[first] + by_truth[second])
        yield f"It pays to predict {second!r} when its probability is at least {share:.3g}."


def _wrapped(sentence: str, width: int) -> str:
    return textwrap.fill(sentence, width)

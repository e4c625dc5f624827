"""Tuning in the information coverage plane: a random tree on the chess endgame King-Rook against King.

Holt, Mastromarino, Kao and Hurley (2010, Figure 7a) tune Weka's RandomTree, first its least leaf weight (1 to 20) with
6 candidate attributes, then the number of attributes (1 to 6) with weight 1, and find weight 1 with 6 attributes best.
The tree below grows as theirs does: one branch per value of a nominal attribute, the best of K attributes drawn at
random, more where none of the K helps, no pruning.

Run: python examples/king_rook_king.py [PATH/krkopt.data] [FOLDS]      (about a minute with 10 folds)
The file is that of the UCI repository; without it the same tree is tuned on six pixels of scikit-learn's handwritten
digits (infoscope[sklearn]).
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import infoscope as ifs

VALUES = 8
Ints = NDArray[np.int64]


def read_positions(path: Path) -> tuple[Ints, NDArray[np.str_]]:
    """Six attributes, each coded 0 to 7, and the depth of win in words."""
    fields = np.array([line.split(",") for line in path.read_text().split()])
    codes = [np.searchsorted(list("abcdefgh" if at % 2 == 0 else "12345678"), fields[:, at]) for at in range(6)]
    return np.column_stack(codes), fields[:, 6]


def read_digits() -> tuple[Ints, NDArray[np.str_]]:
    """The six pixels that differ most, each in eight shades, and the digit."""
    try:
        from sklearn.datasets import load_digits  # noqa: PLC0415 - only without a file
    except ImportError:
        raise SystemExit(
            "give the path of krkopt.data; without it this example needs scikit-learn: pip install 'infoscope[sklearn]'"
        ) from None
    images, digits = load_digits(return_X_y=True)
    shades = np.minimum(images // 2, VALUES - 1).astype(np.int64)
    return shades[:, np.argsort(-shades.var(axis=0))[:6]], digits.astype(str)


@dataclass(frozen=True)
class Level:
    """The nodes of one depth: what they split by (-1: a leaf), where each value leads, and their commonest class."""

    attribute: Ints
    child: Ints
    answer: Ints


def grow(rows: Ints, classes: Ints, *, candidates: int, leaf_weight: int, rng: np.random.Generator) -> list[Level]:
    """A random tree, depth by depth: all nodes of a depth are split at once."""
    node, kinds = np.zeros(len(rows), dtype=np.int64), int(classes.max()) + 1
    inherited = np.array([np.bincount(classes).argmax()])
    levels = []
    while True:
        size = len(inherited)
        counts = np.bincount(node * kinds + classes, minlength=size * kinds).reshape(size, kinds)
        answer = np.where(counts.sum(axis=1) > 0, counts.argmax(axis=1), inherited)
        open_node = (counts.sum(axis=1) >= 2 * leaf_weight) & (counts.max(axis=1) < counts.sum(axis=1))
        attribute = np.full(size, -1)
        at = np.flatnonzero(open_node)
        place = np.cumsum(open_node) - 1
        inside = open_node[node]
        rows, classes, node = rows[inside], classes[inside], place[node[inside]]
        if len(at):
            attribute[at] = _chosen(rows, classes, node, counts[at], candidates=candidates, rng=rng)
        child = np.full((size, VALUES), -1)
        split = attribute[at] >= 0
        child[at[split]] = np.arange(split.sum() * VALUES).reshape(-1, VALUES)
        levels.append(Level(attribute, child, answer))
        if not split.any():
            return levels
        going = split[node]
        rows, classes, node = rows[going], classes[going], at[node[going]]
        node = child[node, rows[np.arange(len(rows)), attribute[node]]]
        inherited = np.repeat(answer[at[split]], VALUES)


def _chosen(rows: Ints, classes: Ints, node: Ints, counts: Ints, *, candidates: int, rng: np.random.Generator) -> Ints:
    """For every node the attribute of most gain among those drawn; -1 where none gains."""
    size, kinds = counts.shape
    before = -_xlogx(counts).sum(axis=1) + _xlogx(counts.sum(axis=1))
    gains = np.empty((size, rows.shape[1]))
    for at in range(rows.shape[1]):
        cell = (node * VALUES + rows[:, at]) * kinds + classes
        found, number = np.unique(cell, return_counts=True)
        within = np.bincount(found // (kinds * VALUES), _xlogx(number), minlength=size)
        part, whole = np.unique(node * VALUES + rows[:, at], return_counts=True)
        gains[:, at] = before + within - np.bincount(part // VALUES, _xlogx(whole), minlength=size)
    order = rng.permuted(np.tile(np.arange(rows.shape[1]), (size, 1)), axis=1)
    drawn = np.take_along_axis(gains, order, axis=1)
    drawn[drawn < 1e-9] = 0
    first = np.argmax(drawn[:, :candidates], axis=1)
    later = np.argmax(drawn > 0, axis=1)
    pick = np.where(drawn[np.arange(size), first] > 0, first, later)
    return np.where(drawn[np.arange(size), pick] > 0, order[np.arange(size), pick], -1)


def _xlogx(count: Ints) -> NDArray[np.float64]:
    return count * np.log2(np.maximum(count, 1))


def answers(tree: list[Level], rows: Ints) -> Ints:
    """The commonest class where each row ends; a branch without samples answers as the node above it."""
    node, said = np.zeros(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.int64)
    left = np.arange(len(rows))
    for level in tree:
        said[left] = level.answer[node]
        split = level.attribute[node] >= 0
        left, node = left[split], node[split]
        node = level.child[node, rows[left, level.attribute[node]]]
    return said


def cross_validated(
    rows: Ints, truth: NDArray[np.str_], *, candidates: int, leaf_weight: int, folds: int, seed: int
) -> ifs.Contingency:
    """The table of all folds together, each judged by a tree that has not seen it."""
    rng = np.random.default_rng(seed)
    names, classes = _in_order_of_appearance(truth)
    fold = _stratified(classes, folds, rng)
    said = np.empty_like(classes)
    for part in range(folds):
        seen = fold != part
        tree = grow(rows[seen], classes[seen], candidates=candidates, leaf_weight=leaf_weight, rng=rng)
        said[~seen] = answers(tree, rows[~seen])
    return ifs.Contingency.from_labels(truth, names[said])


def _in_order_of_appearance(truth: NDArray[np.str_]) -> tuple[NDArray[np.str_], Ints]:
    """Classes as the file lists them, from draw to sixteen: the first of equally common ones is answered."""
    names, first, classes = np.unique(truth, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return names[order], np.argsort(order)[classes]


def _stratified(classes: Ints, folds: int, rng: np.random.Generator) -> Ints:
    """Samples of each class spread evenly over the folds."""
    order = rng.permutation(len(classes))
    order = order[np.argsort(classes[order], kind="stable")]
    fold = np.empty(len(classes), dtype=np.int64)
    fold[order] = np.arange(len(classes)) % folds
    return fold


def tuned(
    path: Path | None, settings: list[tuple[int, int]], *, folds: int, seed: int = 0
) -> ifs.operating_points.Tuning:
    """A table per (leaf weight, candidate attributes)."""
    rows, truth = read_digits() if path is None else read_positions(path)
    tables = {
        (weight, k): cross_validated(rows, truth, candidates=k, leaf_weight=weight, folds=folds, seed=seed)
        for weight, k in settings
    }
    return ifs.tune(tables, ["leaf weight", "attributes"])


def main() -> None:
    """The curves of Figure 7(a), and the best setting."""
    settings = [(weight, 6) for weight in range(1, 21)] + [(1, k) for k in range(1, 6)]
    folds = next((int(word) for word in sys.argv[1:] if word.isdigit()), 10)
    path = next((Path(word) for word in sys.argv[1:] if not word.isdigit()), None)
    tuning = tuned(path, settings, folds=folds)
    curve = tuning.coverage_curve()
    print("leaf weight  attributes  false information  completeness")
    for place, (weight, k) in enumerate(tuning.settings):
        noise, captured = curve["false_information_ratio"][place], curve["proficiency"][place]
        print(f"{weight:11}  {k:10}  {noise:17.4f}  {captured:12.4f}")
    print(tuning.best())


if __name__ == "__main__":
    main()

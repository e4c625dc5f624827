"""Every metric with a closed form, from its definition, in exact fractions and in as many digits as the table needs.

Nothing here is ours: margins are sums of fractions, logarithms and roots are mpmath's. ``None`` means undefined.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from math import comb, inf, prod

import mpmath

__all__ = ["EXACT", "ExactTable", "adjusted_mutual_information"]

Number = Fraction | int | mpmath.mpf
Value = Number | float | None


def real(x: Number) -> mpmath.mpf:
    """The same number with the digits of the day."""
    return mpmath.mpf(x.numerator) / x.denominator if isinstance(x, (Fraction, int)) else x


def log2(x: Number) -> mpmath.mpf:
    return _log2(x, mpmath.mp.prec)


@lru_cache(4096)
def _log2(x: Number, _precision: int) -> mpmath.mpf:
    """Hundreds of digits take a while, and many metrics ask for the same logarithms."""
    return mpmath.log(real(x), 2)


def ratio(part: Value, whole: Value) -> Value:
    if part is None or whole is None or whole == 0:
        return None
    if isinstance(part, mpmath.mpf) or isinstance(whole, mpmath.mpf):
        return real(part) / real(whole)
    return Fraction(part) / Fraction(whole)


def mean(values: Sequence[Value]) -> Value:
    return None if not values or None in values else ratio(sum(values), len(values))


class ExactTable:
    """Counts or weights of truth × system; labels are 0, 1, … on both sides."""

    def __init__(
        self,
        matrix: Sequence[Sequence[float]],
        *,
        reject: int | None = None,
        positive: int = 1,
        has_sample_size: bool = True,
    ) -> None:
        self.n = [[Fraction(x) for x in row] for row in matrix]
        self.k, self.m = len(self.n), len(self.n[0])
        self.rows, self.columns = [sum(row) for row in self.n], [sum(column) for column in zip(*self.n, strict=True)]
        self.total = sum(self.rows)
        self.reject, self.positive = reject, positive
        self.shared = [i for i in range(min(self.k, self.m)) if i != reject]
        self.is_whole = all(x.denominator == 1 for row in self.n for x in row)
        self.samples: Fraction | None = self.total if has_sample_size else None

    @property
    def digits(self) -> int:
        """Enough for the smallest cell, squared, beside the largest."""
        filled = [x for row in self.n for x in row if x]
        span = max(filled) / min(filled)
        return 60 + 2 * (len(str(span.numerator)) - len(str(span.denominator)))

    def cells(self) -> list[tuple[int, int, Fraction]]:
        return [(i, j, x) for i, row in enumerate(self.n) for j, x in enumerate(row)]

    def known(self, i: int) -> bool:
        return i in self.shared

    def hits(self, i: int) -> Fraction:
        return self.n[i][i] if self.known(i) else Fraction(0)

    def declared(self, i: int) -> Fraction:
        return self.columns[i] if self.known(i) else Fraction(0)

    # ── entropies ──

    def entropy(self, parts: Sequence[Fraction]) -> mpmath.mpf:
        return mpmath.fsum(real(x / self.total) * log2(self.total / x) for x in parts if x)

    @cached_property
    def truth(self) -> Number:
        return self.entropy(self.rows) if sum(map(bool, self.rows)) > 1 else 0

    @cached_property
    def system(self) -> Number:
        return self.entropy(self.columns) if sum(map(bool, self.columns)) > 1 else 0

    def cell_missed(self, i: int, j: int) -> Number:
        x = self.n[i][j]
        return real(x / self.total) * log2(self.columns[j] / x) if x and x != self.columns[j] else 0

    def cell_false(self, i: int, j: int) -> Number:
        x = self.n[i][j]
        return real(x / self.total) * log2(self.rows[i] / x) if x and x != self.rows[i] else 0

    def cell_mutual(self, i: int, j: int) -> Number:
        x = self.n[i][j]
        lift = x * self.total / (self.rows[i] * self.columns[j]) if x else 1
        return real(x / self.total) * log2(lift) if lift != 1 else 0

    @cached_property
    def missed(self) -> Number:
        return sum(self.cell_missed(i, j) for i, j, _ in self.cells())

    @cached_property
    def false(self) -> Number:
        return sum(self.cell_false(i, j) for i, j, _ in self.cells())

    @cached_property
    def mutual(self) -> Number:
        if all(x * self.total == self.rows[i] * self.columns[j] for i, j, x in self.cells()):
            return 0
        return mpmath.fsum(self.cell_mutual(i, j) for i, j, _ in self.cells())

    # ── chance ──

    @cached_property
    def right(self) -> Fraction | None:
        return sum((self.n[i][i] for i in self.shared), Fraction(0)) if self.shared else None

    @cached_property
    def rejected(self) -> Fraction:
        return Fraction(0) if self.reject is None else self.columns[self.reject]

    @cached_property
    def agreed(self) -> Fraction:
        return sum((self.rows[i] * self.columns[i] for i in self.shared), Fraction(0))

    @cached_property
    def phi_squared(self) -> Fraction:
        filled = product([i for i in range(self.k) if self.rows[i]], [j for j in range(self.m) if self.columns[j]])
        chance = {(i, j): self.rows[i] * self.columns[j] / self.total for i, j in filled}
        return sum(((self.n[i][j] - x) ** 2 / x for (i, j), x in chance.items()), Fraction(0)) / self.total

    @cached_property
    def occupied(self) -> tuple[int, int]:
        return sum(map(bool, self.rows)), sum(map(bool, self.columns))

    def tail(self, statistic: Value) -> Value:
        """P(χ² > statistic), by the finite sums that the χ² law has for whole degrees of freedom."""
        freedom = prod(n - 1 for n in self.occupied)
        if statistic is None or freedom < 1:
            return None
        with mpmath.workdps(60):
            x = real(statistic) / 2
            if x > 10**6:
                return 0
            if freedom % 2 == 0:
                return mpmath.exp(-x) * mpmath.fsum(x**i / mpmath.factorial(i) for i in range(freedom // 2))
            terms = mpmath.fsum(
                x ** (i - mpmath.mpf(1) / 2) / mpmath.gamma(i + mpmath.mpf(1) / 2) for i in range(1, (freedom + 1) // 2)
            )
            return mpmath.erfc(mpmath.sqrt(x)) + mpmath.exp(-x) * terms

    def statistic(self, per_sample: Number) -> Value:
        return None if self.samples is None or prod(n - 1 for n in self.occupied) < 1 else self.samples * per_sample

    # ── one class against the rest ──

    def recall(self, i: int) -> Value:
        return ratio(self.hits(i), self.rows[i])

    def precision(self, i: int) -> Value:
        return ratio(self.hits(i), self.declared(i))

    def false_alarms(self, i: int) -> Fraction:
        return self.declared(i) - self.hits(i)

    def right_rejections(self, i: int) -> Fraction:
        return self.total - self.rows[i] - self.false_alarms(i)

    def f_beta(self, i: int, beta: Fraction) -> Value:
        return ratio((1 + beta**2) * self.hits(i), beta**2 * self.rows[i] + self.declared(i))

    def by_size(self, rate: Callable[[int], Value]) -> Value:
        if not self.shared:
            return None
        rates = [(rate(i), self.rows[i]) for i in range(self.k) if self.rows[i]]
        return None if any(x is None for x, _ in rates) else sum(x * size for x, size in rates) / self.total

    def alike(self, rate: Callable[[int], Value], classes: Sequence[int] | None = None) -> Value:
        return mean([rate(i) for i in classes or range(self.k)]) if self.shared else None

    @property
    def is_binary(self) -> bool:
        return self.k == 2 and self.shared == [0, 1] and self.m == 2 + (self.reject is not None)

    def detect(self, rate: Callable[[int, int], Value]) -> Value:
        return rate(self.positive, 1 - self.positive) if self.is_binary else None

    # ── groups ──

    def pairs(self, parts: Sequence[Fraction]) -> int:
        return sum(comb(int(x), 2) for x in parts)

    @cached_property
    def pair_counts(self) -> tuple[int, int, int, int]:
        cells = [x for _, _, x in self.cells()]
        return self.pairs(self.rows), self.pairs(self.columns), self.pairs(cells), self.pairs([self.total])

    def of_pairs(self, score: Callable[[int, int, int, int], Value]) -> Value:
        return score(*self.pair_counts) if self.is_whole and self.samples is not None else None

    def bcubed(self, wholes: Callable[[int, int], Fraction]) -> Fraction:
        return sum((x * x / wholes(i, j) for i, j, x in self.cells() if x), Fraction(0)) / self.total

    @cached_property
    def bcubed_precision(self) -> Fraction:
        return self.bcubed(lambda _, j: self.columns[j])

    @cached_property
    def bcubed_recall(self) -> Fraction:
        return self.bcubed(lambda i, _: self.rows[i])

    # ── bounds, losses, rejections ──

    def fano_root(self) -> mpmath.mpf:
        classes = self.occupied[0]
        missed = self.missed
        low, high = mpmath.mpf(0), mpmath.mpf(classes - 1) / classes
        if missed == 0:
            return low

        def gap(e: mpmath.mpf) -> mpmath.mpf:
            return -e * log2(e) - (1 - e) * log2(1 - e) + e * log2(classes - 1) - missed

        with mpmath.workdps(40 + max(0, int(-mpmath.log10(missed)))):
            low = mpmath.mpf(2) ** -(4 * int(-log10_floor(missed)) + 30)
            for _ in range(60):  # halve the exponent's room first, then the number's
                middle = mpmath.sqrt(low * high)
                low, high = (middle, high) if gap(middle) < 0 else (low, middle)
            for _ in range(80):
                middle = (low + high) / 2
                low, high = (middle, high) if gap(middle) < 0 else (low, middle)
            return low

    def loss(self, cost: Callable[[int], Number]) -> Value:
        return None if not self.shared else sum(x / self.total * cost(i) for i, x in enumerate(self.rows) if x)

    def rejections_tell(self) -> Number:
        if self.reject is None:
            return 0
        return sum(self.cell_mutual(i, self.reject) for i in range(self.k))


def log10_floor(x: mpmath.mpf) -> float:
    return min(0.0, float(mpmath.floor(mpmath.log10(x))))


E = ExactTable


def exp2(bits: Number) -> mpmath.mpf:
    return mpmath.mpf(2) ** real(bits)


def sqrt(x: Value) -> Value:
    return None if x is None else mpmath.sqrt(real(x))


def minus(x: Value, y: Value) -> Value:
    return None if x is None or y is None else x - y


def times(x: Value, y: Value) -> Value:
    return None if x is None or y is None else x * y


def informational_loss(t: E) -> Value:
    if t.shared and any(t.rows[i] and not t.hits(i) for i in range(t.k)):
        return inf
    return t.loss(lambda i: mpmath.log(real(t.total / t.hits(i))) if t.hits(i) != t.total else 0)


def mcc(t: E) -> Value:
    spread = (t.total**2 - sum(x * x for x in t.rows)) * (t.total**2 - sum(x * x for x in t.columns))
    return None if not t.shared else ratio(real(t.total * t.right - t.agreed), sqrt(spread))


def gwet_ac1(t: E) -> Value:
    labels = sorted(set(range(t.k)) | set(range(t.m)))
    if len(labels) < 2 or not t.shared:
        return None
    both = [(t.rows[q] if q < t.k and q != t.reject else 0, t.columns[q] if q < t.m else 0) for q in labels]
    shares = [Fraction(r + c) / (2 * t.total) for r, c in both]
    chance = (1 - sum(x * x for x in shares)) / (len(labels) - 1)
    return ratio(t.right / t.total - chance, 1 - chance)


def largest(t: E) -> tuple[Fraction, Fraction]:
    return sum(max(row) for row in t.n), sum(max(column) for column in zip(*t.n, strict=True))


def adjusted_rand(rows: int, columns: int, both: int, every: int) -> Value:
    if not every:
        return None
    chance = Fraction(rows * columns, every)
    return ratio(both - chance, Fraction(rows + columns, 2) - chance)


def adjusted_mutual_information(t: E) -> Value:
    """Term by term over the hypergeometric law of each cell, so for few samples."""
    n, expected = int(t.total), mpmath.mpf(0)
    for a, b in product(map(int, t.rows), map(int, t.columns)):
        for x in range(max(1, a + b - n), min(a, b) + 1):
            chance = Fraction(comb(b, x) * comb(n - b, a - x), comb(n, a))
            expected += real(chance * x / n) * log2(Fraction(x * n, a * b))
    is_apart = max(t.rows + t.columns) <= 1
    most = (t.truth + t.system) / 2
    return None if is_apart or most == 0 else ratio(t.mutual - expected, most - expected)


def over_answers(t: E, weight: Callable[[int], int]) -> Value:
    """Mean weight of the steps |i − j| over the samples that are not rejected."""
    kept = [(i, j, x) for i, j, x in t.cells() if j != t.reject]
    return ratio(sum(x * weight(abs(i - j)) for i, j, x in kept), sum(x for *_, x in kept)) if t.shared else None


def weighted_kappa(t: E, power: int) -> Value:
    kept = [j for j in range(t.m) if j != t.reject]
    rows = [sum(t.n[i][j] for j in kept) for i in range(t.k)]
    answered = sum(rows)
    if not t.shared or not answered:
        return None
    observed = sum(t.n[i][j] * abs(i - j) ** power for i in range(t.k) for j in kept) / answered
    by_chance = sum(rows[i] * t.columns[j] * abs(i - j) ** power for i in range(t.k) for j in kept) / answered**2
    return None if not by_chance else 1 - observed / by_chance


def ranked_probability_score(t: E) -> Value:
    """By the cumulative distributions: a predicted class is a forecast of probability 1."""
    places = len({*range(t.k), *range(t.m)} - {t.reject})
    kept = [(i, j, x) for i, j, x in t.cells() if j != t.reject]
    squares = sum(x * sum(((j <= k) - (i <= k)) ** 2 for k in range(places - 1)) for i, j, x in kept)
    answered = sum(x for *_, x in kept)
    return ratio(squares, answered * (places - 1)) if t.shared and places > 1 else None


def neighbour_loss_share(t: E) -> Value:
    if not t.shared:
        return None
    lost = [(abs(i - j), t.cell_missed(i, j) + t.cell_false(i, j)) for i, j, x in t.cells() if x and j != t.reject]
    return ratio(sum(bits for off, bits in lost if off == 1), sum(bits for off, bits in lost if off))


EXACT: dict[str, Callable[[E], Value | list[Value]]] = {
    # agreement
    "accuracy": lambda t: ratio(t.right, t.total),
    "error_rate": lambda t: None if not t.shared else (t.total - t.right - t.rejected) / t.total,
    "random_accuracy": lambda t: ratio(t.agreed, t.total**2) if t.shared else None,
    "truth_random_accuracy": lambda t: ratio(sum(Fraction(row) ** 2 for row in t.rows), t.total**2),
    "kappa": lambda t: ratio(t.total * t.right - t.agreed, t.total**2 - t.agreed) if t.shared else None,
    "mcc": mcc,
    # ordinal
    "linear_weighted_kappa": lambda t: weighted_kappa(t, 1),
    "quadratic_weighted_kappa": lambda t: weighted_kappa(t, 2),
    "mean_absolute_error": lambda t: over_answers(t, lambda off: off),
    "off_by_one_rate": lambda t: over_answers(t, lambda off: off == 1),
    "ranked_probability_score": ranked_probability_score,
    "neighbour_loss_share": neighbour_loss_share,
    # association
    "g_statistic": lambda t: t.statistic(2 * t.mutual * mpmath.log(2)),
    "g_p_value": lambda t: t.tail(t.statistic(2 * t.mutual * mpmath.log(2))),
    "phi_squared": lambda t: t.phi_squared,
    "chi2_p_value": lambda t: t.tail(t.statistic(t.phi_squared)),
    "cramers_v": lambda t: sqrt(ratio(t.phi_squared, min(t.occupied) - 1)),
    # averages
    "weighted_tpr": lambda t: t.by_size(t.recall),
    "weighted_fpr": lambda t: t.by_size(lambda i: ratio(t.false_alarms(i), t.total - t.rows[i])),
    "weighted_ppv": lambda t: t.by_size(t.precision),
    "weighted_npv": lambda t: t.by_size(lambda i: ratio(t.right_rejections(i), t.total - t.declared(i))),
    "rand_index": lambda t: t.by_size(lambda i: ratio(t.hits(i) + t.right_rejections(i), t.total)),
    "weighted_f1": lambda t: t.by_size(lambda i: t.f_beta(i, Fraction(1))),
    "weighted_jaccard": lambda t: t.by_size(lambda i: ratio(t.hits(i), t.rows[i] + t.false_alarms(i))),
    "balanced_accuracy": lambda t: t.alike(t.recall, [i for i in range(t.k) if t.rows[i]]),
    "macro_precision": lambda t: t.alike(t.precision),
    "macro_recall": lambda t: t.alike(t.recall),
    "macro_f1": lambda t: t.alike(lambda i: t.f_beta(i, Fraction(1))),
    "macro_jaccard": lambda t: t.alike(lambda i: ratio(t.hits(i), t.rows[i] + t.false_alarms(i))),
    # binary
    "precision": lambda t: t.detect(lambda i, _: t.precision(i)),
    "recall": lambda t: t.detect(lambda i, _: t.recall(i)),
    "specificity": lambda t: t.detect(lambda _, other: t.recall(other)),
    "npv": lambda t: t.detect(lambda _, other: t.precision(other)),
    "false_alarm_rate": lambda t: t.detect(lambda i, other: ratio(t.false_alarms(i), t.rows[other])),
    "f_beta": lambda t: t.detect(lambda i, _: t.f_beta(i, Fraction(2))),
    "f1": lambda t: t.detect(lambda i, _: t.f_beta(i, Fraction(1))),
    "phi": lambda t: mcc(t) if t.is_binary else None,
    "jaccard": lambda t: t.detect(lambda i, _: ratio(t.hits(i), t.rows[i] + t.false_alarms(i))),
    "gwet_ac1": gwet_ac1,
    # diagnostic tests
    "informedness": lambda t: t.detect(lambda i, j: minus(t.recall(i), ratio(t.false_alarms(i), t.rows[j]))),
    "markedness": lambda t: t.detect(lambda i, j: minus(t.precision(i), ratio(t.n[i][j], t.columns[j]))),
    "positive_likelihood_ratio": lambda t: t.detect(
        lambda i, j: ratio(t.recall(i), ratio(t.false_alarms(i), t.rows[j]))
    ),
    "negative_likelihood_ratio": lambda t: t.detect(
        lambda i, j: ratio(ratio(t.n[i][j], t.rows[i]), ratio(t.n[j][j], t.rows[j]))
    ),
    "diagnostic_odds_ratio": lambda t: t.detect(lambda i, j: ratio(t.n[i][i] * t.n[j][j], t.n[j][i] * t.n[i][j])),
    "lift": lambda t: t.detect(lambda i, _: ratio(t.precision(i), ratio(t.rows[i], t.total))),
    # bounds
    "fano_bound": lambda t: ratio(max(t.missed - 1, 0), log2(t.k)),
    "tight_fano_bound": lambda t: t.fano_root(),
    "hellman_raviv_bound": lambda t: ratio(t.missed, 2),
    "bayes_error": lambda t: 1 - sum(max(column) for column in zip(*t.n, strict=True)) / t.total,
    # coverage
    "proficiency": lambda t: ratio(t.mutual, t.truth),
    "false_information_ratio": lambda t: ratio(t.false, t.truth),
    "erroneous_information_ratio": lambda t: ratio(t.missed + t.false, t.truth),
    "missed_information_ratio": lambda t: ratio(t.missed, t.truth),
    "information_precision": lambda t: ratio(t.mutual, t.system),
    "error_information_ratio": lambda t: ratio(1 - t.right / t.total, t.mutual * mpmath.log(2)) if t.shared else None,
    # grouping
    "bcubed_precision": lambda t: t.bcubed_precision,
    "bcubed_recall": lambda t: t.bcubed_recall,
    "bcubed_f1": lambda t: 2 / (1 / t.bcubed_precision + 1 / t.bcubed_recall),
    "fowlkes_mallows": lambda t: t.of_pairs(
        lambda rows, columns, both, _: ratio(real(both), mpmath.sqrt(rows) * mpmath.sqrt(columns))
    ),
    # costs: none are stated
    "expected_cost": lambda _: None,
    "return_on_investment": lambda _: None,
    # losses
    "linear_loss": lambda t: t.loss(
        lambda i: sum(abs(x / t.total - (i == j and t.known(i))) for j, x in enumerate(t.n[i])) + (not t.known(i))
    ),
    "quadratic_loss": lambda t: t.loss(
        lambda i: sum((x / t.total - (i == j and t.known(i))) ** 2 for j, x in enumerate(t.n[i])) + (not t.known(i))
    ),
    "informational_loss": informational_loss,
    "zero_one_loss": lambda t: ratio(-t.right, t.total) if t.shared else None,
    "information_cost": lambda t: t.missed + t.false,
    # normalized
    "nmi_arithmetic": lambda t: ratio(2 * t.mutual, t.truth + t.system),
    "v_measure": lambda t: ratio(2 * t.mutual, t.truth + t.system),
    "nmi_geometric": lambda t: ratio(t.mutual, sqrt(t.truth * t.system)),
    "nmi_min": lambda t: ratio(t.mutual, min(t.truth, t.system)),
    "nmi_max": lambda t: ratio(t.mutual, max(t.truth, t.system)),
    "nmi_joint": lambda t: ratio(t.mutual, t.mutual + t.missed + t.false),
    # pairs
    "pair_rand_index": lambda t: t.of_pairs(
        lambda rows, columns, both, every: ratio(every + 2 * both - rows - columns, every)
    ),
    "adjusted_rand_index": lambda t: t.of_pairs(adjusted_rand),
    "pair_jaccard": lambda t: t.of_pairs(lambda rows, columns, both, _: ratio(both, rows + columns - both)),
    "wallace_truth": lambda t: t.of_pairs(lambda rows, _, both, __: ratio(both, rows)),
    "wallace_system": lambda t: t.of_pairs(lambda _, columns, both, __: ratio(both, columns)),
    "hubert_index": lambda t: t.of_pairs(
        lambda rows, columns, both, every: ratio(every - 2 * (rows + columns - 2 * both), every)
    ),
    "mirkin_distance": lambda t: (
        (sum(x * x for x in t.rows) + sum(x * x for x in t.columns) - 2 * sum(x * x for _, _, x in t.cells()))
        / t.total**2
    ),
    "van_dongen_distance": lambda t: 1 - sum(largest(t)) / (2 * t.total),
    "larsen_index": lambda t: (
        sum(
            t.rows[i] * max(2 * x / (t.rows[i] + t.columns[j]) for j, x in enumerate(row))
            for i, row in enumerate(t.n)
            if t.rows[i]
        )
        / t.total
    ),
    # cells
    "cell_missed_information": lambda t: [t.cell_missed(i, j) for i, j, _ in t.cells()],
    "cell_false_information": lambda t: [t.cell_false(i, j) for i, j, _ in t.cells()],
    "cell_mutual_information": lambda t: [t.cell_mutual(i, j) for i, j, _ in t.cells()],
    # classes and outputs
    "class_support": lambda t: t.rows,
    "class_recall": lambda t: [t.recall(i) for i in range(t.k)],
    "class_precision": lambda t: [t.precision(i) for i in range(t.k)],
    "class_specificity": lambda t: [ratio(t.right_rejections(i), t.total - t.rows[i]) for i in range(t.k)],
    "class_jaccard": lambda t: [ratio(t.hits(i), t.rows[i] + t.false_alarms(i)) for i in range(t.k)],
    "class_f1": lambda t: [t.f_beta(i, Fraction(1)) for i in range(t.k)],
    "class_false_information": lambda t: [
        ratio(sum(t.cell_false(i, j) for j in range(t.m)) * t.total, t.rows[i]) for i in range(t.k)
    ],
    "class_missed_share": lambda t: [ratio(sum(t.cell_missed(i, j) for j in range(t.m)), t.missed) for i in range(t.k)],
    "class_false_share": lambda t: [ratio(sum(t.cell_false(i, j) for j in range(t.m)), t.false) for i in range(t.k)],
    "output_declared": lambda t: t.columns,
    "output_precision": lambda t: [ratio(t.n[j][j], t.columns[j]) if t.known(j) else None for j in range(t.m)],
    "output_missed_information": lambda t: [
        ratio(sum(t.cell_missed(i, j) for i in range(t.k)) * t.total, t.columns[j]) for j in range(t.m)
    ],
    "output_missed_share": lambda t: [
        ratio(sum(t.cell_missed(i, j) for i in range(t.k)), t.missed) for j in range(t.m)
    ],
    "output_false_share": lambda t: [ratio(sum(t.cell_false(i, j) for i in range(t.k)), t.false) for j in range(t.m)],
    # perplexities
    "effective_classes": lambda t: exp2(t.truth),
    "remnant_classes": lambda t: exp2(t.missed),
    "transfer_factor": lambda t: exp2(t.mutual),
    "system_classes": lambda t: exp2(t.system),
    "system_remnant_classes": lambda t: exp2(t.false),
    "entropy_modified_accuracy": lambda t: exp2(-t.missed),
    "normalized_transfer_factor": lambda t: exp2(t.mutual) / t.k,
    "truth_divergence_factor": lambda t: t.k / exp2(t.truth),
    "system_divergence_factor": lambda t: t.m / exp2(t.system),
    # rejection
    "rejection_rate": lambda t: t.rejected / t.total,
    "accepted_accuracy": lambda t: ratio(t.right, t.total - t.rejected) if t.shared else None,
    "proficiency_without_reject": lambda t: ratio(t.mutual - t.rejections_tell(), t.truth),
    # shannon
    "truth_entropy": lambda t: t.truth,
    "system_entropy": lambda t: t.system,
    "joint_entropy": lambda t: t.mutual + t.missed + t.false,
    "mutual_information": lambda t: t.mutual,
    "missed_information": lambda t: t.missed,
    "false_information": lambda t: t.false,
    "erroneous_information": lambda t: t.missed + t.false,
    # triangles
    "uniform_entropy": lambda t: log2(t.k) + log2(t.m),
    "product_entropy": lambda t: t.truth + t.system,
    "uniform_divergence": lambda t: log2(t.k) + log2(t.m) - t.truth - t.system,
    "triangle_divergence": lambda t: ratio(log2(t.k) + log2(t.m) - t.truth - t.system, log2(t.k) + log2(t.m)),
    "triangle_transfer": lambda t: ratio(2 * t.mutual, log2(t.k) + log2(t.m)),
    "triangle_variation": lambda t: ratio(t.missed + t.false, log2(t.k) + log2(t.m)),
    "split_truth_divergence": lambda t: ratio(log2(t.k) - t.truth, log2(t.k)),
    "split_truth_transfer": lambda t: ratio(t.mutual, log2(t.k)),
    "split_truth_remainder": lambda t: ratio(t.missed, log2(t.k)),
    "split_system_divergence": lambda t: ratio(log2(t.m) - t.system, log2(t.m)),
    "split_system_transfer": lambda t: ratio(t.mutual, log2(t.m)),
    "split_system_remainder": lambda t: ratio(t.false, log2(t.m)),
}
